import { sha256Hex } from '../../schemas/digest.js';
import { objectKey } from '../../schemas/paths.js';
import { findSchemaFaults } from '../../schemas/validate.js';
import type { ObjectMeta, ObjectStore } from '../../infra/store/object-store.js';
import type { Artifact } from '../core/artifacts/artifact.js';
import { GeneratorError } from '../core/generator-error.js';
import { LEAST_GRACE_MS } from './collection-terms.js';
import { metaOf } from './object-meta.js';
import { damaged } from './stored-json.js';

/** Age from which an object that nothing reaches yet might soon be collected: half of the least grace. */
const RENEWAL_AGE_MS = LEAST_GRACE_MS / 2;

/** What became of an artifact: written, or found as it should be. */
export type WriteResult = 'created' | 'exists';

/**
 * Puts an artifact under its digest, judged by its schema first.
 * @throws GeneratorError 'artifact-invalid' or 'damaged', as `putImmutable` does.
 */
export async function writeArtifact(store: ObjectStore, artifact: Artifact): Promise<WriteResult> {
  const key = objectKey(artifact.sha256);
  const body = toBody(artifact);
  return putImmutable(store, key, body, artifact.sha256, metaOf(key, artifact.type, artifact.path));
}

/**
 * Puts bytes that nobody may change. What lies there already is compared by size and digest, and put again when it is
 * so old that a collector might soon take it. That none took it already is for the caller's watch to say.
 * @throws GeneratorError 'damaged' when other bytes lie there.
 */
export async function putImmutable(
  store: ObjectStore,
  key: string,
  body: Uint8Array,
  sha256: string,
  meta: ObjectMeta,
): Promise<WriteResult> {
  for (;;) {
    if ((await store.putIfAbsent(key, body, meta)) === 'created') return 'created';
    const head = await store.head(key);
    if (head === undefined) continue;
    if (head.sizeBytes !== body.length || head.sha256 !== sha256) {
      throw damaged(key, `has other bytes than its digest says (${head.sizeBytes} of ${body.length})`);
    }
    if (head.answeredAtMs - head.modifiedAtMs <= RENEWAL_AGE_MS) return 'exists';
    if ((await store.compareAndSwap(key, body, head.etag, meta)) !== 'conflict') return 'exists';
  }
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
