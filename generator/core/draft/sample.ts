/**
 * The sample: a week of one chain that anybody may download, in a file of each kind that subscribers read. The writers of
 * those files write it, so that a program for the sample reads them too.
 */
import { GENRES, VOLUME_FORMATS, VOLUME_GENRES, type VolumeGenre } from '../../../schemas/catalog.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { subscriberTypeOf } from '../../../schemas/object-headers.js';
import { bundlePath, samplePath } from '../../../schemas/paths.js';
import type {
  Chain,
  Genre,
  Manifest,
  ManifestDate,
  ManifestRevisions,
  ManifestVolume,
  Methodology,
  SourceSegment,
} from '../../../schemas/types.generated.js';
import type { SchemaName } from '../../../schemas/validate.js';
import { type FileTemplate, JSON_TYPE } from '../artifacts/artifact.js';
import { bundleFiles } from '../artifacts/bundle.js';
import { manifestFile, revisionsOf } from '../artifacts/manifest.js';
import { type DateRange, sampleWeek } from '../artifacts/sample-week.js';
import { WEEK_DAYS } from '../artifacts/week.js';
import { type ChainVolumes, type LackingRecord, rowsWithin, within } from '../volumes/draft-volumes.js';
import { volumeContents } from '../volumes/volume-files.js';

/** Returns the week of the sample of a chain, by its meta dates. Those in force have no gaps. */
export function sampleWeekOf(entries: readonly ManifestDate[]): DateRange | undefined {
  const dates = entries.filter(isInForce).map(({ date }) => date);
  const [first, last] = [dates[0], dates.at(-1)];
  return first === undefined || last === undefined ? undefined : sampleWeek(first, last);
}

const isInForce = ({ status }: ManifestDate): boolean => status !== 'withdrawn';

/** Options for `draftSample`. */
type SampleOptions = {
  readonly chain: Chain;
  readonly sources: readonly SourceSegment[];
  readonly entries: { readonly [genre in Genre]: readonly ManifestDate[] };
  readonly revisions: ManifestRevisions;
  readonly volumes: ChainVolumes;
  /** Returns the text of the day file that an entry names. */
  readonly text: (entry: ManifestDate) => string;
  readonly methodology: Methodology;
  readonly record: Parameters<typeof rowsWithin>[1]['record'];
  /** The published manifests, if the days that they list and the published sample are known to be right. */
  readonly published?: Manifests | undefined;
};

type Manifests = { readonly [genre in Genre]: Manifest | undefined };

/** The sample of a chain: its files, or 'kept' if those that are published stay as they are. */
export type SampleDraft =
  'kept' | { readonly files: readonly FileTemplate[]; readonly lacking: readonly LackingRecord[] };

/** Drafts the sample of a chain. It has no files of a genre of which a date of the week is not in force. */
export function draftSample(options: SampleOptions): SampleDraft {
  const { entries, published } = options;
  const week = sampleWeekOf(entries.meta);
  if (published !== undefined && isUnchanged(week, options, published)) return 'kept';
  if (week === undefined) return { files: [], lacking: [] };
  const genres = GENRES.filter(
    (genre) => within(week, entries[genre]).filter(isInForce).length === WEEK_DAYS,
  );
  const volumes = VOLUME_GENRES.filter((genre) => genres.includes(genre)).map((genre) =>
    volumeSamples(week, genre, options),
  );
  return {
    files: [
      ...genres.flatMap((genre) => jsonSamples(week, genre, options)),
      ...volumes.flatMap(({ files }) => files),
    ],
    lacking: volumes.flatMap(({ lacking }) => lacking),
  };
}

/** Returns whether the published manifests have the same week, with the same dates, volumes and sources. */
function isUnchanged(week: DateRange | undefined, options: SampleOptions, published: Manifests): boolean {
  const before = sampleWeekOf(published.meta?.dates ?? []);
  if (week === undefined || before?.last !== week.last) return week === before;
  const now = GENRES.map((genre) => [
    within(week, options.entries[genre]),
    volumesOf(week, genre, options) ?? [],
  ]);
  const then = GENRES.map((genre) => [
    within(week, published[genre]?.dates ?? []),
    (published[genre]?.volumes ?? []).filter((volume) => overlaps(week, volume)),
  ]);
  return canonicalJson([now, options.sources]) === canonicalJson([then, published.gold?.sources ?? []]);
}

/** Returns the volumes with dates of the week; `undefined` for a genre that has none. */
function volumesOf(week: DateRange, genre: Genre, { volumes }: SampleOptions): ManifestVolume[] | undefined {
  return genre === 'briefs' ? undefined : volumes[genre].listed.filter((volume) => overlaps(week, volume));
}

function overlaps(week: DateRange, { first_date: first, last_date: last }: ManifestVolume): boolean {
  return first <= week.last && week.first <= last;
}

/** Returns the bundle of the week, the record of its last day, and the manifest of its days. */
function jsonSamples(week: DateRange, genre: Genre, options: SampleOptions): FileTemplate[] {
  const { chain, sources, text, methodology } = options;
  const entries = within(week, options.entries[genre]);
  const shared = {
    chain,
    genre,
    entries,
    updatedThrough: week.last,
    methodologyVersion: methodology.version,
  };
  const bundle = bundleFiles({ ...shared, text }).filter(
    ({ path }) => path === bundlePath(genre, chain, '7d'),
  );
  const day = entries.slice(-1).map((entry): FileTemplate => ({
    path: samplePath(genre, 'day.json'),
    type: JSON_TYPE,
    content: () => ({
      schema: entry.schema.split('/')[0] as SchemaName, // a schema id is `<name>/<version>`
      value: JSON.parse(text(entry)),
      text: text(entry),
    }),
  }));
  const manifest = manifestFile({
    ...shared,
    path: samplePath(genre, 'manifest.json'),
    revisions: revisionsOf(entries, options.revisions),
    sources,
    volumes: volumesOf(week, genre, options),
  });
  return [...bundle.map((file) => ({ ...file, path: samplePath(genre, 'bundle.json') })), ...day, manifest];
}

/** Returns the rows of the week as a volume of its year has them, in each format. */
function volumeSamples(
  week: DateRange,
  genre: VolumeGenre,
  { chain, methodology, entries, revisions, record }: SampleOptions,
): { readonly files: readonly FileTemplate[]; readonly lacking: readonly LackingRecord[] } {
  const own = { chain, genre, entries: entries[genre], metaEntries: entries.meta, revisions, record };
  const made = rowsWithin(week, own);
  if ('lacking' in made) return { files: [], lacking: made.lacking };
  const period = { ...week, id: week.last.slice(0, 4) };
  const contents = volumeContents({ genre, chain, period, rows: made.rows, methodology });
  const files = VOLUME_FORMATS.map((format): FileTemplate => {
    const path = samplePath(genre, `volume.${format}`);
    return { path, type: subscriberTypeOf(path), content: () => contents[format] };
  });
  return { files, lacking: [] };
}
