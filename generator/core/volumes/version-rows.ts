import { endOfDayMs, parseInstant, toDayNumber } from '../../../schemas/dates.js';
import type { Chain, ManifestDate, ManifestRevisions, MetaDay } from '../../../schemas/types.generated.js';
import type { DayRecord } from '../records/day-writers.js';
import type { VersionRow } from './column.js';

/** Values that are published later than this after their day were not known in time. */
const BACKFILLED_AFTER_MS = 7 * 86_400_000;

/** A date in a manifest and in the meta manifest, whose records have the status of the date. */
export type ListedDate = { readonly entry: ManifestDate; readonly metaEntry: ManifestDate };

/** What the rows of a date are made from. `records` are those of `recordsOf`, by digest. */
export type DateVersions = ListedDate & {
  readonly chain: Chain;
  readonly revisions: ManifestRevisions;
  readonly records: ReadonlyMap<string, DayRecord>;
};

/** A version of a date: its digest, and from when to when it is in force. `inForceUntil` is null for the last one. */
type Version = {
  readonly sha256: string;
  readonly revision: string;
  readonly inForceFrom: string;
  readonly inForceUntil: string | null;
  readonly isWithdrawn: boolean;
};

/** A record that rows are made from: its digest, and the entry that names it, of the genre itself or of genre meta. */
export type NeededRecord = {
  readonly of: 'own' | 'meta';
  readonly entry: ManifestDate;
  readonly sha256: string;
};

/** Returns the records that the rows of a date are made from. */
export function recordsOf({ entry, metaEntry }: ListedDate): NeededRecord[] {
  const own = versionsOf(entry).filter(({ isWithdrawn }) => !isWithdrawn);
  const former = versionsOf(metaEntry).filter((each) => !each.isWithdrawn && each.inForceUntil !== null);
  return [
    ...own.map(({ sha256 }) => ({ of: 'own' as const, entry, sha256 })),
    ...former.map(({ sha256 }) => ({ of: 'meta' as const, entry: metaEntry, sha256 })),
  ];
}

/** Returns the rows of a date, one for each version, the oldest first. */
export function toVersionRows(options: DateVersions): VersionRow[] {
  const { chain, entry, revisions, records } = options;
  return versionsOf(entry).map((version): VersionRow => {
    const { sha256, revision, inForceFrom, inForceUntil, isWithdrawn } = version;
    const record = isWithdrawn ? null : (records.get(sha256) ?? null);
    return {
      ...{ date: entry.date, chain, record, revision, inForceFrom, inForceUntil },
      status: isWithdrawn ? 'withdrawn' : statusOf(version, options),
      backfilled: isLate(entry.date, revisions[revision]?.published_at ?? ''),
      methodologyVersion: record?.methodology_version ?? entry.methodology_version,
    };
  });
}

function versionsOf(entry: ManifestDate): Version[] {
  const listed = [...entry.superseded, entry];
  return listed.map(({ sha256, revision, in_force_from: inForceFrom, status }, i) => ({
    ...{ sha256, revision, inForceFrom, isWithdrawn: status === 'withdrawn' },
    inForceUntil: listed[i + 1]?.in_force_from ?? null,
  }));
}

/** Returns the status that the date had when the version ended, or has now. */
function statusOf({ inForceUntil: end }: Version, { metaEntry, records }: DateVersions): string {
  const meta = versionsOf(metaEntry).findLast(({ inForceFrom }) => end === null || inForceFrom < end);
  if (meta === undefined || meta.inForceUntil === null) return metaEntry.status;
  return meta.isWithdrawn ? 'withdrawn' : (records.get(meta.sha256) as MetaDay).status; // the meta manifest names only these
}

function isLate(date: string, publishedAt: string): boolean {
  return (parseInstant(publishedAt) ?? 0) - endOfDayMs(toDayNumber(date)) > BACKFILLED_AFTER_MS;
}
