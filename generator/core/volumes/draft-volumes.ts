import { canonicalJson } from '../../../schemas/canonical-json.js';
import { VOLUME_GENRES, type VolumeGenre } from '../../../schemas/catalog.js';
import type {
  Chain,
  Manifest,
  ManifestDate,
  ManifestRevisions,
  ManifestVolume,
  MetaDay,
  Methodology,
  SourceSegment,
} from '../../../schemas/types.generated.js';
import type { Artifact, RenderedFile } from '../artifacts/artifact.js';
import type { DayRecord } from '../records/day-writers.js';
import type { DateRange } from '../artifacts/sample-week.js';
import type { Steps } from '../steps.js';
import { closedPeriods, type Period, volumeFiles, type VolumeForm, volumeSchema } from './volume-files.js';
import { addDays, endOfDayMs, parseInstant, toDayNumber } from '../../../schemas/dates.js';
import type { VersionRow } from './columns.js';

/** A published record that a draft needs. */
export type LackingRecord = { readonly genre: VolumeGenre; readonly sha256: string };

/** The next volumes of a genre of a chain. */
export type VolumeDraft = {
  /** All of them, ascending, as the manifest lists them. */
  readonly listed: readonly ManifestVolume[];
  /** The files of those that differ from the published ones. */
  readonly files: readonly Artifact[];
  /** The records that are needed and not known. Their volumes are missing from the draft. */
  readonly lacking: readonly LackingRecord[];
};

/** Options for `draftVolumes`. */
type VolumeOptions = {
  readonly chain: Chain;
  readonly genre: VolumeGenre;
  readonly methodology: Methodology;
  readonly sources: readonly SourceSegment[];
  readonly updatedThrough: string;
  /** Revision of the publication. */
  readonly revision: string;
  /** Every listed date of the genre and of genre meta, ascending. */
  readonly entries: readonly ManifestDate[];
  readonly metaEntries: readonly ManifestDate[];
  readonly revisions: ManifestRevisions;
  /** Set to pack again what did not change, because the code may write other bytes. */
  readonly repack?: boolean | undefined;
  /** Set to pack as an earlier build did. */
  readonly form?: VolumeForm | undefined;
  /** The published manifests of the genre and of genre meta. */
  readonly published: { readonly own: Manifest | undefined; readonly meta: Manifest | undefined };
  /** Returns a version of the entry's date, or `undefined` if it is not known. */
  readonly record: (entry: ManifestDate, sha256: string) => DayRecord | undefined;
  /** Receives each file of a new volume at once. */
  readonly handOver?: ((file: RenderedFile) => void) | undefined;
};

/** Drafts the volumes of the closed periods. One whose dates did not change stays as it is published, without `repack`. */
function* draftVolumes(options: VolumeOptions): Steps<VolumeDraft> {
  const { entries, updatedThrough: through, sources, form } = options;
  // Earlier builds counted the days from the last date, so that the last period of a source that has ended stayed open.
  const revision = form === 1 ? addDays(through, 1) : options.revision;
  const first = entries[0]?.date;
  if (first === undefined) return { listed: [], files: [], lacking: [] };
  const settlingDays = settlingDaysOf(sources);
  const closed = options.published.own?.volumes?.map(({ period }) => period) ?? [];
  const listed: ManifestVolume[] = [];
  const files: Artifact[] = [];
  const lacking: LackingRecord[] = [];
  for (const period of closedPeriods({ first, through, settlingDays, revision, closed })) {
    const kept = findKept(period, options);
    yield;
    if (kept !== undefined) {
      listed.push(kept);
      continue;
    }
    const made = makeVolume(period, options);
    if ('lacking' in made) lacking.push(...made.lacking);
    else {
      listed.push(made.listed);
      files.push(...made.files);
      for (const artifact of made.files) options.handOver?.({ artifact, content: artifact.content() });
    }
  }
  return { listed, files, lacking };
}

/** Returns how many days the newest source settles a date; `undefined` if it does not say. */
export function settlingDaysOf(sources: readonly SourceSegment[]): number | undefined {
  return sources.at(-1)?.schedule?.settling_days;
}

