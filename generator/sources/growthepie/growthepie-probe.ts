import { addDays } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { isJsonNumber } from '../../core/collection/values/json-digits.js';
import { probeMagnitude, probeReading } from '../probe-lines.js';
import { createReadOnce } from '../read-once.js';
import { describeValue } from '../shape-error.js';
import { SourceError, type Probe, type Source } from '../source.js';
import { parseExport } from './export-rows.js';
import type { GrowthepieExport } from './growthepie-exports.js';
import type { GrowthepieReader } from './growthepie-reader.js';

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
export function createGrowthepieProbe(
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
