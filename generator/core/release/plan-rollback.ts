import { GENRES } from '../../../schemas/catalog.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { lineageManifestPath, manifestPath } from '../../../schemas/paths.js';
import { methodologyDigest } from '../../../schemas/methodology.js';
import type {
  Chain,
  DerivedDay,
  Genre,
  GoldDay,
  Manifest,
  ManifestDate,
  ManifestRevisions,
  MetaDay,
  ReleaseRecord,
} from '../../../schemas/types.generated.js';
import type { ReleaseStamp } from '../artifacts/artifact.js';
import { toChartPoint } from '../artifacts/chart-data.js';
import { metricsOfRecords } from '../artifacts/chart-metrics.js';
import { calendarFile, RECENT_DAYS, toCalendarRow } from '../artifacts/regime-calendar.js';
import { historyOfRecords } from '../artifacts/regimes.js';
import { toWeekDay } from '../artifacts/week.js';
import { isWeekEnd } from '../artifacts/weekly-archive.js';
import type { ReferenceTexts } from '../draft/site.js';
import type { DayRecord } from '../records/day-writers.js';
import { assembleRelease, type ChangedChain } from './assemble-release.js';
import { type ChainState, lackingRecords } from '../draft/chain-state.js';
import { draftSample } from '../draft/sample.js';
import { supersede } from '../artifacts/manifest.js';
import { type LineageDraft, lineageManifest } from '../draft/lineages.js';
import { findLabelChanges } from '../draft/chain-draft.js';
import { runSteps } from '../steps.js';
import { draftChainVolumes } from '../volumes/draft-volumes.js';
import { type Held, isSameHeld } from './held.js';
import { nextStamp } from './plan-release.js';
import { manifestOf, type Plan, type PlannedRelease, type PublishedState } from './plan-types.js';

/** The parts of an earlier release that a rollback needs. */
export type RollbackTarget = {
  readonly record: ReleaseRecord;
  /** Its manifests by URL path. */
  readonly manifests: ReadonlyMap<string, Manifest>;
};

/** Everything that a rollback depends on. */
type RollbackRequest = {
  readonly previous: PublishedState;
  readonly target: RollbackTarget;
  readonly asOfMs: number;
  readonly reason: string;
  /** The chains to roll back. */
  readonly chains: readonly Chain[];
  /** What is on hold afterwards. */
  readonly held: Held;
  readonly texts: ReferenceTexts;
  /** Day records by digest: those of calendars, bundles and summaries, and those that the volumes lacked. */
  readonly days: ReadonlyMap<string, DayRecord>;
};

export type RolledBackChain = {
  readonly chain: Chain;
  readonly entries: { readonly [genre in Genre]: readonly ManifestDate[] };
  readonly restatedDates: readonly string[];
  readonly withdrawnDates: readonly string[];
};

/**
 * Returns the next entries of each of these chains whose state differs from the target's. For a date that differs, the
 * target's bytes come into force again and the newer ones are superseded. A date that the target lacks is withdrawn.
 */
export function rollBackEntries(
  previous: PublishedState,
  target: RollbackTarget,
  revision: string,
  { reason, chains }: Pick<RollbackRequest, 'reason' | 'chains'>,
): RolledBackChain[] {
  return chains.flatMap((chain) => {
    if (manifestOf(previous, 'meta', chain) === undefined || isSameChain(chain, previous, target)) return [];
    const restated = new Set<string>();
    const withdrawn = new Set<string>();
    const rollBack = (genre: Genre): ManifestDate[] => {
      const targetManifest = target.manifests.get(manifestPath(genre, chain));
      if (targetManifest === undefined && target.manifests.has(manifestPath('meta', chain)))
        return withdrawStale(genre);
      const old = new Map(targetManifest?.dates.map((entry) => [entry.date, entry]));
      return (manifestOf(previous, genre, chain)?.dates ?? []).map((entry) => {
        const next = rollBackEntry(entry, old.get(entry.date), revision, reason);
        if (next !== entry) (next.status === 'withdrawn' ? withdrawn : restated).add(entry.date);
        return next;
      });
    };
    // The target did not have this genre yet: its records of the dates that change would no longer be true.
    const withdrawStale = (genre: Genre): ManifestDate[] =>
      (manifestOf(previous, genre, chain)?.dates ?? []).map((entry) =>
        restated.has(entry.date) || withdrawn.has(entry.date)
          ? rollBackEntry(entry, undefined, revision, reason)
          : entry,
      );
    // Genres that the target may lack come last: `withdrawStale` needs the dates that the others change.
    const entries = {
      meta: rollBack('meta'),
      gold: rollBack('gold'),
      derived: rollBack('derived'),
      briefs: rollBack('briefs'),
    };
    return [{ chain, entries, restatedDates: [...restated].sort(), withdrawnDates: [...withdrawn].sort() }];
  });
}

