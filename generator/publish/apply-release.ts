import { releaseKey } from '../../schemas/paths.js';
import { findSchemaFaults } from '../../schemas/validate.js';
import type { Etag } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import type { PlannedRelease } from '../core/release/plan-types.js';
import { assertMoved, movePointer } from '../state/move-pointer.js';
import { type Signing, signRelease } from '../signing/signing.js';
import { readNextHistory } from '../signing/signed-history.js';
import { metaOf } from '../state/object-meta.js';
import { putImmutable } from '../state/write-artifact.js';
import {
  beginWriting,
  countWrite,
  writeArtifacts,
  type Writing,
  type WriteOptions,
  type Written,
} from './release-writing.js';

/** Options for `applyRelease`. */
export type ApplyOptions = WriteOptions & {
  readonly release: PlannedRelease;
  /** Etag of the pointer that the release was planned from; `null` if there was no pointer. */
  readonly etag: Etag | null;
  /** The writing that began while the release was planned, if any. */
  readonly writing?: Writing | undefined;
  /** Present if the releases of the store are signed. */
  readonly signing?: Signing | undefined;
};

/**
 * Writes a release in the order of the protocol: store mark, artifacts, release record, statement, pointer. Moving the
 * pointer commits the release; until then it is invisible to readers. So no pointer names an unsigned release.
 * @throws GeneratorError 'conflict' if another release was committed first or garbage collection was running, and
 * 'store-unavailable' if it is unknown whether the release was committed.
 */
export async function applyRelease(options: ApplyOptions): Promise<Written> {
  const { progress, release, signal } = options;
  const writing = options.writing ?? (await beginWriting(options, release.artifacts.length));
  await writeArtifacts(writing, release.artifacts, options);

  progress.begin('record');
  await writeRecord(writing, options);
  await writeStatement(writing, options);
  progress.end(release.record.revision);

  signal?.throwIfAborted();
  await writing.gc.assertNothingDeleted();
  progress.begin('commit');
  countWrite(writing, 'created', await commit(options));
  progress.end(`sequence ${release.record.sequence}`);
  return writing.written;
}

async function writeRecord(writing: Writing, { store, release }: ApplyOptions): Promise<void> {
  const key = releaseKey(release.record.revision, release.sha256);
  const [fault] = findSchemaFaults('release-record', release.record);
  if (fault !== undefined) {
    throw new GeneratorError(
      'artifact-invalid',
      `${key} at ${fault.pointer}: ${fault.message}. Nothing was published. This is a bug in the generator: please report it.`,
    );
  }
  const body = Buffer.from(release.recordText, 'utf8');
  countWrite(writing, await putImmutable(store, key, body, release.sha256, metaOf(key)), body.length);
}

async function writeStatement(writing: Writing, { store, release, signing }: ApplyOptions): Promise<void> {
  if (signing === undefined) return;
  const history = await readNextHistory(store, release, signing.keySet);
  const bytes = await signRelease(store, signing, { release, history, isExposed: true });
  countWrite(writing, bytes > 0 ? 'created' : 'exists', bytes);
}

/** Moves the pointer to the release and returns the size of the pointer. */
async function commit({ store, release, etag, signal }: ApplyOptions): Promise<number> {
  const { revision, sequence } = release.record;
  const named = { revision, sequence, sha256: release.sha256 };
  const move = await movePointer(store, named, { expected: etag, signal });
  return assertMoved(
    store,
    move,
    (revision) =>
      `Another run moved the pointer to ${revision} in the meantime, so this release was not published. Run again.`,
  );
}
