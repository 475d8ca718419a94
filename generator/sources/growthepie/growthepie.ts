import { addDays } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { CollectedDay } from '../../core/collection/day-values.js';
import type { HttpTools, TransferLimits } from '../http-client.js';
import {
  createReadOnce,
  describeValue,
  type Probe,
  probeMagnitude,
  probeReading,
  type Source,
  SourceError,
  type SourceFacts,
  StatusError,
} from '../source.js';
import {
  createGrowthepieReader,
  GROWTHEPIE_DEFINITIONS,
  GROWTHEPIE_EXPORTS,
  type GrowthepieExport,
  type GrowthepieReader,
  parseExport,
  type ReadExport,
  REQUESTS_PER_MINUTE,
  type Update,
} from './growthepie-reader.js';
import { isJsonNumber } from '../../core/collection/decimal.js';

/** Terms and definitions of growthepie. */
const GROWTHEPIE_FACTS: SourceFacts = {
  id: 'growthepie',
  name: 'growthepie',
  url: 'https://www.growthepie.com',
  licence: 'CC BY 4.0',
  resale: 'yes',
  attribution: 'Source: growthepie, https://www.growthepie.com. Data were transformed.',
  completeFrom: '06:15',
  settlingDays: 7,
  requestsPerMinute: REQUESTS_PER_MINUTE,
  hasLateMarks: true, // the exports follow the update of master.json one by one
  definitions: GROWTHEPIE_DEFINITIONS,
};

/** Options for `createGrowthepie`. */
type GrowthepieOptions = {
  /** `https://api.growthepie.com` by default. */
  readonly endpoint?: string;
  readonly limits?: TransferLimits;
  readonly tools?: HttpTools;
};

/** Why exports of a chain were not read: `failures` did not answer; the chain can do without the others. */
type Missing = Pick<Required<CollectedDay>, 'failures' | 'notes' | 'unreadable'>;

/** The dates of a chain that have a value. */
type ChainDays = Missing & { readonly days: ReadonlyMap<string, CollectedDay> };

/**
 * Creates the source for one collection. `days` costs one request: it returns all dates of the span before the last update,
 * also those without a value, and the mark of each is the instant of that update. `day` reads each export once, and serves
 * all chains and dates from it; an export that does not answer is left out, unless none does, and so is one that is not
 * required and is refused or has another form. On ethereum it gives only `tx_count`, as a check.
 */
export function createGrowthepie(options: GrowthepieOptions = {}): Source {
  const reader = createGrowthepieReader(options);
  const readOnce = createReadOnce();

  const readChain = (chain: Chain, update: Update, signal: AbortSignal): Promise<ChainDays> =>
    readOnce(chain, async () => {
      const read: ReadExport[] = [];
      const failures: SourceError[] = [];
      const [notes, unreadable]: [string[], string[]] = [[], []];
      for (const wanted of exportsOf(chain)) {
        const found = await reader.readExport(wanted, signal).catch(toSourceError); // one by one, for politeness
        if (!(found instanceof SourceError)) read.push(...(found === undefined ? [] : [found]));
        else if (found.code === 'unavailable') failures.push(found);
        else if (wanted.required) throw found;
        else {
          const list = found instanceof StatusError ? notes : unreadable;
          list.push(`${found.message} ${wanted.metric} is left out.`);
        }
      }
      const [failure] = failures;
      if (failure !== undefined && read.length === 0) throw failure;
      const messages = failures.map(({ message }) => message);
      return { days: toDays(chain, read, update), failures: messages, notes, unreadable };
    });

  return {
    facts: GROWTHEPIE_FACTS,
    async days(chain, { first, last }, signal) {
      signal.throwIfAborted();
      if (exportsOf(chain).length === 0) return new Map();
      const { instant } = await reader.readUpdate(signal);
      const marks = new Map<string, string>();
      for (let date = first; date <= last && hasEnded(date, instant); date = addDays(date, 1)) {
        marks.set(date, instant);
      }
      return marks;
    },
    async day(chain, date, signal) {
      signal.throwIfAborted();
      const update = await reader.readUpdate(signal);
      const { days, ...missing } = hasEnded(date, update.instant)
        ? await readChain(chain, update, signal)
        : NO_DAYS;
      const day =
        missing.failures.length > 0 ? (days.get(date) ?? emptyDay(chain, date, update)) : days.get(date);
      if (day !== undefined) return { ...day, ...withoutEmpty(missing) };
      throw new SourceError('not-yet', `growthepie: expected values of ${chain} on ${date}, got none.`);
    },
    probe: createGrowthepieProbe(reader, exportsOf),
  };
}

const NO_DAYS: ChainDays = { days: new Map(), failures: [], notes: [], unreadable: [] };

function withoutEmpty(missing: Missing): Partial<Missing> {
  return Object.fromEntries(Object.entries(missing).filter(([, texts]) => texts.length > 0));
}

/** Returns an error of the source. @throws every other one */
function toSourceError(error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  throw error;
}

function emptyDay(chain: Chain, date: string, { response }: Update): CollectedDay {
  return { chain, date, values: {}, counts: {}, evidence: { kind: 'responses', responses: [response] } };
}

function exportsOf(chain: Chain): readonly GrowthepieExport[] {
  return GROWTHEPIE_EXPORTS.filter(({ chains }) => chains.includes(chain));
}

