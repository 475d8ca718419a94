import { byChain, CHAIN_IDS } from '../../../schemas/catalog.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { PUBLIC_PATHS } from '../../../schemas/paths.js';
import type {
  Chain,
  FileEntry,
  PublicEntry,
  RecordChain,
  ReleaseChanges,
  ReleaseRecord,
} from '../../../schemas/types.generated.js';
import type { Artifact, FileKind, Stamp } from '../artifacts/artifact.js';
import { publishedFacts, toChainFacts, type ChainFacts } from '../artifacts/chain-facts.js';
import { overviewChartFile } from '../artifacts/chart-files.js';
import { frontPage } from '../artifacts/pages/front-page.js';
import { referenceFiles, type ReferenceTexts } from '../artifacts/reference-files.js';
import { changesFile, landingFile, releaseFile, statusFile } from '../artifacts/release-files.js';
import { absentPaths, chainFiles, type ChainState, type Section } from './chain-state.js';
import type { PlannedRelease } from './plan-types.js';
import type { PublishedState } from './published-state.js';
import { toReleaseChanges } from './release-changes.js';
import { settleFile, stampOf, type SettledFile } from './settle-file.js';

/** A chain whose published state changes. `record` is absent when nothing of it is in force any more. */
export type ChangedChain = {
  readonly state: ChainState;
  /** The day files that the store may lack. */
  readonly days: readonly Artifact[];
  readonly record: RecordChain | undefined;
};

/** What a release is put together from. */
export type AssemblyTerms = {
  readonly previous: PublishedState | undefined;
  readonly texts: ReferenceTexts;
  readonly methodologySha256: string;
  readonly stamp: Stamp;
  readonly changed: readonly ChangedChain[];
  readonly hold: string | null;
  /** Why published days change. */
  readonly reason: string | null;
  /** The revision that is rolled back to. */
  readonly rollback: string | null;
};

type Settled = { readonly [section in Section]: SettledFile[] };

/** Puts a release together; `undefined` when it would say nothing that the current one does not say. */
export function assembleRelease(terms: AssemblyTerms): PlannedRelease | undefined {
  const { previous, texts, stamp, changed, hold } = terms;
  const record = previous?.record;
  const settled: Settled = { public: [], bundles: [], manifests: [] };
  for (const { state } of changed) settleChain(state, terms, settled);
  for (const kind of referenceFiles(texts)) settled.public.push(settleFile(kind, record, stamp));

  const own = { facts: factsOf(terms), hold, methodologyVersion: texts.methodology.version };
  settled.public.push(settleFile(overviewChartFile(own.facts, texts), record, stamp));
  const listed = entriesOf('public', terms, settled);
  const front = frontPage(texts.site, { ...own, has: (path) => path in listed });
  settled.public.push(settleFile(front, record, stamp));
  const changes = toReleaseChanges(terms);
  const earlier = previous?.changes.releases ?? [];
  const describe = (newest: ReleaseChanges | undefined): FileKind[] => [
    statusFile(own),
    landingFile(own),
    changesFile(newest, earlier, own.methodologyVersion),
  ];
  const differing = [
    ...Object.values(settled).flat(),
    ...(record === undefined
      ? []
      : describe(undefined).map((kind) => settleFile(kind, record, stampOf(record, record.revision)))),
  ]
    .filter((file) => file.artifact !== undefined)
    .map((file) => file.path);
  if (record !== undefined && differing.length === 0) return undefined;
  for (const kind of describe(changes)) settled.public.push(settleFile(kind, record, stamp, true));
  const { [PUBLIC_PATHS.release]: _earlier, ...others } = entriesOf('public', terms, settled);
  const index = releaseFile(
    Object.entries(others).map(([path, { sha256, bytes, type }]) => ({ path, sha256, bytes, type })),
    own.methodologyVersion,
  );
  settled.public.push(settleFile(index, record, stamp, true));
  return { ...toPlannedRelease(terms, settled, changes), differing };
}

