import { canonicalJson } from '../../../../schemas/canonical-json.js';
import type { Chain, LedgerLine, MetricName } from '../../../../schemas/types.generated.js';
import { assertValid } from '../../../../schemas/validate.js';
import type { DatedValues } from '../values/day-values.js';

/** A date of a ledger: its values in force, and the source of each. */
export type LedgerDate = DatedValues & { readonly sources: { readonly [metric in MetricName]?: string } };

/** An accepted value that a later line changed. The file `changes` of a collection lists them. */
type RecordedChange = {
  readonly chain: Chain;
  readonly date: string;
  readonly metric: MetricName;
  /** The value before; null if it was missing. */
  readonly from: string | null;
  readonly to: string;
  readonly reason: string;
};

/** Writes lines as the text of a ledger: one canonical JSON document per line. */
export function formatLedger(lines: readonly LedgerLine[]): string {
  return lines.map((line) => `${canonicalJson(assertValid('ledger-line', line))}\n`).join('');
}

/**
 * Parses the text of a ledger.
 * @throws SchemaError for a line that is not a document of a ledger; SyntaxError for a line that is not JSON.
 */
export function parseLedger(text: string): LedgerLine[] {
  if (text === '') return [];
  if (!text.endsWith('\n')) throw new SyntaxError('the last line has no line end');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => assertValid('ledger-line', JSON.parse(line)));
}

/** Returns the dates of a ledger, ascending, with the values that its lines leave in force. */
export function datesOf(lines: readonly LedgerLine[]): LedgerDate[] {
  const dates = new Map<string, { values: Record<string, string>; sources: Record<string, string> }>();
  for (const { date, values, source } of lines) {
    const known = dates.get(date) ?? { values: {}, sources: {} };
    Object.assign(known.values, values);
    for (const metric of Object.keys(values)) known.sources[metric] = source;
    dates.set(date, known);
  }
  return [...dates]
    .map(([date, { values, sources }]) => ({ date, values, sources }))
    .sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** Returns the changes of accepted values, in the order in which they were recorded. */
export function changesOf(lines: readonly LedgerLine[]): RecordedChange[] {
  const known = new Map<string, Record<string, string>>();
  return lines.flatMap(({ chain, date, values, reason }) => {
    const before = known.get(date);
    known.set(date, { ...before, ...values });
    if (before === undefined) return [];
    return Object.entries(values)
      .filter(([metric, to]) => before[metric] !== to)
      .map(([metric, to]): RecordedChange => ({
        ...{ chain, date, to },
        metric: metric as MetricName, // the schema allows only metrics
        from: before[metric] ?? null,
        reason: reason ?? 'source completed the date',
      }));
  });
}
