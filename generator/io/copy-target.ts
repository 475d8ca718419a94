import { canonicalJson } from '../../schemas/canonical-json.js';
import { ALIASES_KEY, POINTER_KEY, RELEASES_PREFIX } from '../../schemas/paths.js';
import type { Pointer } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { metaOf } from './object-meta.js';
import { isMarkedStore, type ReadPointer } from './published-state.js';
import { recordKeysOf, type ChainRelease } from './reachable-objects.js';
import { descendsFrom } from './release-lineage.js';
import { readStoredJson } from './stored-json.js';
import { tellingWhere } from './telling-where.js';

/**
 * Reads the pointer of a store that is to be copied to; `undefined` of a fresh one, after an interrupted copy, and of a
 * store that has lost it. @throws GeneratorError 'usage' for something else than a store.
 */
export function readTargetPointer(to: ObjectStore): Promise<ReadPointer | undefined> {
  return tellingWhere(to, async () => {
    if (!(await isMarkedStore(to, false))) return undefined;
    return readStoredJson(to, POINTER_KEY, 'pointer');
  });
}

/**
 * The place in the source's chain of the release that the target holds; -1 when it holds none.
 * @throws GeneratorError 'usage' when the target holds anything that the source has not.
 */
export async function placeOfTarget(
  from: ObjectStore,
  to: ObjectStore,
  chain: readonly ChainRelease[],
  held: Pointer | undefined,
): Promise<number> {
  if (held === undefined) {
    await assertNoOtherRecord(from, to, chain);
    await assertNotAhead(from, to, chain);
    return -1;
  }
  const place = chain.findIndex(({ sha256 }) => sha256 === held.sha256);
  if (place < 0) {
    const { record } = chain[0] ?? {};
    throw refused(
      from,
      to,
      `release ${held.revision} (sequence ${held.sequence}, ${held.sha256})`,
      `; the source stands at ${record?.revision ?? ''} (sequence ${record?.sequence ?? 0})`,
    );
  }
  return place;
}

/** A copy that was interrupted leaves records of the source, and no others. */
async function assertNoOtherRecord(
  from: ObjectStore,
  to: ObjectStore,
  chain: readonly ChainRelease[],
): Promise<void> {
  const known = recordKeysOf(chain);
  for await (const { key } of to.list(RELEASES_PREFIX)) {
    if (!known.has(key) && (await from.head(key)) === undefined) throw refused(from, to, key);
  }
}

/** A store that has lost its pointer may hold copies of a release that the source has not. */
async function assertNotAhead(
  from: ObjectStore,
  to: ObjectStore,
  [current]: readonly ChainRelease[],
): Promise<void> {
  const mark = await readStoredJson(to, ALIASES_KEY, 'aliases');
  if (mark === undefined || mark.value.sequence <= (current?.record.sequence ?? 0)) return;
  throw refused(from, to, `public copies of sequence ${mark.value.sequence}`);
}

function refused(from: ObjectStore, to: ObjectStore, what: string, more = ''): GeneratorError {
  return new GeneratorError(
    'usage',
    `${to.address} holds ${what}, which is not in the history of ${from.address}${more}; nothing was written: choose another target`,
  );
}

/**
 * Moves the target's pointer from `held` to `pointer`, unless the target stands there or later in the same chain.
 * @throws GeneratorError 'conflict' when something else was published there in the meantime.
 */
export async function moveTargetPointer(
  to: ObjectStore,
  pointer: Pointer,
  held: ReadPointer | undefined,
): Promise<void> {
  const body = Buffer.from(canonicalJson(pointer));
  let failure: unknown;
  try {
    const swapped = await to.compareAndSwap(POINTER_KEY, body, held?.etag ?? null, metaOf(POINTER_KEY));
    if (swapped !== 'conflict') return;
  } catch (error) {
    failure = error;
  }
  // Neither a lost swap nor a lost answer says what happened: the pointer does.
  const now = await readStoredJson(to, POINTER_KEY, 'pointer').catch((error: unknown) => {
    if (failure === undefined) throw error;
    const message = `${to.address} failed while its pointer was moved: whether it was moved is unknown: run status there`;
    throw new GeneratorError('store-unavailable', message, { cause: failure });
  });
  if (now !== undefined && (await descendsFrom(to, now.value, pointer))) return;
  if (failure !== undefined) throw failure as Error; // what a store throws is an Error
  throw new GeneratorError(
    'conflict',
    `${to.address} holds release ${now?.value.revision ?? 'none'} by now, which another run has published; its pointer was not moved: run again`,
  );
}
