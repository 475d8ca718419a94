import { canonicalJson } from '../../../schemas/canonical-json.js';
import { parseDate } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';

/** An object of the bucket, as a listing names it. */
export type RawObject = {
  readonly key: string;
  readonly uri: string;
  readonly etag: string;
  readonly bytes: number;
  readonly lastModified: string;
};

/** Names of objects without data: Spark's sign that a folder is complete, and the folder itself. */
const NO_DATA = ['_SUCCESS', ''];

/** Returns the beginning of the keys of a span's dates, and the keys before and after all of them. */
export function keysOf(
  prefix: string,
  { first, last }: { readonly first: string; readonly last: string },
): [beginning: string, between: { after: string; before: string }] {
  let common = 0;
  while (common < first.length && first[common] === last[common]) common += 1;
  const before = `${prefix}date=${last}0`; // 0 is the character after the slash
  return [`${prefix}date=${first.slice(0, common)}`, { after: `${prefix}date=${first}`, before }];
}

/** Returns the objects of each date, by the folders of the dates. Objects elsewhere are ignored. */
export function groupByDate(prefix: string, objects: readonly RawObject[]): Map<string, RawObject[]> {
  const dates = new Map<string, RawObject[]>();
  for (const object of objects) {
    const [, date = ''] = /^date=(\d{4}-\d\d-\d\d)\//.exec(object.key.slice(prefix.length)) ?? [];
    if (!object.key.startsWith(prefix) || parseDate(date) === undefined) continue;
    if (NO_DATA.includes(nameOf(prefix, object))) continue;
    dates.set(date, [...(dates.get(date) ?? []), object]);
  }
  return dates;
}

/**
 * Returns why the objects of a table on a date are not complete, or `undefined` if they are: the names of complete files
 * begin with `namePrefix`. Other names are those of files within the day, which are replaced after its end. While they
 * are replaced, both are there, and every row twice.
 */
export function findIncomplete(
  prefix: string,
  objects: readonly RawObject[],
  namePrefix: string,
): string | undefined {
  if (objects.length === 0) return 'no objects';
  const isComplete = (object: RawObject): boolean => {
    const name = nameOf(prefix, object);
    return name.startsWith(namePrefix) && name.endsWith('.parquet') && !name.includes('/');
  };
  const other = objects.find((object) => !isComplete(object));
  return other === undefined ? undefined : `${other.uri} among ${objects.length} objects`;
}

/** Returns the mark of a date: it changes with every object of the date. */
export function markOf(objects: readonly RawObject[]): string {
  const listed = objects.map(({ key, etag, bytes }) => [key, etag, bytes] as const);
  return sha256Hex(canonicalJson(listed.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

function nameOf(prefix: string, { key }: RawObject): string {
  return key.slice(prefix.length + 'date=YYYY-MM-DD/'.length);
}
