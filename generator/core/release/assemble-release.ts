import { byChain, CHAIN_IDS, VOLUME_GENRES } from '../../../schemas/catalog.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { PAGE_PATHS, PUBLIC_PATHS } from '../../../schemas/paths.js';
import { weeklyArchivesIn } from '../../../schemas/release-paths.js';
import { withoutSiteFiles } from '../../../schemas/site-files.js';
import type {
  Chain,
  ChainChanges,
  FileEntry,
  PublicEntry,
  RecordChain,
  ReleaseChanges,
  ReleaseRecord,
  SourceChange,
  SourceSegment,
} from '../../../schemas/types.generated.js';
import {
  type Artifact,
  type FileTemplate,
  JSON_TYPE,
  jsonContent,
  type ReleaseStamp,
  toArtifact,
} from '../artifacts/artifact.js';
import { type ChainFacts, publishedFacts, toChainFacts } from '../artifacts/chain-facts.js';
import { toDateSpan } from '../artifacts/date-span.js';
import { overviewChartFile } from '../charts/chart-files.js';
import { crawlerFiles, releasePages } from '../pages/release-pages.js';
import { chainsPage, frontPage } from '../pages/front-page.js';
import { pricingPage } from '../pages/pricing-page.js';
import { datasetFiles } from '../draft/dataset-files.js';
import { publishedSample } from '../artifacts/sample-week.js';
import { type ReferenceTexts, type SettledSite, settleSite } from '../draft/site.js';
import {
  changesFile,
  keptChanges,
  landingFile,
  releaseFile,
  statusFile,
} from '../artifacts/release-files.js';
import { absentPaths, chainFiles, type ChainState, type Section } from '../draft/chain-state.js';
import { type LineageDraft } from '../draft/lineages.js';
import { type Held, NOTHING_HELD, reasonOfHeldChange, toHeldChange } from './held.js';
import { manifestOf, type PlannedRelease, type PublishedState } from './plan-types.js';
import { type SettledFile, settleFile, settleVolumes, stampOf } from '../draft/settle-file.js';
import { settleEvents, settleStale } from './settle-events.js';
import { renewedSamplePaths, settleSample } from './settle-sample.js';
import { listedFiles } from '../volumes/volume-files.js';

/** A chain whose published state changes. `record` is absent when no date of it is in force any more. */
export type ChangedChain = {
  readonly state: ChainState;
  /** The day files that the store may lack. */
  readonly days: readonly Artifact[];
  readonly record: RecordChain | undefined;
};

/** Options for `assembleRelease`. */
export type AssemblyOptions = {
  readonly previous: PublishedState | undefined;
  readonly texts: ReferenceTexts;
  /** The texts of chains whose files are made for another site. */
  readonly chainTexts?: ReadonlyMap<Chain, ReferenceTexts>;
  readonly methodologySha256: string;
  readonly stamp: ReleaseStamp;
  readonly changed: readonly ChangedChain[];
  /** The lineages of collected chains. */
  readonly lineages?: readonly LineageDraft[];
  readonly held: Held;
  /** The public reason when published days change. */
  readonly reason: string | null;
  /** The target revision of a rollback. */
  readonly rollback: string | null;
  /** Set to render the site even if its digests show that it is unchanged. */
  readonly full?: boolean | undefined;
};

type Settled = { readonly [section in Section]: SettledFile[] };

