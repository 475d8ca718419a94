import { addDays } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { CollectedDay } from '../../core/collection/values/collected-day.js';
import type { HttpTools } from '../http/http-tools.js';
import type { TransferLimits } from '../http/transfer-watch.js';
import { createReadOnce } from '../read-once.js';
import { SourceError, type Source, type SourceFacts } from '../source.js';
import { GROWTHEPIE_DEFINITIONS, GROWTHEPIE_EXPORTS, type GrowthepieExport } from './growthepie-exports.js';
import {
  createGrowthepieReader,
  REQUESTS_PER_MINUTE,
  type ReadExport,
  type Update,
} from './growthepie-reader.js';
import { createGrowthepieProbe } from './growthepie-probe.js';

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

/** The dates of a chain that have a value, and why some of its exports could not be read. */
type ChainDays = {
  readonly days: ReadonlyMap<string, CollectedDay>;
  readonly failures: readonly string[];
};

/**
 * Creates the source for one collection. `days` costs one request: it returns all dates of the span before the last update,
 * also those without a value, and the mark of each is the instant of that update. `day` reads each export once, and serves
 * all chains and dates from it; an export that does not answer is left out, unless none does. On ethereum it gives only
 * `tx_count`, as a check.
 */
export function createGrowthepie(options: GrowthepieOptions = {}): Source {
  const reader = createGrowthepieReader(options);
  const readOnce = createReadOnce();

  const readChain = (chain: Chain, update: Update, signal: AbortSignal): Promise<ChainDays> =>
    readOnce(chain, async () => {
      const read: ReadExport[] = [];
      const silent: SourceError[] = [];
      for (const wanted of exportsOf(chain)) {
        const found = await reader.readExport(wanted, signal).catch(ifUnavailable); // one by one, for politeness
        if (found instanceof SourceError) silent.push(found);
        else if (found !== undefined) read.push(found);
      }
      const [failure] = silent;
      if (failure !== undefined && read.length === 0) throw failure;
      return { days: toDays(chain, read, update), failures: silent.map(({ message }) => message) };
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
      const { days, failures } = hasEnded(date, update.instant)
        ? await readChain(chain, update, signal)
        : NO_DAYS;
      const day = days.get(date);
      if (failures.length > 0) return { ...(day ?? emptyDay(chain, date, update)), failures };
      if (day !== undefined) return day;
      throw new SourceError('not-yet', `growthepie: expected values of ${chain} on ${date}, got none.`);
    },
    probe: createGrowthepieProbe(reader, exportsOf),
  };
}

const NO_DAYS: ChainDays = { days: new Map(), failures: [] };

/** Returns an error that says that there was no answer. @throws every other one */
function ifUnavailable(error: unknown): SourceError {
  if (error instanceof SourceError && error.code === 'unavailable') return error;
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
