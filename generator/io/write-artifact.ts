import { sha256Hex } from '../../schemas/digest.js';
import { cacheControlOf, objectKey } from '../../schemas/paths.js';
import { findSchemaFaults } from '../../schemas/validate.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { Artifact } from '../core/artifacts/artifact.js';
import { GeneratorError } from '../core/generator-error.js';
import { damaged } from './stored-json.js';

/** Least age of an unreachable object before it may be collected. */
export const COLLECTION_GRACE_MS = 7 * 86_400_000;

/** What became of an artifact: written, or found as it should be. */
export type WriteResult = 'created' | 'exists';

/**
 * Puts an artifact under its digest, judged by its schema first. One that lies there already is compared by size and
 * digest, and put again when it is so old that a collector might soon take it.
 * @throws GeneratorError 'artifact-invalid' or 'damaged'.
 */
export async function writeArtifact(
  store: ObjectStore,
  artifact: Artifact,
  nowMs: number,
): Promise<WriteResult> {
  const key = objectKey(artifact.sha256);
  const meta = { contentType: artifact.type, cacheControl: cacheControlOf(key) };
  const body = toBody(artifact);
  if ((await store.putIfAbsent(key, body, meta)) === 'created') return 'created';
  const head = await store.head(key);
  if (head === undefined) return writeArtifact(store, artifact, nowMs);
  if (head.sizeBytes !== body.length || head.sha256 !== artifact.sha256) {
    throw damaged(key, `has other bytes than its digest says (${head.sizeBytes} of ${body.length})`);
  }
  if (nowMs - head.modifiedAtMs > COLLECTION_GRACE_MS / 2) {
    await store.compareAndSwap(key, body, head.etag, meta);
  }
  return 'exists';
}

/** The bytes of an artifact, judged: nothing else of it need be held while they are written. */
function toBody({ path, sha256, content }: Artifact): Buffer {
  const { schema, value, text } = content();
  const [fault] = findSchemaFaults(schema, value);
  if (fault !== undefined) {
    throw new GeneratorError(
      'artifact-invalid',
      `${path} at ${fault.pointer || '/'}: ${fault.message} (schema ${schema}); nothing was published: this is a fault of the generator or its data files`,
    );
  }
  const body = Buffer.from(text, 'utf8');
  const found = sha256Hex(body);
  if (found !== sha256) throw new Error(`${path}: planned ${sha256}, made ${found}`);
  return body;
}