/** Assembles a release; `undefined` when nothing differs from the current one. */
export function assembleRelease(options: AssemblyOptions): PlannedRelease | undefined {
  const { previous, texts, stamp, changed, held } = options;
  const record = previous?.record;
  const settled: Settled = { public: [], bundles: [], manifests: [] };
  for (const { state } of changed) settleChain(state, options, settled);
  for (const { file } of options.lineages ?? []) settled.manifests.push(settleFile(file, record, stamp));
  const sample = settleSample(options);
  settled.public.push(...sample.files);
  const site = settleSite(texts, previous, stamp, options.full ?? false);
  settled.public.push(...site.changed);

  const releaseOptions = { facts: factsOf(options), ...held, methodologyVersion: texts.methodology.version };
  settled.public.push(settleFile(overviewChartFile(releaseOptions.facts), record, stamp));
  const pages = [frontPage(texts.site, releaseOptions), chainsPage(texts.site, releaseOptions.facts)];
  for (const file of [...pages, ...crawlerFiles(texts.site, releaseOptions)]) {
    settled.public.push(settleFile(file, record, stamp));
  }
  const entries = entriesOf('public', options, settled);
  for (const file of [
    ...datasetFiles(texts.site.details, releaseOptions.facts, entries),
    pricingPage(texts.site, publishedSample(sample.chain, releaseOptions.facts, entries)),
  ])
    settled.public.push(settleFile(file, record, stamp));
  const changes = toReleaseChanges(options);
  const earlier = previous?.changes.releases ?? [];
  const describeRelease = (newest: ReleaseChanges | undefined): FileTemplate[] => [
    statusFile(releaseOptions),
    landingFile(releaseOptions),
    changesFile(newest, earlier, releaseOptions.methodologyVersion),
    ...releasePages(texts.site, releaseOptions, keptChanges(newest, earlier)),
  ];
  // Status, landing and changes name their own release, so they are compared as the current release would write them.
  const differing = [
    ...Object.values(settled).flat(),
    ...(record === undefined
      ? []
      : describeRelease(undefined).map((file) => settleFile(file, record, stampOf(record, record.revision)))),
  ]
    .filter((file) => file.artifact !== undefined)
    .map((file) => file.path)
    .concat(lostFiles(options, settled));
  if (record !== undefined && differing.length === 0) return undefined;
  settled.public.push(...settleStale(options, changed, (chain) => textsOf(options, chain)));
  for (const file of describeRelease(changes)) settled.public.push(settleFile(file, record, stamp, true));
  const { [PUBLIC_PATHS.release]: _earlier, ...others } = entriesOf('public', options, settled);
  const index = releaseFile(
    Object.entries(others).map(([path, { sha256, bytes, type }]) => ({ path, sha256, bytes, type })),
    releaseOptions.methodologyVersion,
  );
  settled.public.push(settleFile(index, record, stamp, true));
  return { ...toPlannedRelease(options, settled, changes, site), differing };
}

/** Returns the published archives and files of the sample that the chains no longer have. */
function lostFiles(options: AssemblyOptions, settled: Settled): string[] {
  const { changed, previous } = options;
  const kept = new Set(settled.public.map(({ path }) => path));
  return [
    ...changed.flatMap(({ state }) => publishedArchives(state, previous)),
    ...renewedSamplePaths(options).filter((path) => previous?.record.public[path] !== undefined),
  ].filter((path) => !kept.has(path));
}

/** Settles the files of a chain whose state changes, without comparing files that are known to differ. */
function settleChain(state: ChainState, options: AssemblyOptions, settled: Settled): void {
  const { previous, stamp } = options;
  const record = previous?.record;
  const hasOtherEnd = record?.chains[state.chain]?.updated_through !== state.updatedThrough;
  const hasChangedDays = state.newDates.length + state.restatedDates.length + state.withdrawnDates.length > 0;
  const files = chainFiles(state, textsOf(options, state.chain));
  for (const file of files.manifests) settled.manifests.push(settleFile(file, record, stamp, hasOtherEnd));
  for (const file of files.bundles) settled.bundles.push(settleFile(file, record, stamp, hasOtherEnd));
  settled.bundles.push(...settleVolumes(state.volumes, record, stamp));
  for (const file of files.public)
    settled.public.push(settleFile(file, record, stamp, hasOtherEnd && hasChangedDays));
  for (const file of files.archive) settled.public.push(settleFile(file, record, stamp));
  settled.public.push(...settleEvents(state, textsOf(options, state.chain), options));
}

/** Returns the facts of every chain with dates in force: new ones for changed chains, published ones for the others. */
function factsOf({ changed, previous }: AssemblyOptions): ChainFacts[] {
  return CHAIN_IDS.flatMap((chain) => {
    const state = stateOf(changed, chain);
    if (state !== undefined) {
      return state.lastRecords.length === 0
        ? []
        : [toChainFacts(chain, state.entries.meta, state, state.sources)];
    }
    const published = previous && publishedFacts(chain, previous.status, previous.landing);
    return published === undefined ? [] : [published];
  });
}

function stateOf(changed: readonly ChangedChain[], chain: Chain): ChainState | undefined {
  return changed.find(({ state }) => state.chain === chain)?.state;
}

