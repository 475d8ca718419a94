import { byChain, CHAIN_IDS, GENRES } from '../../../schemas/catalog.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { PUBLIC_PATHS } from '../../../schemas/paths.js';
import type {
  ChainChanges,
  DateSpan,
  FileEntry,
  PublicEntry,
  RecordChain,
  ReleaseChanges,
  ReleaseRecord,
} from '../../../schemas/types.generated.js';
import type { Artifact, FileKind, Stamp } from '../artifacts/artifact.js';
import { bundleFiles } from '../artifacts/bundle.js';
import { lastAvailableOf, publishedFacts, toChainFacts, type ChainFacts } from '../artifacts/chain-facts.js';
import { manifestFile, revisionsOf } from '../artifacts/manifest.js';
import { referenceFiles } from '../artifacts/reference-files.js';
import { changesFile, landingFile, releaseFile, statusFile } from '../artifacts/release-files.js';
import { summaryFile } from '../artifacts/summary.js';
import { metricsWithValues } from '../input-series.js';
import { latestSource, type ChainDraft } from './chain-draft.js';
import type { InputDigest } from './input-digest.js';
import type { PlannedRelease, PlanRequest } from './plan-types.js';
import { settleFile, stampOf, type SettledFile } from './settle-file.js';

/** A chain whose published state changes. */
export type ChangedChain = { readonly draft: ChainDraft; readonly digest: (date: string) => InputDigest };

/** What a release is put together from. */
export type AssemblyTerms = {
  readonly request: PlanRequest;
  readonly stamp: Stamp;
  readonly changed: readonly ChangedChain[];
  readonly writersSha256: string;
  readonly methodologySha256: string;
};

type Section = 'public' | 'bundles' | 'manifests';

/** Puts a release together; `undefined` when it would say nothing that the current one does not say. */
export function assembleRelease(terms: AssemblyTerms): PlannedRelease | undefined {
  const { request, stamp, changed } = terms;
  const { previous, texts } = request;
  const record = previous?.record;
  const settled: Record<Section, SettledFile[]> = { public: [], bundles: [], manifests: [] };
  for (const { draft } of changed) settleChain(draft, terms, settled);
  for (const kind of referenceFiles(texts)) settled.public.push(settleFile(kind, record, stamp));

  const facts = factsOf(terms);
  const own = { facts, hold: record?.hold ?? null, methodologyVersion: texts.methodology.version };
  const changes = toChanges(terms);
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
  const { [PUBLIC_PATHS.release]: _earlier, ...others } = publicEntries(record, settled.public);
  const index = releaseFile(
    Object.entries(others).map(([path, { sha256, bytes, type }]) => ({ path, sha256, bytes, type })),
    own.methodologyVersion,
  );
  settled.public.push(settleFile(index, record, stamp, true));
  return { ...toPlannedRelease(terms, settled, changes), differing };
}

/** The files of a chain, by what of the draft they change with. A new kind of file per chain is added here. */
export function chainFiles(draft: ChainDraft, methodologyVersion: string): ChainFiles {
  const { chain, updatedThrough, series, record } = draft;
  const latest = draft.lastRecords.at(-1);
  if (latest === undefined) throw new Error(`${chain} has no record`);
  const shared = { chain, updatedThrough, methodologyVersion };
  return {
    manifests: GENRES.map((genre) => {
      const entries = draft.entries[genre];
      const revisions = revisionsOf(entries, draft.revisions);
      return manifestFile({ ...shared, genre, entries, revisions, sources: series.sources });
    }),
    bundles: GENRES.flatMap((genre) =>
      bundleFiles({ ...shared, genre, entries: draft.entries[genre], record }),
    ),
    public: [draft.calendar, summaryFile(latest, lastAvailableOf(draft.entries.meta))],
  };
}

/** The files of a chain by section of the release. */
export type ChainFiles = { readonly [section in Section]: readonly FileKind[] };

/** Settles the files of a chain whose state changes; what surely differs is not compared. */
function settleChain(draft: ChainDraft, terms: AssemblyTerms, settled: Record<Section, SettledFile[]>): void {
  const { request, stamp } = terms;
  const previous = request.previous?.record;
  const grown = previous?.chains[draft.chain]?.updated_through !== draft.updatedThrough;
  const touched = draft.newDates.length + draft.restatedDates.length > 0;
  const files = chainFiles(draft, request.texts.methodology.version);
  for (const kind of files.manifests) settled.manifests.push(settleFile(kind, previous, stamp, grown));
  for (const kind of files.bundles) settled.bundles.push(settleFile(kind, previous, stamp, grown));
  for (const kind of files.public) settled.public.push(settleFile(kind, previous, stamp, grown && touched));
}

