import { toDayNumber } from '../../../schemas/dates.js';
import type { Manifest } from '../../../schemas/types.generated.js';

/**
 * The dates of a manifest in columns: compact, fast to pass between threads, and cheap for the garbage collector.
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

/** A date as of a revision. */
export type DayVersion =
  | {
      readonly kind: 'published';
      readonly sha256: string;
      readonly bytes: number;
      readonly revision: string;
    }
  | { readonly kind: 'withdrawn' };

/** Returns the columns of a manifest. */
export function indexManifest({ dates, updated_through: updatedThrough }: Manifest): DayIndex {
  const versions = dates.flatMap((entry) => [...entry.superseded, entry]);
  const named = new Set(versions.flatMap((each) => [each.revision, each.in_force_from]));
  const revisions = [...named].sort();
  const numberOf = new Map(revisions.map((revision, i) => [revision, i]));
  const index: DayIndex = {
    updatedThrough,
    revisions,
    days: Int32Array.from(dates, ({ date }) => toDayNumber(date)),
    firstVersion: new Uint32Array(dates.length + 1),
    digests: new Uint8Array(versions.length * 32),
    sizes: Uint32Array.from(versions, ({ bytes }) => bytes),
    revision: Uint32Array.from(versions, (each) => numberOf.get(each.revision) ?? 0),
    inForceFrom: Uint32Array.from(versions, (each) => numberOf.get(each.in_force_from) ?? 0),
    withdrawn: Uint8Array.from(versions, ({ status }) => (status === 'withdrawn' ? 1 : 0)),
  };
  versions.forEach(({ sha256 }, i) => index.digests.set(Buffer.from(sha256, 'hex'), i * 32));
  dates.forEach(({ superseded }, i) => {
    index.firstVersion[i + 1] = (index.firstVersion[i] ?? 0) + superseded.length + 1;
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