function toPlannedRelease(
  options: AssemblyOptions,
  settled: Settled,
  changes: ReleaseChanges,
  { site }: SettledSite,
): Omit<PlannedRelease, 'differing'> {
  const { previous, stamp, changed, texts, methodologySha256 } = options;
  const entries = {
    public: entriesOf('public', options, settled),
    bundles: entriesOf('bundles', options, settled),
    manifests: entriesOf('manifests', options, settled),
  };
  const record: ReleaseRecord = {
    schema: 'release-record/1',
    revision: stamp.revision,
    sequence: stamp.sequence,
    previous: previous ? { revision: previous.record.revision, sha256: previous.sha256 } : null,
    published_at: stamp.publishedAt,
    methodology: { version: texts.methodology.version, sha256: methodologySha256 },
    ...options.held,
    chains: byChain((chain) => {
      const found = changed.find(({ state }) => state.chain === chain);
      return found
        ? found.record && withSite(found.record, textsOf(options, chain))
        : previous?.record.chains[chain];
    }),
    ...siteMember(texts),
    ...entries,
    revisions: revisionsOf(entries, previous?.record, stamp), // that of the site's files is the revision of their list
    changes,
  };
  const siteList = toArtifact(PAGE_PATHS.siteFiles, JSON_TYPE, () => jsonContent('site-files', site));
  const artifacts = [
    siteList, // in every release, so that the store has it again if it was lost: no gateway can do without it
    ...changed.flatMap(({ days }) => days),
    ...(options.lineages ?? []).flatMap((lineage) => lineage.artifacts),
    ...[...settled.bundles, ...settled.manifests, ...settled.public].flatMap((file) => file.artifact ?? []),
  ];
  const recordText = canonicalJson(withoutSiteFiles(record, site));
  return { record, recordText, sha256: sha256Hex(recordText), artifacts: uniqueByDigest(artifacts) };
}

function textsOf({ texts, chainTexts }: AssemblyOptions, chain: Chain): ReferenceTexts {
  return chainTexts?.get(chain) ?? texts;
}

/** Returns the record of a chain with the site of its files. That of a rollback's target may have another one. */
function withSite({ site: _earlier, ...record }: RecordChain, texts: ReferenceTexts): RecordChain {
  return { ...record, ...siteMember(texts) };
}

/** Returns the member for the site, which is absent without a `site.json`. */
function siteMember({ site: { details } }: ReferenceTexts): Pick<ReleaseRecord, 'site'> {
  return details === undefined ? {} : { site: details };
}

/** Returns a section: the published files, without those that chains no longer have, with the settled ones. */
function entriesOf<S extends Section>(
  section: S,
  options: AssemblyOptions,
  settled: Settled,
): ReleaseRecord[S] {
  const { previous, changed } = options;
  // The volumes that a changed chain still has are among the settled files.
  const absent = new Set([
    ...changed.flatMap(({ state }) => [
      ...absentPaths(state),
      ...publishedVolumes(state, previous),
      ...publishedArchives(state, previous),
    ]),
    ...renewedSamplePaths(options),
  ]);
  const published: Record<string, FileEntry | PublicEntry> = previous?.record[section] ?? {};
  const remaining = Object.entries(published).filter(([path]) => !absent.has(path));
  const settledEntries = settled[section].map(({ path, type, entry }): [string, FileEntry | PublicEntry] => [
    path,
    section === 'public' ? { ...entry, type } : entry,
  ]);
  return Object.fromEntries([...remaining, ...settledEntries]) as ReleaseRecord[S]; // public entries have a type, just above
}

function publishedVolumes({ chain }: ChainState, previous: PublishedState | undefined): string[] {
  return VOLUME_GENRES.flatMap((genre) =>
    listedFiles(manifestOf(previous, genre, chain)?.volumes).map(({ path }) => path),
  );
}

/** Returns the published archives of weekly summaries of a chain whose archives are all made again. */
function publishedArchives({ chain, weeks }: ChainState, previous: PublishedState | undefined): string[] {
  return weeks.years === undefined ? weeklyArchivesIn(Object.keys(previous?.record.public ?? {}), chain) : [];
}

/** Returns the sequence and time of publication of each revision that an entry names. */
function revisionsOf(
  entries: Pick<ReleaseRecord, Section>,
  previous: ReleaseRecord | undefined,
  stamp: ReleaseStamp,
): ReleaseRecord['revisions'] {
  const named = new Set(
    Object.values(entries).flatMap((section) => Object.values(section).map((entry) => entry.revision)),
  );
  const revisions: ReleaseRecord['revisions'] = {};
  for (const revision of [...named].sort()) {
    const { sequence, publishedAt } =
      revision === stamp.revision || previous === undefined ? stamp : stampOf(previous, revision);
    revisions[revision] = { sequence, published_at: publishedAt };
  }
  return revisions;
}

