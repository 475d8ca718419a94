import { canonicalJson } from '../../../schemas/canonical-json.js';
import type { VolumeGenre } from '../../../schemas/catalog.js';
import type {
  Chain,
  Manifest,
  ManifestDate,
  ManifestRevisions,
  ManifestVolume,
  Methodology,
  SourceSegment,
} from '../../../schemas/types.generated.js';
import type { Artifact, RenderedFile } from '../artifacts/artifact.js';
import type { DayRecord } from '../records/day-writers.js';
import type { Steps } from '../steps.js';
import { closedPeriods, type Period } from './periods.js';
import { recordsOf, toVersionRows } from './version-rows.js';
import { volumeFiles, volumeSchema } from './volume-files.js';

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
export type VolumeOptions = {
  readonly chain: Chain;
  readonly genre: VolumeGenre;
  readonly methodology: Methodology;
  readonly sources: readonly SourceSegment[];
  readonly updatedThrough: string;
  /** Every listed date of the genre and of genre meta, ascending. */
  readonly entries: readonly ManifestDate[];
  readonly metaEntries: readonly ManifestDate[];
  readonly revisions: ManifestRevisions;
  /** Set to pack again what did not change, because the code may write other bytes. */
  readonly repack?: boolean | undefined;
  /** The published manifests of the genre and of genre meta. */
  readonly published: { readonly own: Manifest | undefined; readonly meta: Manifest | undefined };
  /** Returns a version of the entry's date, or `undefined` if it is not known. */
  readonly record: (entry: ManifestDate, sha256: string) => DayRecord | undefined;
  /** Receives each file of a new volume at once. */
  readonly handOver?: ((file: RenderedFile) => void) | undefined;
};

/** Drafts the volumes of the closed periods. One whose dates did not change stays as it is published, without `repack`. */
export function* draftVolumes(options: VolumeOptions): Steps<VolumeDraft> {
  const { entries, updatedThrough, sources } = options;
  const first = entries[0]?.date;
  if (first === undefined) return { listed: [], files: [], lacking: [] };
  const settling = sources.at(-1)?.schedule?.settling_days;
  const listed: ManifestVolume[] = [];
  const files: Artifact[] = [];
  const lacking: LackingRecord[] = [];
  for (const period of closedPeriods(first, updatedThrough, settling)) {
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

function makeVolume(
  period: Period,
  options: VolumeOptions,
): ReturnType<typeof volumeFiles> | { readonly lacking: readonly LackingRecord[] } {
  const { chain, genre, methodology, revisions } = options;
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
  const rows = dates.flatMap((date) => toVersionRows({ ...date, chain, revisions, records }));
  return volumeFiles({ genre, chain, period, rows, methodology });
}

function within({ first, last }: Period, entries: readonly ManifestDate[]): ManifestDate[] {
  return entries.filter(({ date }) => first <= date && date <= last);
}
