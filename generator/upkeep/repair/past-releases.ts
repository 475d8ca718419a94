import pMap from 'p-map';
import {
  ALIASES_KEY,
  parseReleaseKey,
  POINTER_KEY,
  PUBLIC_PATHS,
  publicKey,
  RELEASES_PREFIX,
} from '../../../schemas/paths.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import type { ReleaseChanges, Site } from '../../../schemas/types.generated.js';
import type { ObjectStore, StoredObject } from '../../../infra/store/object-store.js';
import { applyHeldChange, type Held, heldOf, isSameHeld, NOTHING_HELD } from '../../core/release/held.js';
import {
  listedFilesOf,
  type NamedRelease,
  readPointer,
  readRecord,
  readState,
  type StoredRelease,
} from '../../state/published-state.js';
import { listBounded } from '../../state/bounded-list.js';
import { parseStored, readArtifactJson, unlessDamaged } from '../../state/stored-json.js';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { parseInstant } from '../../../schemas/dates.js';
import { GeneratorError } from '../../core/generator-error.js';
import { cutSeries, type InputSeries } from '../../core/input/input-series.js';
import { planSteps } from '../../core/release/plan-release.js';
import type { DayRecord } from '../../core/records/day-writers.js';
import type { Plan, PlannedRelease, PlanRequest } from '../../core/release/plan-types.js';
import { planWithPublished } from '../../publish/plan-with-published.js';
import { prepareHold, type PrepareReleaseOptions, prepareRollback } from '../../publish/prepare-rollback.js';
import { readProductTexts } from '../../texts/product-texts.js';
import { runInterruptibly, SILENT } from '../../run/progress.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { pointerBytes } from '../../state/move-pointer.js';

const CONCURRENCY = 16;

/** The releases whose records can be read, newest first, and the release after which they stop: its record is missing or damaged. */
type ReadableReleases = {
  readonly releases: readonly StoredRelease[];
  readonly broken?: NamedRelease;
};

/** Reads the releases from the pointer's one back by `previous`, until a record is missing or damaged. */
export async function readReadableReleases(store: ObjectStore): Promise<ReadableReleases> {
  const releases: StoredRelease[] = [];
  const pointer = await unlessDamaged(() => readPointer(store));
  let link: NamedRelease | undefined = pointer?.value;
  while (link !== undefined) {
    const { revision, sequence, sha256 } = link;
    const record = await unlessDamaged(() => readRecord(store, { revision, sha256 }));
    if (record === undefined) return { releases, broken: { revision, sequence, sha256 } };
    releases.push({ record, sha256 });
    link = record.previous === null ? undefined : { ...record.previous, sequence: record.sequence - 1 };
  }
  return { releases };
}

/**
 * Returns the releases that wrote the files with these digests, oldest first, because a later one may depend on a file
 * that an earlier one restores. Leaves out a release whose predecessor cannot be read: it cannot be planned again.
 */
export function releasesThatMade(
  { releases }: ReadableReleases,
  digests: { readonly has: (sha256: string) => boolean },
): PastRelease[] {
  const revisions = new Set<string>();
  for (const { record } of releases) {
    for (const { sha256, revision } of listedFilesOf(record))
      if (digests.has(sha256)) revisions.add(revision);
  }
  return releases
    .flatMap(({ record }, i): PastRelease[] => {
      const previous = releases[i + 1];
      const isKnown = revisions.has(record.revision) && (previous !== undefined || record.previous === null);
      const { changes, site } = record;
      return isKnown ? [{ changes, held: heldOf(record), site, previous }] : [];
    })
    .reverse();
}

/**
 * Returns the releases that the broken one may have been: its changes come from a published list of changes, combined
 * with each record that may have preceded it, and with the site of the input and that of each readable release.
 */
export async function guessBroken(
  store: ObjectStore,
  { releases, broken }: ReadableReleases,
  inputSite: Site | undefined,
): Promise<PastRelease[]> {
  if (broken === undefined) return [];
  const listed = await readListedChanges(store, releases, broken.revision);
  const before = broken.sequence === 1 ? [undefined] : await readRecordsOf(store, broken.sequence - 1);
  return listed.flatMap((changes) =>
    before.flatMap((previous): PastRelease[] => {
      const held = applyHeldChange(previous?.record ?? NOTHING_HELD, changes);
      const known = [previous?.record.site, inputSite, ...releases.map(({ record }) => record.site)];
      return uniqueSites(known).map((site) => ({ changes, held, site, previous }));
    }),
  );
}

function uniqueSites(sites: readonly (Site | undefined)[]): (Site | undefined)[] {
  return [...new Map(sites.map((site) => [canonicalJson(site ?? null), site])).values()];
}

/** Finds the changes of a revision in the list of changes of the oldest readable release, or in its public copy. */
async function readListedChanges(
  store: ObjectStore,
  releases: readonly StoredRelease[],
  revision: string,
): Promise<ReleaseChanges[]> {
  const path = PUBLIC_PATHS.changes;
  const key = publicKey(path);
  const { sha256: digest, bytes } = releases.at(-1)?.record.public[path] ?? {};
  const lists = await Promise.all([
    digest === undefined ? undefined : unlessDamaged(() => readArtifactJson(store, digest, 'changes', bytes)),
    unlessDamaged(async () => {
      const copy = await store.get(key);
      return copy && parseStored(key, 'changes', copy.bytes);
    }),
  ]);
  return lists.flatMap((list) => list?.releases.find((each) => each.revision === revision) ?? []).slice(0, 1);
}

