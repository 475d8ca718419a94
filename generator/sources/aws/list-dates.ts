import type { DayReading } from './day-reading.js';
import { findIncomplete, groupByDate, keysOf, type RawObject } from './raw-objects.js';
import type { RawChain, RawTable } from './raw-tables.js';

/** The objects of a date. */
export type DateListing = {
  readonly tables: TableObjects;
  /** Why the date is not complete. */
  readonly incomplete?: string;
};

export type TableObjects = readonly (readonly [table: RawTable, objects: readonly RawObject[]])[];

/** Lists the dates of a span that have objects in any table: one request for each table and 1,000 objects. */
export async function listDates(
  { tables }: RawChain,
  span: { readonly first: string; readonly last: string },
  { bucket, namePrefix }: Pick<DayReading, 'bucket' | 'namePrefix'>,
): Promise<ReadonlyMap<string, DateListing>> {
  const listed = await Promise.all(
    tables.map(async (table) => {
      const { prefix } = table;
      const objects = await bucket.list(...keysOf(prefix, span));
      return [table, groupByDate(prefix, objects)] as const;
    }),
  );
  const dates = new Set(listed.flatMap(([, byDate]) => [...byDate.keys()]));
  return new Map(
    [...dates].map((date) => {
      const own = listed.map(([table, byDate]) => [table, byDate.get(date) ?? []] as const);
      return [date, toListing(own, namePrefix)];
    }),
  );
}

function toListing(tables: TableObjects, namePrefix: string): DateListing {
  for (const [{ prefix }, objects] of tables) {
    const found = findIncomplete(prefix, objects, namePrefix);
    if (found !== undefined) return { tables, incomplete: `${found} in ${prefix}` };
  }
  return { tables };
}
