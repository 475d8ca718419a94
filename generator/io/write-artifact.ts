import { sha256Hex } from '../../schemas/digest.js';
import { objectKey } from '../../schemas/paths.js';
import { findSchemaFaults } from '../../schemas/validate.js';
import type { ObjectMeta, ObjectStore } from '../../infra/store/object-store.js';
import type { Artifact, Content } from '../core/artifacts/artifact.js';
import { GeneratorError } from '../core/generator-error.js';
import { LEAST_GRACE_MS } from './collection-terms.js';
import { metaOf } from './object-meta.js';
import { damaged } from './stored-json.js';

/** Age from which an object that nothing reaches yet might soon be collected: half of the least grace. */
const RENEWAL_AGE_MS = LEAST_GRACE_MS / 2;

/** What became of an artifact: written, or found as it should be. */
export type WriteResult = 'created' | 'exists';

/** Which bytes are to be put. */
export type FileName = Pick<Artifact, 'path' | 'type' | 'sha256' | 'bytes'>;

/** Puts an artifact's judged bytes under its digest. @throws GeneratorError 'damaged' as `putImmutable` does. */
export function writeBody(
  store: ObjectStore,
  { path, type, sha256 }: FileName,
  body: Uint8Array,
): Promise<WriteResult> {
  const key = objectKey(sha256);
  return putImmutable(store, key, body, sha256, metaOf(key, type, path));
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

/**
 * The bytes of an artifact, judged by its schema and measured: nothing else of it need be held while they are written.
 * @throws GeneratorError 'artifact-invalid'.
 */
export function toBody(artifact: Artifact): Buffer {
  const content = artifact.content();
  const body = toJudgedBody(artifact.path, content);
  const found = sha256Hex(body);
  if (found !== artifact.sha256)
    throw new Error(`${artifact.path}: planned ${artifact.sha256}, made ${found}`);
  return body;
}

/** The bytes of the content that was just made for `path`, judged. @throws GeneratorError 'artifact-invalid'. */
export function toJudgedBody(path: string, { schema, value, text }: Content): Buffer {
  const [fault] = findSchemaFaults(schema, value);
  if (fault !== undefined) {
    throw new GeneratorError(
      'artifact-invalid',
      `${path} at ${fault.pointer || '/'}: ${fault.message} (schema ${schema}); nothing was published: this is a fault of the generator or its data files`,
    );
  }
  return Buffer.from(text, 'utf8');
}