/** Reads the records with this sequence, whether or not the current release leads to them. */
async function readRecordsOf(store: ObjectStore, sequence: number): Promise<StoredRelease[]> {
  return (await readAllRecords(store)).filter(({ record }) => record.sequence === sequence);
}

/** Reads every intact release record of the store, whether or not the current release leads to it. */
export async function readAllRecords(store: ObjectStore): Promise<StoredRelease[]> {
  const keys: string[] = [];
  for await (const { key } of listBounded(store, RELEASES_PREFIX)) keys.push(key);
  const read = await pMap(
    keys,
    async (key): Promise<StoredRelease | undefined> => {
      const name = parseReleaseKey(key);
      if (name === undefined) return undefined;
      const record = await unlessDamaged(() => readRecord(store, name));
      return record === undefined || record.revision !== name.revision
        ? undefined
        : { record, sha256: name.sha256 };
    },
    { concurrency: CONCURRENCY },
  );
  return read.flatMap((each) => each ?? []);
}

/** The facts about a published release that are needed to plan it again. */
type PastRelease = {
  readonly changes: ReleaseChanges;
  /** What was on hold after it. */
  readonly held: Held;
  /** The site that its public files were made for. */
  readonly site: Site | undefined;
  /** The release before it; `undefined` for the first one. */
  readonly previous: StoredRelease | undefined;
};

/** Options for `replayRelease`. */
type ReplayOptions = {
  readonly inputs: readonly InputSeries[];
  readonly signal: AbortSignal;
};

/**
 * Plans a past release again, from the state before it and the dates that the input had then. The caller must compare
 * digests to know whether the result is what was published. Returns `undefined` if the state before it is damaged, or
 * if the plan has no release.
 */
export async function replayRelease(
  store: ObjectStore,
  release: PastRelease,
  options: ReplayOptions,
): Promise<PlannedRelease | undefined> {
  try {
    const { previous, changes, held } = release;
    if (previous === undefined || (changes.rollback === null && isSameHeld(held, previous.record)))
      return await replayPublication(store, release, options);
    return await replayOperation(store, { ...release, previous }, options);
  } catch (error) {
    if (error instanceof GeneratorError && error.exit !== 'interrupted') return undefined;
    throw error;
  }
}

/** Plans a rollback or hold again, which needs only published files. */
async function replayOperation(
  store: ObjectStore,
  { changes, held, previous }: PastRelease & { readonly previous: StoredRelease },
  { signal }: ReplayOptions,
): Promise<PlannedRelease | undefined> {
  const { revision, sequence } = previous.record;
  const options: PrepareReleaseOptions = {
    store: withPointerTo(store, { revision, sequence, sha256: previous.sha256 }),
    asOfMs: parseInstant(changes.published_at) ?? NaN,
    progress: SILENT,
    signal,
  };
  const prepared =
    changes.rollback === null
      ? await prepareHold(options, () => held)
      : await prepareRollback(options, {
          to: changes.rollback,
          reason: changes.reason ?? '',
          chains: CHAIN_IDS.filter((chain) => changes.chains[chain] !== undefined),
          held,
        });
  return prepared.release;
}

async function replayPublication(
  store: ObjectStore,
  { changes, site, previous }: PastRelease,
  { inputs, signal }: ReplayOptions,
): Promise<PlannedRelease | undefined> {
  const cut = CHAIN_IDS.flatMap((chain) => {
    const series = inputs.find((each) => each.chain === chain);
    const through = changes.chains[chain]?.updated_through;
    return series === undefined || through === undefined ? [] : [cutSeries(series, through)];
  }).filter((series) => series.dates.length > 0);
  const chains = cut.map((series) => series.chain);
  const state = previous && (await readState(store, previous.record, previous.sha256, chains));
  const request: PlanRequest = {
    inputs: cut,
    previous: state,
    asOfMs: parseInstant(changes.published_at) ?? NaN,
    texts: await readProductTexts(site),
    full: true, // the release drafted each of these chains, also one whose input was the same
    ...(changes.reason === null ? {} : { acceptance: { reason: changes.reason } }),
  };
  return tryPlan(store, request, signal);
}

/** Returns `undefined` if planning fails: an input that differs from the original one may contradict published days. */
async function tryPlan(
  store: ObjectStore,
  request: PlanRequest,
  signal: AbortSignal,
): Promise<PlannedRelease | undefined> {
  const plan = (superseded: ReadonlyMap<string, DayRecord>): Promise<Plan> =>
    runInterruptibly(planSteps({ ...request, superseded }), signal);
  try {
    return (await planWithPublished(store, plan, signal)).release;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

/**
 * Returns the store with a pointer to `release`, without aliases.json and without a clock, because what it plans was
 * published in the past. For reading: writes go to the store itself.
 */
export function withPointerTo(store: ObjectStore, release: NamedRelease): ObjectStore {
  const bytes = pointerBytes(release);
  const pointer: StoredObject = { bytes, etag: `"${sha256Hex(bytes)}"` };
  const replaced = new Map<string, StoredObject | undefined>([
    [POINTER_KEY, pointer],
    [ALIASES_KEY, undefined],
  ]);
  return {
    ...store,
    now: () => undefined,
    get: (key, maxBytes) =>
      replaced.has(key) ? Promise.resolve(replaced.get(key)) : store.get(key, maxBytes),
  };
}
