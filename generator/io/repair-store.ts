import { canonicalJson } from '../../schemas/canonical-json.js';
import { ALIASES_KEY, POINTER_KEY, PUBLIC_PREFIX } from '../../schemas/paths.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import type { InputSeries } from '../core/input-series.js';
import type { StoreFault } from '../core/verification/fault.js';
import { findLostObjects } from './lost-objects.js';
import { metaOf } from './object-meta.js';
import { createPointedStore } from './pointed-store.js';
import type { Progress } from './progress.js';
import { isMarkedStore } from './published-state.js';
import { rebuildObjects } from './rebuild-objects.js';
import type { NamedRelease } from './release-lineage.js';
import { refreshAliases, type RefreshResult } from './refresh-aliases.js';
import {
  findCommitted,
  findLastCommitted,
  putPointer,
  readLostPointer,
  type PointerRequest,
} from './restore-pointer.js';
import { parseStored } from './stored-json.js';
import { unlessDamaged } from './unless-damaged.js';
import { verifyStore, type Verification } from './verify-store.js';
import { watchCommit } from './watched-commit.js';

/** What a repair may do, and what it may use of the outside world. */
export type RepairTerms = {
  /** What lost objects are rebuilt from; none are without it. */
  readonly inputs?: readonly InputSeries[];
  /** The release that a lost pointer shall name. */
  readonly pointer?: PointerRequest;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** What a repair did, and what is left to do. */
export type RepairResult = {
  readonly outcome: 'sound' | 'repaired' | 'damaged';
  readonly revision: string | null;
  readonly sequence: number | null;
  readonly pointer: 'kept' | 'restored' | 'lost';
  /** Keys of artifacts and release records whose bytes were put back. */
  readonly restored: readonly string[];
  /** Public copies that were written again. */
  readonly aliases: RefreshResult;
  readonly faults: readonly StoreFault[];
  /** The release that a lost pointer should name again, when anything tells. */
  readonly candidate: NamedRelease | null;
};

/** What a repair has done so far. */
type Done = { readonly restored: string[]; pointer: RepairResult['pointer']; aliases: RefreshResult };

/**
 * Mends what can be mended: the public copies; with `inputs`, missing and damaged objects, by bytes of exactly their
 * digest; with `pointer`, a pointer that was lost. What it does not name as mended is as it was.
 * @throws GeneratorError 'interrupted', saying what was done, when the signal was aborted.
 */
export async function repairStore(store: ObjectStore, terms: RepairTerms): Promise<RepairResult> {
  const done: Done = { restored: [], pointer: 'kept', aliases: { objects: 0, bytes: 0 } };
  const commit = watchCommit(store, terms.signal);
  try {
    return await repair(commit.store, terms, done);
  } catch (error) {
    if (!terms.signal.aborted) throw error;
    const isLost = error instanceof GeneratorError && error.exit === 'conflict';
    throw interruptedError(done, commit.isSent() && !isLost, error);
  }
}

async function repair(store: ObjectStore, terms: RepairTerms, done: Done): Promise<RepairResult> {
  await isMarkedStore(store, true);
  if (terms.pointer !== undefined) {
    const left = await restorePointer(store, terms.pointer, terms, done);
    if (left !== undefined) return toResult(left, done);
  }
  const objects = await repairObjects(store, terms, done);
  await repairAliases(store, terms, done);
  const after = objects.faults.length === 0 ? objects : await verifyStore(store, toVerify(terms));
  const isLost = after.revision === null && after.faults.some(({ key }) => key === POINTER_KEY);
  if (!isLost) return toResult(after, done, objects);
  done.pointer = 'lost';
  return toResult(after, done, objects, await findLastCommitted(store));
}

/** Verifies, rebuilds what is lost, and verifies again, until nothing more comes back. */
async function repairObjects(store: ObjectStore, terms: RepairTerms, done: Done): Promise<Verification> {
  const { inputs, progress, signal } = terms;
  for (;;) {
    const verification = await verifyStore(store, toVerify(terms));
    if (inputs === undefined) return verification;
    const lost = await findLostObjects(store, verification.faults);
    const onRestored = (key: string): unknown => done.restored.push(key);
    if (lost.size === 0 || !(await rebuildObjects(store, lost, { inputs, progress, signal, onRestored })))
      return verification;
  }
}

/** Refreshes every public copy. One whose artifact is damaged stays as it is: verification names it. */
async function repairAliases(
  store: ObjectStore,
  { progress, signal }: RepairTerms,
  done: Done,
): Promise<void> {
  await mendMark(store);
  const refreshed = await unlessDamaged(() => refreshAliases(store, progress, signal));
  if (refreshed !== undefined) done.aliases = refreshed;
}

/** Puts the lowest mark in place of one that cannot be read: refreshing raises it. */
async function mendMark(store: ObjectStore): Promise<void> {
  const found = await store.get(ALIASES_KEY);
  if (found === undefined) return;
  if ((await unlessDamaged(() => parseStored(ALIASES_KEY, 'aliases', found.bytes))) !== undefined) return;
  const lowest = Buffer.from(canonicalJson({ schema: 'aliases/1', sequence: 1 }));
  await store.compareAndSwap(ALIASES_KEY, lowest, found.etag, metaOf(ALIASES_KEY));
}

/**
 * Restores a lost pointer to a release that is whole; resolves what was found when it is not, and nothing is written
 * but what `inputs` could mend.
 */
async function restorePointer(
  store: ObjectStore,
  request: PointerRequest,
  terms: RepairTerms,
  done: Done,
): Promise<Verification | undefined> {
  const lost = await readLostPointer(store);
  done.pointer = 'lost';
  const release = await findCommitted(store, request);
  const verification = await repairObjects(createPointedStore(store, release), terms, done);
  const faults = verification.faults.filter(({ key }) => !isOfCopies(key));
  if (faults.length > 0) return { ...verification, faults };
  terms.signal.throwIfAborted();
  await putPointer(store, release, lost);
  done.pointer = 'restored';
  return undefined;
}

function isOfCopies(key: string): boolean {
  return key === ALIASES_KEY || key.startsWith(PUBLIC_PREFIX);
}

function toVerify({ progress, signal }: RepairTerms): Parameters<typeof verifyStore>[1] {
  return { deep: false, progress, signal };
}

/** The result of a repair that ends with `after`; `before` is what was found with every object put back. */
function toResult(after: Verification, done: Done, before = after, candidate?: NamedRelease): RepairResult {
  const { revision, sequence, faults } = after;
  const { restored, pointer, aliases } = done;
  const isTouched = restored.length > 0 || before.faults.length > 0 || pointer === 'restored';
  const outcome = faults.length > 0 ? 'damaged' : isTouched ? 'repaired' : 'sound';
  return {
    outcome,
    revision,
    sequence,
    pointer,
    restored: [...restored].sort(),
    aliases,
    faults,
    candidate: candidate ?? null,
  };
}

function interruptedError({ restored, pointer }: Done, isSent: boolean, cause: unknown): GeneratorError {
  const fate = {
    kept: 'some public copies may lag',
    restored: 'the pointer was restored, some public copies may lag',
    lost: isSent ? 'whether the pointer was restored is unknown: run status' : 'the pointer was not restored',
  }[pointer];
  return new GeneratorError(
    'interrupted',
    `interrupted: ${restored.length} objects were put back; ${fate}; run again`,
    { cause },
  );
}
