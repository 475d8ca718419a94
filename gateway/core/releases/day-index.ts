import { toDayNumber } from '../../../schemas/dates.js';
import type { Manifest, ManifestDate, SupersededDay } from '../../../schemas/types.generated.js';

/**
 * The dates of a manifest in columns: compact, and cheap for the garbage collector.
 * Shapes: `days` has one ascending number per date, and `firstVersion` one element more. The versions of date i start
 * at `firstVersion[i]` and end before `firstVersion[i + 1]`, in the order in which they came into force.
 */
export type DayIndex = {
  readonly updatedThrough: string;
  /** All revisions that a version names, sorted. */
  readonly revisions: readonly string[];
  readonly days: Int32Array;
  readonly firstVersion: Uint32Array;
  /** 32 bytes per version. */
  readonly digests: Uint8Array;
  readonly sizes: Uint32Array;
  /** Per version, the index in `revisions` of the revision that published its bytes. */
  readonly revision: Uint32Array;
  /** Per version, the index in `revisions` of the revision from which it is in force. */
  readonly inForceFrom: Uint32Array;
  /** Per version, 1 if it withdraws the date. */
  readonly withdrawn: Uint8Array;
};

/** What a date and its earlier versions have in common. */
type Version = Pick<
  ManifestDate | SupersededDay,
  'sha256' | 'bytes' | 'revision' | 'in_force_from' | 'status'
>;

/** A date as of a revision. */
export type DayVersion =
  | {
      readonly kind: 'published';
      readonly sha256: string;
      readonly bytes: number;
      readonly revision: string;
    }
  | { readonly kind: 'withdrawn' };

/** Returns the columns of a manifest. Makes no objects for its dates, so that a long history is indexed in a few milliseconds. */
export function indexManifest({ dates, updated_through: updatedThrough }: Manifest): DayIndex {
  const named = new Set<string>();
  let count = dates.length;
  for (const entry of dates) {
    named.add(entry.revision).add(entry.in_force_from);
    for (const old of entry.superseded) named.add(old.revision).add(old.in_force_from);
    count += entry.superseded.length;
  }
  const revisions = [...named].sort();
  const numberOf = new Map(revisions.map((revision, i) => [revision, i]));
  const digests = Buffer.alloc(count * 32);
  const index: DayIndex = {
    updatedThrough,
    revisions,
    days: new Int32Array(dates.length),
    firstVersion: new Uint32Array(dates.length + 1),
    digests,
    sizes: new Uint32Array(count),
    revision: new Uint32Array(count),
    inForceFrom: new Uint32Array(count),
    withdrawn: new Uint8Array(count),
  };
  let next = 0;
  const add = ({ sha256, bytes, revision, in_force_from, status }: Version): void => {
    digests.write(sha256, next * 32, 'hex');
    index.sizes[next] = bytes;
    index.revision[next] = numberOf.get(revision) ?? 0;
    index.inForceFrom[next] = numberOf.get(in_force_from) ?? 0;
    index.withdrawn[next] = status === 'withdrawn' ? 1 : 0;
    next += 1;
  };
  dates.forEach((entry, i) => {
    index.days[i] = toDayNumber(entry.date);
    entry.superseded.forEach(add);
    add(entry);
    index.firstVersion[i + 1] = next;
  });
  return index;
}

/**
 * Returns a date as of a revision, or its current version if `asOf` is null; `undefined` if it was not published then.
 * Precondition: `date` is a valid date.
 */
export function findVersion(index: DayIndex, date: string, asOf: string | null): DayVersion | undefined {
  const at = indexOfDay(index.days, toDayNumber(date));
  if (at === undefined) return undefined;
  const first = index.firstVersion[at] ?? 0;
  let version = (index.firstVersion[at + 1] ?? 0) - 1;
  if (asOf !== null)
    while (version >= first && revisionAt(index, index.inForceFrom, version) > asOf) version -= 1;
  return version < first ? undefined : toVersion(index, version);
}

/** Returns the index of a day number in an ascending list; `undefined` if it is not in the list. */
function indexOfDay(days: Int32Array, day: number): number | undefined {
  let low = 0;
  let high = days.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = days[middle] ?? 0;
    if (found === day) return middle;
    if (found < day) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

function toVersion(index: DayIndex, version: number): DayVersion {
  if (index.withdrawn[version] === 1) return { kind: 'withdrawn' };
  const { digests } = index;
  return {
    kind: 'published',
    sha256: Buffer.from(digests.buffer, digests.byteOffset + version * 32, 32).toString('hex'),
    bytes: index.sizes[version] ?? 0,
    revision: revisionAt(index, index.revision, version),
  };
}

function revisionAt({ revisions }: DayIndex, column: Uint32Array, version: number): string {
  return revisions[column[version] ?? 0] ?? '';
}