/** Returns whether a date had ended at an instant. A row of a date that has not is not complete. */
function hasEnded(date: string, instant: string): boolean {
  return date < instant.slice(0, 10);
}

/** Returns the dates that have a value. */
function toDays(chain: Chain, read: readonly ReadExport[], update: Update): ChainDays['days'] {
  const columns = read.map(({ metric, values }) => ({ metric, values: values.get(chain) }));
  const dates = new Set(columns.flatMap(({ values }) => [...(values?.keys() ?? [])]));
  const responses = [update, ...read].map(({ response }) => response);
  return new Map(
    [...dates].map((date) => {
      const cells = columns.map(({ metric, values }) => [metric, values?.get(date)] as const);
      const values = Object.fromEntries(cells.filter(([, value]) => value !== undefined));
      return [date, { chain, date, values, counts: {}, evidence: { kind: 'responses', responses } }];
    }),
  );
}

const FIELDS = ['metric_key', 'origin_key', 'date', 'value'] as const;
const FRESH = 'last_updated_utc as YYYY-MM-DD HH:MM:SS, within the last 36 hours';

/** Bounds of a day's value in the unit of each export, wide enough for every chain. A value in gwei or wei is beyond them. */
const MAGNITUDES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  txcount: [1e3, 1e10],
  daa: [1e2, 1e9],
  fees: [1e-3, 1e5],
  txcosts: [1e-12, 1e-1],
  rent_paid: [1e-6, 1e5],
  throughput: [1e-2, 1e5],
};

/** An export without its rows: its fields and keys, why it is refused, and the newest row of each chain. */
type Summary = {
  readonly fields: readonly string[];
  readonly keys: readonly string[];
  readonly fault: string | undefined;
  readonly newest: ReadonlyMap<string, { readonly date: string; readonly value: string | undefined }>;
};

/** Creates the probe of a collection: it requests each export once for all chains. */
function createGrowthepieProbe(
  reader: GrowthepieReader,
  exportsOf: (chain: Chain) => readonly GrowthepieExport[],
): Source['probe'] {
  const readOnce = createReadOnce();
  return async (chain, signal) => {
    signal.throwIfAborted();
    const exports = exportsOf(chain);
    if (exports.length === 0) return [];
    const update = await probeReading('master.json', FRESH, () => reader.readUpdate(signal));
    if ('difference' in update) return [update.difference];
    const { instant } = update.value;
    const probes: Probe[] = [{ item: 'master.json', expected: FRESH, found: instant, agrees: true }];
    for (const wanted of exports) {
      const item = `export/${wanted.id}.json`;
      const summary = await probeReading(item, 'an array of rows', () =>
        readOnce(wanted.id, async () =>
          summarize((await reader.requestExport(wanted, signal)).value, wanted),
        ),
      );
      if ('difference' in summary) probes.push(summary.difference);
      else probes.push(...compare(chain, wanted, summary.value, addDays(instant.slice(0, 10), -1)));
    }
    return probes;
  };
}

function compare(
  chain: Chain,
  { id, key, dollarKey }: GrowthepieExport,
  summary: Summary,
  newest: string,
): Probe[] {
  const { fields, keys, fault } = summary;
  const last = summary.newest.get(chain);
  const isKnown = keys.every((each) => each === key || each === dollarKey);
  return [
    {
      item: `fields of ${id}`,
      expected: FIELDS.join(', '),
      found: fields.join(', ') || 'none',
      agrees: FIELDS.every((field) => fields.includes(field)),
    },
    {
      item: `metric_key of ${id}`,
      expected: [key, ...(dollarKey === undefined ? [] : [`${dollarKey} (not read)`])].join(', '),
      found: keys.join(', ') || 'none',
      agrees: keys.includes(key) && isKnown,
    },
    {
      item: `rows of ${id}`,
      expected: 'one number of at least 0 per chain and date, or null',
      found: fault ?? 'the same',
      agrees: fault === undefined,
    },
    {
      item: `newest value of ${id} for ${chain}`,
      expected: newest,
      found: last?.date ?? 'none',
      agrees: last?.date === newest,
    },
    probeMagnitude(`unit of ${id} for ${chain}`, last?.value, MAGNITUDES[id] ?? [0, Infinity]),
  ];
}

function summarize(json: unknown, wanted: GrowthepieExport): Summary {
  const rows = (Array.isArray(json) ? (json as readonly unknown[]) : []).filter(isObject);
  const newest = new Map<string, { date: string; value: string | undefined }>();
  for (const { metric_key: key, origin_key: origin, date, value } of rows) {
    if (key !== wanted.key || typeof origin !== 'string' || typeof date !== 'string') continue;
    if (value !== null && date > (newest.get(origin)?.date ?? '')) {
      newest.set(origin, { date, value: isJsonNumber(value) ? value.number : describeValue(value) });
    }
  }
  return {
    fields: [...new Set(rows.flatMap((row) => Object.keys(row)))],
    keys: [...new Set(rows.map(({ metric_key: key }) => String(key)))].sort(),
    fault: faultOf(json, wanted),
    newest,
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function faultOf(json: unknown, wanted: GrowthepieExport): string | undefined {
  try {
    parseExport(`export/${wanted.id}.json`, json, wanted);
    return undefined;
  } catch (error) {
    if (error instanceof SourceError) return error.message;
    throw error;
  }
}