/**
 * Returns the entry with the target's status if the target has the same bytes in force, otherwise under the rollback's
 * revision. The status can change without the bytes: gold and derived days do not contain it.
 */
function rollBackEntry(
  entry: ManifestDate,
  old: ManifestDate | undefined,
  revision: string,
  reason: string,
): ManifestDate {
  const isWithdrawnThere = old === undefined || old.status === 'withdrawn';
  const isWithdrawnNow = entry.status === 'withdrawn';
  if (isWithdrawnThere && isWithdrawnNow) return entry;
  const superseded = supersede(entry, reason);
  if (isWithdrawnThere) return { ...entry, status: 'withdrawn', in_force_from: revision, superseded };
  if (!isWithdrawnNow && old.sha256 === entry.sha256)
    return old.status === entry.status ? entry : { ...entry, status: old.status };
  return { ...old, in_force_from: revision, superseded };
}

/** Plans the release that puts the days of an earlier one in force again and holds publication, of some chains or all. */
export function planRollback(request: RollbackRequest): Pick<Plan, 'release' | 'lacking'> {
  const { previous, target, reason, held, texts } = request;
  const stamp = nextStamp(previous.record, request.asOfMs);
  const rolledBack = rollBackEntries(previous, target, stamp.revision, request);
  const changed = rolledBack.map((rolled): ChangedChain => {
    const record = target.record.chains[rolled.chain];
    const through =
      record?.updated_through ?? manifestOf(previous, 'meta', rolled.chain)?.updated_through ?? '';
    const revisions = {
      ...knownRevisions(rolled.chain, previous),
      [stamp.revision]: { updated_through: through, published_at: stamp.publishedAt },
    };
    return {
      state: toChainState(rolled, { updatedThrough: through, revision: stamp.revision, revisions }, request),
      days: [],
      record,
    };
  });
  const lacking = changed.flatMap(({ state }) => lackingRecords(state));
  if (lacking.length > 0) return { lacking };
  const release = assembleRelease({
    previous,
    texts,
    methodologySha256: methodologyDigest(texts.methodology),
    stamp,
    changed,
    lineages: changed.flatMap(({ state }) => rollBackLineages(state, stamp, request)),
    held,
    reason,
    rollback: target.record.revision,
  });
  return { lacking, ...(release === undefined ? {} : { release }) };
}

/** Puts the lineages of the target in force again, like the days that they are about. */
function rollBackLineages(
  { chain, updatedThrough, sources }: ChainState,
  stamp: ReleaseStamp,
  { previous, target, reason, texts }: RollbackRequest,
): LineageDraft[] {
  const path = lineageManifestPath(chain);
  const before = previous.manifests.get(path);
  if (before === undefined) return [];
  const old = new Map(target.manifests.get(path)?.dates.map((entry) => [entry.date, entry]));
  const entries = before.dates.map((entry) =>
    rollBackEntry(entry, old.get(entry.date), stamp.revision, reason),
  );
  const shared = { chain, updatedThrough, sources, stamp, before };
  const file = lineageManifest(entries, { ...shared, methodologyVersion: texts.methodology.version });
  return [{ file, artifacts: [] }];
}