/** The facts of every chain: of the drafts, and as published of the others. */
function factsOf({ changed, request: { previous } }: AssemblyTerms): ChainFacts[] {
  return CHAIN_IDS.flatMap((chain) => {
    const draft = changed.find((each) => each.draft.chain === chain)?.draft;
    if (draft !== undefined) {
      return [toChainFacts(chain, draft.entries.meta, draft.lastRecords, draft.series.sources)];
    }
    const published = previous && publishedFacts(chain, previous.status, previous.landing);
    return published === undefined ? [] : [published];
  });
}

function toChanges({ changed, stamp, request }: AssemblyTerms): ReleaseChanges {
  const restates = changed.some(({ draft }) => draft.restatedDates.length > 0);
  return {
    revision: stamp.revision,
    sequence: stamp.sequence,
    published_at: stamp.publishedAt,
    chains: byChain((chain): ChainChanges | undefined => {
      const draft = changed.find((each) => each.draft.chain === chain)?.draft;
      if (draft === undefined) return undefined;
      return {
        updated_through: draft.updatedThrough,
        new: toSpan(draft.newDates),
        restated: toSpan(draft.restatedDates),
        withdrawn: null,
        label_changes: [...draft.labelChanges],
      };
    }),
    reason: restates ? (request.acceptance?.reason ?? null) : null,
    rollback: null,
  };
}

function toSpan(dates: readonly string[]): DateSpan | null {
  const [first] = dates;
  const last = dates.at(-1);
  if (first === undefined || last === undefined) return null;
  return { days: dates.length, first_date: first, last_date: last };
}

function toPlannedRelease(
  terms: AssemblyTerms,
  settled: Record<Section, SettledFile[]>,
  changes: ReleaseChanges,
): Omit<PlannedRelease, 'differing'> {
  const { request, stamp, changed } = terms;
  const previous = request.previous?.record;
  const { methodology } = request.texts;
  const entries = {
    public: publicEntries(previous, settled.public),
    bundles: { ...previous?.bundles, ...toEntries(settled.bundles) },
    manifests: { ...previous?.manifests, ...toEntries(settled.manifests) },
  };
  const record: ReleaseRecord = {
    schema: 'release-record/1',
    revision: stamp.revision,
    sequence: stamp.sequence,
    previous: request.previous
      ? { revision: request.previous.record.revision, sha256: request.previous.sha256 }
      : null,
    published_at: stamp.publishedAt,
    methodology: { version: methodology.version, sha256: terms.methodologySha256 },
    hold: previous?.hold ?? null,
    chains: byChain((chain) => {
      const found = changed.find(({ draft }) => draft.chain === chain);
      return found ? toRecordChain(found, terms) : previous?.chains[chain];
    }),
    ...entries,
    revisions: revisionTerms(entries, previous, stamp),
    changes,
  };
  const artifacts = [
    ...changed.flatMap(({ draft }) => draft.days),
    ...[...settled.bundles, ...settled.manifests, ...settled.public].flatMap((file) => file.artifact ?? []),
  ];
  const recordText = canonicalJson(record);
  return { record, recordText, sha256: sha256Hex(recordText), artifacts: uniqueByDigest(artifacts) };
}

function toRecordChain({ draft, digest }: ChangedChain, terms: AssemblyTerms): RecordChain {
  const { rows, sha256 } = digest(draft.updatedThrough);
  return {
    updated_through: draft.updatedThrough,
    rows,
    source: latestSource(draft.series),
    input_sha256: sha256,
    metrics: metricsWithValues(draft.series),
    writers_sha256: terms.writersSha256,
    methodology_sha256: terms.methodologySha256,
  };
}

function publicEntries(
  previous: ReleaseRecord | undefined,
  files: readonly SettledFile[],
): Record<string, PublicEntry> {
  const made = files.map(({ path, type, entry }) => [path, { ...entry, type }] as const);
  return { ...previous?.public, ...Object.fromEntries(made) };
}

function toEntries(files: readonly SettledFile[]): Record<string, FileEntry> {
  return Object.fromEntries(files.map(({ path, entry }) => [path, entry]));
}

function revisionTerms(
  entries: Record<Section, Record<string, FileEntry>>,
  previous: ReleaseRecord | undefined,
  stamp: Stamp,
): ReleaseRecord['revisions'] {
  const named = new Set(
    Object.values(entries).flatMap((section) => Object.values(section).map((e) => e.revision)),
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