/** Keeps the first artifact of equal bytes: a store keeps them once, and a day file of the sample is also one of its archive. */
function uniqueByDigest(artifacts: readonly Artifact[]): Artifact[] {
  const unique = new Map<string, Artifact>();
  for (const artifact of artifacts) if (!unique.has(artifact.sha256)) unique.set(artifact.sha256, artifact);
  return [...unique.values()];
}

/** Returns the entry of a release in the list of changes. It has a reason when published days or the hold change, and for every rollback. */
function toReleaseChanges(options: ChangesOptions): ReleaseChanges {
  const { previous, changed, stamp, held, reason, rollback } = options;
  const heldBefore = previous?.record ?? NOTHING_HELD;
  const heldChange = toHeldChange(heldBefore, held);
  const hasChangedDays = changed.some(
    ({ state }) => state.restatedDates.length + state.withdrawnDates.length > 0,
  );
  return {
    revision: stamp.revision,
    sequence: stamp.sequence,
    published_at: stamp.publishedAt,
    chains: byChain((chain): ChainChanges | undefined => {
      const state = changed.find((each) => each.state.chain === chain)?.state;
      if (state === undefined) return undefined;
      return {
        updated_through: state.updatedThrough,
        new: toDateSpan(state.newDates),
        restated: toDateSpan(state.restatedDates),
        withdrawn: toDateSpan(state.withdrawnDates),
        label_changes: [...state.labelChanges],
        ...sourcesMember(sourceChangesOf(previous, chain, state.sources)),
      };
    }),
    reason: hasChangedDays || rollback !== null ? reason : reasonOfHeldChange(heldBefore, heldChange),
    rollback,
    ...heldChange,
  };
}

/** Returns the changed sources of a chain; empty for a chain that had none. */
export function sourceChangesOf(
  previous: PublishedState | undefined,
  chain: Chain,
  sources: readonly SourceSegment[],
): SourceChange[] {
  const published = manifestOf(previous, 'gold', chain)?.sources;
  return published === undefined ? [] : findSourceChanges(published, sources);
}

/** Returns the member for changed sources, which is absent if there are none. */
export function sourcesMember(changes: SourceChange[]): Pick<ChainChanges, 'sources_changed'> {
  return changes.length === 0 ? {} : { sources_changed: changes };
}

type ChangesOptions = {
  readonly previous: PublishedState | undefined;
  readonly held: Held;
  readonly changed: readonly { readonly state: ChainState }[];
  readonly stamp: ReleaseStamp;
  readonly reason: string | null;
  readonly rollback: string | null;
};

/** Returns the segments that differ, in the order of their first dates. A segment is known by its first date. */
export function findSourceChanges(
  before: readonly SourceSegment[],
  after: readonly SourceSegment[],
): SourceChange[] {
  const starts = [...new Set([...before, ...after].map(startOf))].sort();
  return starts.flatMap((start) => {
    const from = before.find((segment) => startOf(segment) === start) ?? null;
    const to = after.find((segment) => startOf(segment) === start) ?? null;
    return canonicalJson(from) === canonicalJson(to) ? [] : [{ from, to }];
  });
}

/** Describes changed sources in one line: `sources changed: coinmetrics CC-BY-NC 4.0 -> CC-BY 4.0`. */
export function describeSourceChanges(changes: readonly SourceChange[]): string {
  return `sources changed: ${changes.map(describeChange).join('; ')}`;
}

function describeChange({ from, to }: SourceChange): string {
  const start = startOf(to ?? from);
  const since = start === '' ? '' : ` (from ${start})`;
  if (from === null || to === null) return `${nameOf(from)} -> ${nameOf(to)}${since}`;
  const details = (['attribution', 'url', 'notes', 'schedule'] as const).filter(
    (member) => canonicalJson(from[member] ?? null) !== canonicalJson(to[member] ?? null),
  );
  const also = details.length === 0 ? '' : `, with another ${details.join(', ')}`;
  if (from.name !== to.name) return `${nameOf(from)} -> ${nameOf(to)}${also}${since}`;
  if (from.licence !== to.licence) return `${nameOf(from)} -> ${to.licence}${also}${since}`;
  return `${nameOf(to)}: ${details.join(', ')}${since}`;
}

function nameOf(segment: SourceSegment | null): string {
  return segment === null ? 'none' : `${segment.name} ${segment.licence}`;
}

function startOf(segment: SourceSegment | null): string {
  return segment?.from ?? '';
}
