import pMap from 'p-map';
import { CHAIN_IDS, WINDOWS } from '../../schemas/catalog.js';
import type { Manifest, ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { entriesInWindow } from '../core/artifacts/bundle.js';
import type { ReferenceTexts } from '../core/artifacts/reference-files.js';
import { GeneratorError } from '../core/generator-error.js';
import type { DayRecord } from '../core/records/day-writers.js';
import { planHold } from '../core/release/plan-hold.js';
import {
  planRollback,
  rollBackEntries,
  type RolledBackChain,
  type RollbackTarget,
} from '../core/release/plan-rollback.js';
import { isChangedMethodology } from '../core/release/plan-release.js';
import type { PlannedRelease } from '../core/release/plan-types.js';
import type { PublishedState } from '../core/release/published-state.js';
import { assertNotBefore } from './prepare-plan.js';
import { readProductTexts } from './product-texts.js';
import type { Progress } from './progress.js';
import { isMarkedStore, readStartingPoint, type StartingPoint } from './published-state.js';
import { readReleaseChain, retainedOf, type ChainRelease } from './reachable-objects.js';
import { readArtifact } from './stored-json.js';

const CONCURRENCY = 32;
/** Number of revisions that are named to one who asked for another. */
const REVISIONS_SHOWN = 5;

/** What an operator asks for, apart from where. */
export type OperatorTerms = {
  readonly store: ObjectStore;
  readonly asOfMs: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** A release that an operator asked for; absent when the store already is as asked. */
export type PreparedRelease = {
  readonly start: StartingPoint & { readonly state: PublishedState };
  readonly release: PlannedRelease | undefined;
};

/** Prepares the release that holds publication or, with `null`, lets it go on. @throws GeneratorError 'usage'. */
export async function prepareHold(terms: OperatorTerms, hold: string | null): Promise<PreparedRelease> {
  const start = await readStart(terms, false);
  const texts = await readTexts(start.state.record);
  return { start, release: planHold(start.state, hold, { asOfMs: terms.asOfMs, texts }) };
}

/**
 * Prepares the release that puts the days of an earlier one in force again.
 * @throws GeneratorError 'usage' when there is no such earlier release, or it is no longer kept in full.
 */
export async function prepareRollback(
  terms: OperatorTerms,
  to: string,
  reason: string,
): Promise<PreparedRelease> {
  const start = await readStart(terms, true);
  const texts = await readTexts(start.state.record);
  const target = await readTarget(terms, start, to);
  const rolled = rollBackEntries(start.state, target, to, reason);
  const days = await readDays(terms, rolled);
  const request = { previous: start.state, target, asOfMs: terms.asOfMs, reason, texts, days };
  return { start, release: planRollback(request) };
}

async function readStart(
  { store, asOfMs, progress }: OperatorTerms,
  calendars: boolean,
): Promise<PreparedRelease['start']> {
  progress.begin('state');
  await isMarkedStore(store, true);
  const start = await readStartingPoint(store, calendars ? CHAIN_IDS : []);
  const { state } = start;
  if (state === undefined) {
    throw new GeneratorError('usage', `${store.address} has no release yet; publish one first`);
  }
  assertNotBefore(asOfMs, state.record.published_at);
  progress.end(state.record.revision);
  return { ...start, state };
}

/** Reads the product's texts. @throws GeneratorError 'refused' for an edited methodology: it would change silently. */
async function readTexts(record: ReleaseRecord): Promise<ReferenceTexts> {
  const texts = await readProductTexts();
  if (isChangedMethodology(record, texts.methodology)) {
    throw new GeneratorError(
      'refused',
      'the methodology data differs from the published one under the same version; use the generator that published it',
    );
  }
  return texts;
}

async function readTarget(
  { store, asOfMs }: OperatorTerms,
  { pointer, state }: PreparedRelease['start'],
  to: string,
): Promise<RollbackTarget> {
  if (pointer === undefined || state.record.revision === to) {
    throw new GeneratorError('usage', `${to} is the current release; roll back to an earlier one`);
  }
  const chain = await readReleaseChain(store, pointer.value);
  const found = chain.find(({ record }) => record.revision === to);
  const kept = retainedOf(chain, asOfMs);
  if (found === undefined) {
    throw new GeneratorError('usage', `there is no release ${to}; ${describeEarlier(chain)}`);
  }
  const manifests = await pMap(
    Object.entries(found.record.manifests),
    async ([path, { sha256 }]): Promise<[string, Manifest]> => {
      const bytes = await readArtifact(store, sha256).catch((error: unknown) => {
        const isCollected =
          error instanceof GeneratorError && error.exit === 'damaged' && !kept.includes(found);
        if (!isCollected) throw error;
        throw new GeneratorError('usage', `${to} is no longer kept in full; ${describeEarlier(kept)}`, {
          cause: error,
        });
      });
      return [path, JSON.parse(Buffer.from(bytes).toString('utf8')) as Manifest]; // its digest proves that it was judged
    },
  );
  return { record: found.record, manifests: new Map(manifests) };
}

function describeEarlier(chain: readonly ChainRelease[]): string {
  const revisions = chain.slice(1, REVISIONS_SHOWN + 1).map(({ record }) => record.revision);
  return revisions.length === 0
    ? 'there is no earlier release'
    : `the latest that can be rolled back to are ${revisions.join(', ')}`;
}

/** Reads the day records that calendars, bundles and summaries of these chains are made from. */
async function readDays(
  { store, progress, signal }: OperatorTerms,
  rolled: readonly RolledBackChain[],
): Promise<Map<string, DayRecord>> {
  const longest = Math.max(...Object.values(WINDOWS));
  const digests = new Set(
    rolled.flatMap(({ entries }) =>
      [
        ...entriesInWindow(entries.meta, Infinity),
        ...entriesInWindow(entries.gold, longest),
        ...entriesInWindow(entries.derived, longest),
        ...entriesInWindow(entries.briefs, longest),
      ].map(({ sha256 }) => sha256),
    ),
  );
  progress.begin('rebuild', digests.size);
  const days = new Map<string, DayRecord>();
  await pMap(
    digests,
    async (sha256) => {
      signal.throwIfAborted();
      const bytes = await readArtifact(store, sha256);
      days.set(sha256, JSON.parse(Buffer.from(bytes).toString('utf8')) as DayRecord); // its digest proves that it was judged
      progress.advance();
    },
    { concurrency: CONCURRENCY },
  );
  progress.end(`${days.size} days read`);
  return days;
}