function toChainState(
  { chain, entries, restatedDates, withdrawnDates }: RolledBackChain,
  publication: Pick<ChainState, 'updatedThrough' | 'revisions'> & { readonly revision: string },
  { previous, target, days, texts }: RollbackRequest,
): ChainState {
  const record = (entry: ManifestDate): DayRecord => {
    const found = days.get(entry.sha256);
    if (found === undefined) throw new Error(`${entry.path}: its record was not read`);
    return found;
  };
  const inForce = (genre: Genre): DayRecord[] =>
    entries[genre].filter((entry) => entry.status !== 'withdrawn').map(record);
  const records = inForce('meta') as MetaDay[]; // entries of the meta manifest
  const goldDays = inForce('gold') as GoldDay[]; // entries of the gold manifest
  const rows = records.map(toCalendarRow);
  const weekEnds = new Map(
    entries.derived
      .filter(({ date, status }) => status !== 'withdrawn' && isWeekEnd(date))
      .map((entry) => [entry.date, record(entry) as DerivedDay]), // an entry of the derived manifest
  );
  const gold = target.manifests.get(manifestPath('gold', chain)) ?? manifestOf(previous, 'gold', chain);
  const sources = gold?.sources ?? [];
  const shared = {
    ...publication,
    chain,
    sources,
    entries,
    methodology: texts.methodology,
    record: (_entry: ManifestDate, sha256: string) => days.get(sha256),
  };
  const text = (entry: ManifestDate): string => canonicalJson(record(entry));
  const published = {
    meta: manifestOf(previous, 'meta', chain),
    gold: manifestOf(previous, 'gold', chain),
    derived: manifestOf(previous, 'derived', chain),
  };
  const volumes = runSteps(draftChainVolumes({ ...shared, published }));
  return {
    chain,
    updatedThrough: publication.updatedThrough,
    sources,
    entries,
    revisions: publication.revisions,
    volumes,
    sample: draftSample({ ...shared, volumes, text }),
    calendar: calendarFile(chain, rows),
    lastRecords: records.slice(-RECENT_DAYS),
    points: records.map(toChartPoint),
    metrics: metricsOfRecords(chain, goldDays),
    history: historyOfRecords(chain, records, goldDays, texts.methodology),
    weeks: { days: records.map(toWeekDay), endOf: (date) => weekEnds.get(date) },
    newDates: [],
    restatedDates,
    withdrawnDates,
    labelChanges: findLabelChanges(rows, restatedDates, previous.calendars.get(chain) ?? ''),
    text,
  };
}

/** Returns whether a chain has the same bytes in force, from the same sources, as in the target. */
function isSameChain(chain: Chain, previous: PublishedState, target: RollbackTarget): boolean {
  const inForce = (manifest: Manifest | undefined): string =>
    canonicalJson([
      (manifest?.dates ?? [])
        .filter(({ status }) => status !== 'withdrawn')
        .map(({ date, sha256 }) => [date, sha256]),
      manifest?.sources ?? [],
    ]);
  const hasChain = target.manifests.has(manifestPath('meta', chain));
  return GENRES.every((genre) => {
    if (hasChain && !target.manifests.has(manifestPath(genre, chain))) return true;
    const current = manifestOf(previous, genre, chain);
    return inForce(current) === inForce(target.manifests.get(manifestPath(genre, chain)));
  });
}

function knownRevisions(chain: Chain, state: PublishedState): ManifestRevisions {
  return Object.assign(
    {},
    ...GENRES.map((genre) => manifestOf(state, genre, chain)?.revisions),
  ) as ManifestRevisions; // merges values of this type
}

/** Plans the release that changes what is on hold. `undefined` when nothing changes. */
export function planHold(
  previous: PublishedState,
  held: Held,
  { asOfMs, texts }: { readonly asOfMs: number; readonly texts: ReferenceTexts },
): PlannedRelease | undefined {
  if (isSameHeld(previous.record, held)) return undefined;
  return assembleRelease({
    previous,
    texts,
    methodologySha256: methodologyDigest(texts.methodology),
    stamp: nextStamp(previous.record, asOfMs),
    changed: [],
    held,
    reason: null,
    rollback: null,
  });
}
