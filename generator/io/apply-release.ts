import { canonicalJson } from '../../schemas/canonical-json.js';
import { POINTER_KEY, releaseKey } from '../../schemas/paths.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { findSchemaFaults } from '../../schemas/validate.js';
import { GeneratorError } from '../core/generator-error.js';
import type { PlannedRelease } from '../core/release/plan-types.js';
import { readPointer, readRecord } from './published-state.js';
import { LONGEST_PUBLICATION_MS } from './collection-terms.js';
import { metaOf } from './object-meta.js';
import {
  beginWriting,
  countWrite,
  writeArtifacts,
  type Writing,
  type WriteTerms,
  type Written,
} from './release-writing.js';
import { putImmutable } from './write-artifact.js';

/** What applying a release needs. `etag` is that of the pointer which the plan was made from. */
export type ApplyTerms = WriteTerms & {
  readonly release: PlannedRelease;
  readonly etag: Etag | null;
  /** What was written already while the plan was made. */
  readonly writing?: Writing | undefined;
};

/**
 * Writes a release in the order of the protocol: the mark, the artifacts, the record, the pointer. The swap of the
 * pointer commits; until then no reader sees anything of it.
 * @throws GeneratorError 'conflict' when another release was committed first, or a collector was at work: nothing visible
 * has changed.
 */
export async function applyRelease(terms: ApplyTerms): Promise<Written> {
  const { store, release, progress, now, signal } = terms;
  const writing = terms.writing ?? (await beginWriting(terms, release.artifacts.length));
  await writeArtifacts(writing, release.artifacts, terms);

  progress.begin('record');
  const key = releaseKey(release.record.revision, release.sha256);
  const [fault] = findSchemaFaults('release-record', release.record);
  if (fault !== undefined) {
    throw new GeneratorError(
      'artifact-invalid',
      `${key} at ${fault.pointer}: ${fault.message}; nothing was published`,
    );
  }
  const record = Buffer.from(release.recordText, 'utf8');
  const result = await putImmutable(store, key, record, release.sha256, metaOf(key));
  countWrite(writing, result, record.length);
  progress.end(release.record.revision);

  signal?.throwIfAborted();
  if (now() - writing.startedMs > LONGEST_PUBLICATION_MS) {
    throw new GeneratorError(
      'conflict',
      'the run took so long that its files may have been collected; nothing was published: run again',
    );
  }
  await writing.collections.assertNone();
  progress.begin('commit');
  countWrite(writing, 'created', await commit(store, release, terms.etag));
  progress.end(`sequence ${release.record.sequence}`);
  return writing.written;
}

/** Swaps the pointer; resolves its size. A lost swap or answer says nothing: the pointer says what happened. */
async function commit(store: ObjectStore, release: PlannedRelease, etag: Etag | null): Promise<number> {
  const { revision, sequence } = release.record;
  const pointer = { schema: 'pointer/1', revision, sequence, sha256: release.sha256 };
  const body = Buffer.from(canonicalJson(pointer));
  let failure: unknown;
  try {
    if ((await store.compareAndSwap(POINTER_KEY, body, etag, metaOf(POINTER_KEY))) !== 'conflict')
      return body.length;
  } catch (error) {
    failure = error;
  }
  if (await readCommitted(store, release, failure)) return body.length;
  if (failure !== undefined) throw failure as Error; // what a store throws is an Error
  throw new GeneratorError(
    'conflict',
    'another release was published in the meantime; nothing of this one is visible: run again',
  );
}

async function readCommitted(
  store: ObjectStore,
  release: PlannedRelease,
  failure: unknown,
): Promise<boolean> {
  try {
    return await isCommitted(store, release);
  } catch (error) {
    if (failure === undefined) throw error;
    const message =
      'the store failed while the pointer was moved: whether the release was committed is unknown: run status';
    throw new GeneratorError('store-unavailable', message, { cause: failure });
  }
}

/** Whether the pointer names this release, or the chain of `previous` from it holds this release. */
async function isCommitted(store: ObjectStore, release: PlannedRelease): Promise<boolean> {
  const pointer = await readPointer(store);
  let link: { revision: string; sha256: string } | null = pointer?.value ?? null;
  while (link !== null) {
    if (link.sha256 === release.sha256) return true;
    const record = await readRecord(store, link);
    if (record.sequence <= release.record.sequence) return false;
    link = record.previous;
  }
  return false;
}
