import { addDays, toInstant } from '../../../schemas/dates.js';
import { SourceError, type Probe } from '../source.js';
import type { DayReading } from './day-reading.js';
import { listDates, type DateListing } from './list-dates.js';
import { copyFooters, withFolder, type PartialCopy } from './partial-copies.js';
import type { ColumnType, RawChain, RawTable } from './raw-tables.js';

/** Greatest age of the newest complete date. */
const PROBED_DAYS = 30;

/** Compares the files of the newest complete date with what the query expects, column by column. @throws SourceError */
export async function probeChain(
  raw: RawChain,
  reading: DayReading,
  nowMs: number,
): Promise<readonly Probe[]> {
  const { source, engine, cacheFolder } = reading;
  if (engine.ownTables) {
    const remedy = 'Use the engine duckdb for this check.';
    throw new SourceError('unavailable', `${source}: ${engine.name} cannot read the files. ${remedy}`);
  }
  const today = toInstant(nowMs).slice(0, 10);
  const span = { first: addDays(today, -PROBED_DAYS), last: today };
  const dates = await listDates(raw, span, reading);
  const complete = [...dates].filter(([, listing]) => listing.incomplete === undefined);
  const newest = complete
    .map(([date]) => date)
    .sort()
    .at(-1);
  const listing = newest === undefined ? undefined : dates.get(newest);
  if (listing === undefined) return [probeDates(dates, span.first)];
  const objects = listing.tables.flatMap(([, own]) => own);
  const copies = await withFolder(cacheFolder, (folder) => copyFooters(objects, folder, reading));
  return [
    { item: 'newest complete date', expected: `since ${span.first}`, found: newest ?? '', agrees: true },
    ...listing.tables.flatMap(([table, own]) =>
      probeTable(
        table,
        copies.filter(({ object }) => own.includes(object)),
      ),
    ),
  ];
}

function probeDates(dates: ReadonlyMap<string, DateListing>, since: string): Probe {
  const [newest, listing] = [...dates].sort(([a], [b]) => (a < b ? -1 : 1)).at(-1) ?? [];
  const found = newest === undefined ? 'no objects' : `${newest} with ${listing?.incomplete ?? ''}`;
  return { item: 'newest complete date', expected: `since ${since}`, found, agrees: false };
}

function probeTable({ prefix, columns }: RawTable, copies: readonly PartialCopy[]): Probe[] {
  const table = prefix.split('/').slice(-3, -1).join('/');
  return Object.entries(columns).map(([column, expected]) => {
    const types = copies.map((copy) => copy.columns.get(column)?.type);
    const found = [...new Set(types)].map((type) => shorten(type ?? 'no such column')).join(' and ');
    const agrees = types.length > 0 && types.every((type) => type !== undefined && isOfType(type, expected));
    return { item: `column ${column} of ${table}`, expected: describeType(expected), found, agrees };
  });
}

function isOfType(type: string, expected: ColumnType): boolean {
  return expected === 'ADDRESSES'
    ? /^STRUCT\((.*, )?"?address"? VARCHAR\b.*\)\[\]$/i.test(type)
    : type === expected;
}

function describeType(expected: ColumnType): string {
  return expected === 'ADDRESSES' ? 'STRUCT(address VARCHAR, ...)[]' : expected;
}

function shorten(type: string): string {
  return type.length > 100 ? `${type.slice(0, 100)}...` : type;
}
