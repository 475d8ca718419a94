import { endOfDayMs, parseInstant, toDayNumber } from '../../../schemas/dates.js';
import type { Chain, ManifestDate, ManifestRevisions, MetaDay } from '../../../schemas/types.generated.js';
import type { DayRecord } from '../records/day-writers.js';
import type { VersionRow } from './column.js';

/** Values that are published later than this after their day were not known in time. */
const BACKFILLED_AFTER_MS = 7 * 86_400_000;

/** A date in a manifest and in the meta manifest, whose records have the status of the date. */
type ListedDate = { readonly entry: ManifestDate; readonly metaEntry: ManifestDate };

/** What the rows of a date are made from. `records` are those of `recordsOf`, by digest. */
type DateVersions = ListedDate & {
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

/** A part of a version: the time in which its date has one status. */
type Part = Pick<Version, 'inForceFrom' | 'inForceUntil'> & { readonly status: string };

/** A record that rows are made from: its digest, and the entry that names it, of the genre itself or of genre meta. */
type NeededRecord = {
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

/** Returns the rows of a date, one for each version and status, the oldest first. */
export function toVersionRows(options: DateVersions): VersionRow[] {
  const { chain, entry, revisions, records } = options;
  return versionsOf(entry).flatMap((version): VersionRow[] => {
    const { sha256, revision, isWithdrawn } = version;
    const record = isWithdrawn ? null : (records.get(sha256) ?? null);
    const row = {
      ...{ date: entry.date, chain, record, revision },
      backfilled: isLate(entry.date, revisions[revision]?.published_at ?? ''),
      methodologyVersion: record?.methodology_version ?? entry.methodology_version,
    };
    return partsOf(version, options).map((part) => ({ ...row, ...part }));
  });
}

function versionsOf(entry: ManifestDate): Version[] {
  const listed = [...entry.superseded, entry];
  return listed.map(({ sha256, revision, in_force_from: inForceFrom, status }, i) => ({
    ...{ sha256, revision, inForceFrom, isWithdrawn: status === 'withdrawn' },
    inForceUntil: listed[i + 1]?.in_force_from ?? null,
  }));
}

/** Splits a version where the status of its date changes: the meta record can change while the metrics stay. */
function partsOf(
  { inForceFrom: start, inForceUntil: end, isWithdrawn }: Version,
  date: DateVersions,
): Part[] {
  if (isWithdrawn) return [{ inForceFrom: start, inForceUntil: end, status: 'withdrawn' }];
  const parts: Part[] = [];
  for (const meta of versionsOf(date.metaEntry)) {
    const isOver = meta.inForceUntil !== null && meta.inForceUntil <= start;
    const isLater = end !== null && meta.inForceFrom >= end;
    if (isOver || isLater) continue;
    const status = statusOf(meta, date);
    const last = parts.at(-1);
    if (last?.status === status) continue;
    if (last !== undefined) parts[parts.length - 1] = { ...last, inForceUntil: meta.inForceFrom };
    parts.push({ inForceFrom: last === undefined ? start : meta.inForceFrom, inForceUntil: end, status });
  }
  return parts;
}

function statusOf(
  { sha256, inForceUntil, isWithdrawn }: Version,
  { metaEntry, records }: DateVersions,
): string {
  if (inForceUntil === null) return metaEntry.status;
  return isWithdrawn ? 'withdrawn' : (records.get(sha256) as MetaDay).status; // the meta manifest names only these
}

function isLate(date: string, publishedAt: string): boolean {
  return (parseInstant(publishedAt) ?? 0) - endOfDayMs(toDayNumber(date)) > BACKFILLED_AFTER_MS;
}