/** Returns the published volume of a period if its dates are as they were. */
function findKept(period: Period, options: VolumeOptions): ManifestVolume | undefined {
  const { genre, entries, metaEntries, published } = options;
  const volume = published.own?.volumes?.find(
    ({ period: id, schema }) => id === period.id && schema === volumeSchema(genre),
  );
  if (volume === undefined || options.repack) return undefined;
  const isSame = (now: readonly ManifestDate[], before: readonly ManifestDate[] = []): boolean =>
    isSameList(within(period, now), within(period, before));
  return isSame(entries, published.own?.dates) && isSame(metaEntries, published.meta?.dates)
    ? volume
    : undefined;
}

function isSameList(now: readonly ManifestDate[], before: readonly ManifestDate[]): boolean {
  return (
    now.length === before.length &&
    now.every((entry, i) => entry === before[i] || canonicalJson(entry) === canonicalJson(before[i]))
  );
}

/** The records that are needed and not known. */
type Lacking = { readonly lacking: readonly LackingRecord[] };

function makeVolume(period: Period, options: VolumeOptions): ReturnType<typeof volumeFiles> | Lacking {
  const { chain, genre, methodology, form } = options;
  const made = rowsWithin(period, options);
  return 'lacking' in made ? made : volumeFiles({ genre, chain, period, rows: made.rows, methodology, form });
}

/** Returns the rows of the dates of a period, as a volume has them. */
export function rowsWithin(
  period: DateRange,
  options: Pick<VolumeOptions, 'chain' | 'genre' | 'entries' | 'metaEntries' | 'revisions' | 'record'>,
): { readonly rows: readonly VersionRow[] } | Lacking {
  const { chain, genre, revisions } = options;
  const metaEntries = new Map(options.metaEntries.map((entry) => [entry.date, entry]));
  const dates = within(period, options.entries).map((entry) => ({
    entry,
    metaEntry: metaEntries.get(entry.date) ?? entry,
  }));
  const records = new Map<string, DayRecord>();
  const lacking: LackingRecord[] = [];
  for (const date of dates) {
    for (const { of, entry, sha256 } of recordsOf(date)) {
      const record = options.record(entry, sha256);
      if (record === undefined) lacking.push({ genre: of === 'meta' ? 'meta' : genre, sha256 });
      else records.set(sha256, record);
    }
  }
  if (lacking.length > 0) return { lacking };
  return { rows: dates.flatMap((date) => toVersionRows({ ...date, chain, revisions, records })) };
}

/** Returns the entries of the dates of a part of a history. */
export function within({ first, last }: DateRange, entries: readonly ManifestDate[]): ManifestDate[] {
  return entries.filter(({ date }) => first <= date && date <= last);
}

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
      date: entry.date,
      chain,
      record,
      revision,
      backfilled: isLate(entry.date, revisions[revision]?.published_at ?? ''),
      methodologyVersion: record?.methodology_version ?? entry.methodology_version,
    };
    return partsOf(version, options).map((part) => ({ ...row, ...part }));
  });
}

function versionsOf(entry: ManifestDate): Version[] {
  const listed = [...entry.superseded, entry];
  return listed.map(({ sha256, revision, in_force_from: inForceFrom, status }, i) => ({
    sha256,
    revision,
    inForceFrom,
    isWithdrawn: status === 'withdrawn',
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

/** The next volumes of a chain. */
export type ChainVolumes = { readonly [genre in VolumeGenre]: VolumeDraft };

/** Options for `draftChainVolumes`. */
type ChainVolumeOptions = Omit<VolumeOptions, 'genre' | 'entries' | 'metaEntries' | 'published'> & {
  readonly entries: { readonly [genre in VolumeGenre]: readonly ManifestDate[] };
  /** The published manifests; absent for a chain that was not published before. */
  readonly published?: { readonly [genre in VolumeGenre]: Manifest | undefined } | undefined;
};

/** Drafts the volumes of a chain from the next entries of its genres. */
export function* draftChainVolumes({
  entries,
  published,
  ...shared
}: ChainVolumeOptions): Steps<ChainVolumes> {
  const volumes: [VolumeGenre, VolumeDraft][] = [];
  for (const genre of VOLUME_GENRES) {
    const own = { genre, entries: entries[genre], metaEntries: entries.meta };
    const before = { own: published?.[genre], meta: published?.meta };
    volumes.push([genre, yield* draftVolumes({ ...shared, ...own, published: before })]);
  }
  return Object.fromEntries(volumes) as ChainVolumes; // one of each
}
