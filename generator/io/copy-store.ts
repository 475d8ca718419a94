import pMap from 'p-map';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { POINTER_KEY, STORE_KEY } from '../../schemas/paths.js';
import type { Pointer } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { watchCollections } from './collection-mark.js';
import { LONGEST_PUBLICATION_MS } from './collection-terms.js';
import { listCopyItems, type CopyItem, type CopyList } from './copy-list.js';
import { copyObject } from './copy-object.js';
import { moveTargetPointer, placeOfTarget, readTargetPointer } from './copy-target.js';
import { metaOf } from './object-meta.js';
import type { Progress } from './progress.js';
import { isMarkedStore, readPointer, type ReadPointer } from './published-state.js';
import { readReleaseChain } from './reachable-objects.js';
import { refreshAliases } from './refresh-aliases.js';
import { tellingWhere } from './telling-where.js';
import { watchCommit } from './watched-commit.js';

/** Number of objects that are copied at a time; of large ones fewer, so that memory stays bounded. */
const CONCURRENCY = 32;
const LARGE_CONCURRENCY = 8;
const LARGE_BYTES = 65_536;

/** What to copy, and what a copy may use of the outside world. */
export type CopyTerms = {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  /** Milliseconds from any origin, never going back. */
  readonly clock: () => number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** What was copied. */
export type CopyResult = {
  readonly outcome: 'copied' | 'unchanged';
  readonly from: string;
  readonly to: string;
  /** The release that both stores hold now, unless the target is ahead of it. */
  readonly revision: string;
  readonly sequence: number;
  readonly sha256: string;
  /** What the target lacked, pointer and public copies included. */
  readonly written: { readonly objects: number; readonly bytes: number };
  /** Files of old releases that the source does not have any more. */
  readonly skipped: number;
  /** Keys of the target that had other bytes than their digest says, and have the right ones now. */
  readonly mended: readonly string[];
};

type Tally = { objects: number; bytes: number; skipped: number; mended: string[] };
type PointerFate = 'not moved' | 'unknown' | 'moved';

/**
 * Mirrors the release that the source's pointer names when the copy begins, with its whole chain: every byte is judged
 * by its digest before it is written, and the target's pointer moves last. A copy that was broken off goes on where it
 * stopped.
 * @throws GeneratorError 'usage' for a target that is no ancestor of the source, 'damaged' when the source lacks
 * something, 'interrupted', saying whether the target's pointer was moved, when the signal was aborted.
 */
export async function copyStore(terms: CopyTerms): Promise<CopyResult> {
  const { to, signal } = terms;
  const commit = watchCommit(to, signal);
  const pointer = { moved: false };
  try {
    return await copyWatched({ ...terms, to: commit.store }, () => (pointer.moved = true));
  } catch (error) {
    if (!signal.aborted) throw error;
    const isLost = error instanceof GeneratorError && error.exit === 'conflict';
    const fate = commit.isSent() && !isLost ? 'unknown' : 'not moved';
    throw interruptedError(to, pointer.moved ? 'moved' : fate, error);
  }
}

async function copyWatched(terms: CopyTerms, onMoved: () => void): Promise<CopyResult> {
  const { from, to, clock, progress, signal } = terms;
  const startedMs = clock();
  const tally: Tally = { objects: 0, bytes: 0, skipped: 0, mended: [] };
  progress.begin('state');
  const { pointer, held, list } = await survey(from, to);
  progress.end(pointer.revision);
  signal.throwIfAborted();

  progress.begin('copy', list.files.length + list.records.length);
  const collections = await watchCollections(to);
  await putMark(to, tally);
  await copyAll(terms, list, tally);
  progress.end(`${tally.objects} objects, ${(tally.bytes / 1e6).toFixed(1)} MB new`);

  if (held?.value.sha256 !== pointer.sha256) {
    signal.throwIfAborted();
    assertQuick(clock() - startedMs);
    await collections.assertNone();
    progress.begin('commit');
    await moveTargetPointer(to, pointer, held);
    tally.objects += 1;
    tally.bytes += canonicalJson(pointer).length;
    progress.end(`sequence ${pointer.sequence}`);
  }
  onMoved();
  const refreshed = await tellingWhere(to, () => refreshAliases(to, progress, signal));
  const written = { objects: tally.objects + refreshed.objects, bytes: tally.bytes + refreshed.bytes };
  const { revision, sequence, sha256 } = pointer;
  const { skipped, mended } = tally;
  return {
    outcome: written.objects === 0 ? 'unchanged' : 'copied',
    from: from.address,
    to: to.address,
    revision,
    sequence,
    sha256,
    written,
    skipped,
    mended: mended.sort(),
  };
}

type Survey = { readonly pointer: Pointer; readonly held: ReadPointer | undefined; readonly list: CopyList };

/** Reads what there is to copy, and what the target holds of it. */
async function survey(from: ObjectStore, to: ObjectStore): Promise<Survey> {
  await isMarkedStore(from, true);
  // The target first: what another copy brings there from now on is in the chain that is read after it.
  const held = await readTargetPointer(to);
  const [pointer, head] = await tellingWhere(from, () =>
    Promise.all([readPointer(from), from.head(POINTER_KEY)]),
  );
  if (pointer === undefined || head === undefined) {
    throw new GeneratorError('usage', `${from.address} has published nothing: there is nothing to copy`);
  }
  const chain = await tellingWhere(from, () => readReleaseChain(from, pointer.value));
  const place = await placeOfTarget(from, to, chain, held?.value);
  const list = await tellingWhere(from, () =>
    listCopyItems(from, { chain, held: place, nowMs: head.answeredAtMs }),
  );
  return { pointer: pointer.value, held, list };
}

async function putMark(to: ObjectStore, tally: Tally): Promise<void> {
  const body = Buffer.from(canonicalJson({ format: 1 }));
  if ((await to.putIfAbsent(STORE_KEY, body, metaOf(STORE_KEY))) === 'exists') return;
  tally.objects += 1;
  tally.bytes += body.length;
}

/** Copies the files, then the records. */
async function copyAll(
  { from, to, progress, signal }: CopyTerms,
  { files, records }: CopyList,
  tally: Tally,
): Promise<void> {
  const copy = async (item: CopyItem): Promise<void> => {
    signal.throwIfAborted();
    const { fate, bytes } = await copyObject(from, to, item);
    tally.objects += bytes > 0 ? 1 : 0;
    tally.bytes += bytes;
    tally.skipped += fate === 'collected' ? 1 : 0;
    if (fate === 'mended') tally.mended.push(item.key);
    progress.advance();
  };
  const isLarge = ({ bytes = 0 }: CopyItem): boolean => bytes > LARGE_BYTES;
  await pMap(
    files.filter((item) => !isLarge(item)),
    copy,
    { concurrency: CONCURRENCY },
  );
  await pMap(files.filter(isLarge), copy, { concurrency: LARGE_CONCURRENCY });
  await pMap(records, copy, { concurrency: LARGE_CONCURRENCY });
}

function assertQuick(tookMs: number): void {
  if (tookMs <= LONGEST_PUBLICATION_MS) return;
  throw new GeneratorError(
    'conflict',
    "the copy took so long that a collector may have taken its first files; the target's pointer was not moved: run again, it goes on where it stopped",
  );
}

function interruptedError(to: ObjectStore, fate: PointerFate, cause: unknown): GeneratorError {
  const what = {
    'not moved': 'was not moved: nothing visible has changed; run again, it goes on where it stopped',
    unknown: 'may have been moved: run status there',
    moved: 'names the copied release; some public copies may lag: run again',
  }[fate];
  return new GeneratorError('interrupted', `interrupted: the pointer of ${to.address} ${what}`, { cause });
}
