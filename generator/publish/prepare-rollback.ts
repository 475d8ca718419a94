import { count } from '../../schemas/words.js';
import pMap from 'p-map';
import { CHAIN_IDS, GENRES, WINDOWS } from '../../schemas/catalog.js';
import type { Chain, Genre, Manifest, ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { entriesInWindow } from '../core/artifacts/bundle.js';
import { isWeekEnd } from '../core/artifacts/weekly-archive.js';
import type { ReferenceTexts } from '../core/draft/site.js';
import { sampleWeekOf } from '../core/draft/sample.js';
import { within } from '../core/volumes/draft-volumes.js';
import { withoutOption } from '../../infra/process/shell-command.js';
import { GeneratorError, type NextWords } from '../core/generator-error.js';
import type { DayRecord } from '../core/records/day-writers.js';
import { nextHeld, type Held } from '../core/release/held.js';
import {
  planHold,
  planRollback,
  rollBackEntries,
  type RollbackTarget,
  type RolledBackChain,
} from '../core/release/plan-rollback.js';
import { isChangedMethodology } from '../core/release/assess-chain.js';
import { manifestOf, type PlannedRelease, type PublishedState } from '../core/release/plan-types.js';
import { daySchemaOf } from '../core/verification/check-files.js';
import { planWithPublished } from './plan-with-published.js';
import { readProductTexts } from '../texts/product-texts.js';
import type { Progress } from '../run/progress.js';
import {
  readManifest,
  readReleases,
  readStartingPoint,
  retainedReleases,
  type StartingPoint,
  type StoredRelease,
} from '../state/published-state.js';
import { assertStore } from '../state/store-mark.js';
import { readArtifactJson } from '../state/stored-json.js';

const CONCURRENCY = 32;
/** Number of revisions that an error message suggests. */
const REVISIONS_SHOWN = 5;

/** Options for `prepareHold` and `prepareRollback`. */
export type PrepareReleaseOptions = {
  readonly store: ObjectStore;
  /** The as-of. If the store's own clock shows an earlier time, that counts. */
  readonly asOfMs: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** A planned rollback, hold or unhold. `release` is absent if the store is already in the requested state. */
export type PreparedRelease = {
  readonly start: StartingPoint & { readonly state: PublishedState };
  readonly release: PlannedRelease | undefined;
};

/** Plans the release that changes what is on hold, as `next` decides. @throws GeneratorError 'usage'. */
export async function prepareHold(
  options: PrepareReleaseOptions,
  next: (current: Held) => Held,
): Promise<PreparedRelease> {
  const start = await readStart(options, false);
  const texts = await readTexts(start.state.record);
  return {
    start,
    release: planHold(start.state, next(start.state.record), { asOfMs: notAhead(options), texts }),
  };
}

/** What to roll back. `chains`: all by default. `held`: what is on hold afterwards; by default these chains, or the store. */
export type RollbackChoice = {
  readonly to: string;
  readonly reason: string;
  readonly chains?: readonly Chain[];
  readonly held?: Held;
};

/**
 * Plans the release that puts the days of release `to` in force again, and holds publication.
 * @throws GeneratorError 'usage' if there is no such earlier release, or garbage collection has deleted its files.
 */
export async function prepareRollback(
  options: PrepareReleaseOptions,
  { to, reason, ...choice }: RollbackChoice,
): Promise<PreparedRelease> {
  const start = await readStart(options, true);
  assertPublished(start.state, options.store, choice.chains);
  const { chains = CHAIN_IDS, held = nextHeld(start.state.record, reason, choice.chains) } = choice;
  const texts = await readTexts(start.state.record);
  const target = await readTarget(options, start, to);
  // Any revision will do: only the digests are used, to read the days. `planRollback` knows the new revision.
  const rolled = rollBackEntries(start.state, target, to, { reason, chains });
  const days = await readDays(options, rolled);
  const asOfMs = notAhead(options);
  const request = { previous: start.state, target, asOfMs, reason, chains, held, texts };
  const plan = await planWithPublished(
    options.store,
    (records) => planRollback({ ...request, days: new Map([...days, ...records]) }),
    options.signal,
  );
  return { start, release: plan.release };
}

/** Throws GeneratorError 'usage' for a chain of which the store has nothing. */
function assertPublished(
  state: PublishedState,
  { address }: ObjectStore,
  chains: readonly Chain[] = [],
): void {
  const missing = chains.find((chain) => manifestOf(state, 'meta', chain) === undefined);
  if (missing === undefined) return;
  throw new GeneratorError('usage', `${address} has no days of ${missing}. Omit --chain ${missing}.`);
}

/** Returns the as-of or, if that is ahead of it, the time of the store's clock: an operator must be able to hold at once. */
function notAhead({ store, asOfMs }: PrepareReleaseOptions): number {
  return Math.min(asOfMs, store.now?.() ?? asOfMs);
}

async function readStart(
  { store, progress }: PrepareReleaseOptions,
  withCalendars: boolean,
): Promise<PreparedRelease['start']> {
  progress.begin('state');
  await assertStore(store);
  const start = await readStartingPoint(store, withCalendars ? CHAIN_IDS : []);
  const { state } = start;
  if (state === undefined) {
    throw new GeneratorError('usage', `${store.address} has no release yet. Publish one first.`, {
      next: ['publish', '--help'],
    });
  }
  progress.end(state.record.revision);
  return { ...start, state };
}

/**
 * Reads the product's texts for the published site.
 * @throws GeneratorError 'refused' if the methodology was edited without a new version, because this release would
 * publish the edit.
 */
async function readTexts(record: ReleaseRecord): Promise<ReferenceTexts> {
  const texts = await readProductTexts(record.site);
  if (isChangedMethodology(record, texts.methodology)) {
    throw new GeneratorError(
      'refused',
      'The methodology data differs from the published data of the same version. Use the version of the generator that published it.',
    );
  }
  return texts;
}

async function readTarget(
  { store, asOfMs }: PrepareReleaseOptions,
  { pointer, state }: PreparedRelease['start'],
  to: string,
): Promise<RollbackTarget> {
  if (pointer === undefined || state.record.revision === to) {
    const earlier = pointer === undefined ? [] : await readReleases(store, pointer.value);
    throw new GeneratorError('usage', `${to} is the current release. Roll back to an earlier one.`, {
      next: rollBackToLatest(earlier),
    });
  }
  const releases = await readReleases(store, pointer.value);
  const found = releases.find(({ record }) => record.revision === to);
  const retained = retainedReleases(releases, asOfMs);
  if (found === undefined) {
    throw new GeneratorError('usage', `There is no release ${to}. ${describeEarlier(releases)}`, {
      next: rollBackToLatest(retained),
    });
  }
  const manifests = await pMap(
    Object.entries(found.record.manifests),
    async ([path, { sha256 }]): Promise<[string, Manifest]> => {
      const manifest = await readManifest(store, sha256).catch((error: unknown) => {
        const isCollected =
          error instanceof GeneratorError && error.exit === 'damaged' && !retained.includes(found);
        if (!isCollected) throw error;
        throw new GeneratorError(
          'usage',
          `Release ${to} is no longer kept in full. ${describeEarlier(retained)}`,
          { cause: error, next: rollBackToLatest(retained) },
        );
      });
      return [path, manifest];
    },
  );
  return { record: found.record, manifests: new Map(manifests) };
}

/** Returns the command of this run with the latest release before the current one. */
function rollBackToLatest([, latest]: readonly StoredRelease[]): NextWords {
  if (latest === undefined) return undefined;
  return (args) => [...withoutOption(args, '--to'), '--to', latest.record.revision];
}

function describeEarlier(releases: readonly StoredRelease[]): string {
  const revisions = releases.slice(1, REVISIONS_SHOWN + 1).map(({ record }) => record.revision);
  return revisions.length === 0
    ? 'There is no earlier release to roll back to.'
    : `The latest releases to roll back to are ${revisions.join(', ')}.`;
}

/** The genres of which every date is read: the calendar, the chart and the statistics of the labels cover all history. */
const WHOLE: readonly Genre[] = ['meta', 'gold'];

/** Returns whether the archive of weekly summaries shows the derived record of a date. */
const isArchived = ({ date }: { readonly date: string }): boolean => isWeekEnd(date);

/** Reads the day records from which the files of these chains are made, except for the volumes, by digest. */
async function readDays(
  { store, progress, signal }: PrepareReleaseOptions,
  rolled: readonly RolledBackChain[],
): Promise<Map<string, DayRecord>> {
  const longest = Math.max(...Object.values(WINDOWS));
  const genres = new Map<string, Genre>(
    rolled.flatMap(({ entries }) => {
      const week = sampleWeekOf(entries.meta);
      return GENRES.flatMap((genre) =>
        [
          ...entriesInWindow(entries[genre], WHOLE.includes(genre) ? Infinity : longest),
          ...(genre === 'derived' ? entriesInWindow(entries.derived, Infinity).filter(isArchived) : []),
          ...(week === undefined ? [] : within(week, entries[genre])),
        ].map(({ sha256 }) => [sha256, genre] as const),
      );
    }),
  );
  progress.begin('rebuild', genres.size);
  const days = new Map<string, DayRecord>();
  await pMap(
    genres,
    async ([sha256, genre]) => {
      signal.throwIfAborted();
      days.set(sha256, await readArtifactJson(store, sha256, daySchemaOf(genre)));
      progress.advance();
    },
    { concurrency: CONCURRENCY },
  );
  progress.end(`${count(days.size, 'day')} read`);
  return days;
}