/** Settles the files of a chain whose state changes; what surely differs is not compared. */
function settleChain(state: ChainState, { previous, texts, stamp }: AssemblyTerms, settled: Settled): void {
  const record = previous?.record;
  const grown = record?.chains[state.chain]?.updated_through !== state.updatedThrough;
  const touched = state.newDates.length + state.restatedDates.length + state.withdrawnDates.length > 0;
  const files = chainFiles(state, texts);
  for (const kind of files.manifests) settled.manifests.push(settleFile(kind, record, stamp, grown));
  for (const kind of files.bundles) settled.bundles.push(settleFile(kind, record, stamp, grown));
  for (const kind of files.public) settled.public.push(settleFile(kind, record, stamp, grown && touched));
}

/** The facts of every chain with dates in force: of the changed ones, and as published of the others. */
function factsOf({ changed, previous }: AssemblyTerms): ChainFacts[] {
  return CHAIN_IDS.flatMap((chain) => {
    const state = stateOf(changed, chain);
    if (state !== undefined) {
      return state.lastRecords.length === 0
        ? []
        : [toChainFacts(chain, state.entries.meta, state.lastRecords, state.sources)];
    }
    const published = previous && publishedFacts(chain, previous.status, previous.landing);
    return published === undefined ? [] : [published];
  });
}

function stateOf(changed: readonly ChangedChain[], chain: Chain): ChainState | undefined {
  return changed.find(({ state }) => state.chain === chain)?.state;
}

function toPlannedRelease(
  terms: AssemblyTerms,
  settled: Settled,
  changes: ReleaseChanges,
): Omit<PlannedRelease, 'differing'> {
  const { previous, stamp, changed, texts, methodologySha256 } = terms;
  const entries = {
    public: entriesOf('public', terms, settled),
    bundles: entriesOf('bundles', terms, settled),
    manifests: entriesOf('manifests', terms, settled),
  };
  const record: ReleaseRecord = {
    schema: 'release-record/1',
    revision: stamp.revision,
    sequence: stamp.sequence,
    previous: previous ? { revision: previous.record.revision, sha256: previous.sha256 } : null,
    published_at: stamp.publishedAt,
    methodology: { version: texts.methodology.version, sha256: methodologySha256 },
    hold: terms.hold,
    chains: byChain((chain) => {
      const found = changed.find(({ state }) => state.chain === chain);
      return found ? found.record : previous?.record.chains[chain];
    }),
    ...entries,
    revisions: revisionTerms(entries, previous?.record, stamp),
    changes,
  };
  const artifacts = [
    ...changed.flatMap(({ days }) => days),
    ...[...settled.bundles, ...settled.manifests, ...settled.public].flatMap((file) => file.artifact ?? []),
  ];
  const recordText = canonicalJson(record);
  return { record, recordText, sha256: sha256Hex(recordText), artifacts: uniqueByDigest(artifacts) };
}

/** The list of a section: as published, without the files of chains that left, with those that were settled. */
function entriesOf<S extends Section>(
  section: S,
  { previous, changed }: AssemblyTerms,
  settled: Settled,
): ReleaseRecord[S] {
  const gone = new Set(changed.flatMap(({ state }) => absentPaths(state)));
  const published: Record<string, FileEntry | PublicEntry> = previous?.record[section] ?? {};
  const kept = Object.entries(published).filter(([path]) => !gone.has(path));
  const made = settled[section].map(({ path, type, entry }): [string, FileEntry | PublicEntry] => [
    path,
    section === 'public' ? { ...entry, type } : entry,
  ]);
  return Object.fromEntries([...kept, ...made]) as ReleaseRecord[S]; // public entries have a type, just above
}

function revisionTerms(
  entries: Pick<ReleaseRecord, Section>,
  previous: ReleaseRecord | undefined,
  stamp: Stamp,
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

/** Two files may have the same bytes; a store holds them once. */
function uniqueByDigest(artifacts: readonly Artifact[]): Artifact[] {
  return [...new Map(artifacts.map((artifact) => [artifact.sha256, artifact])).values()];
}
