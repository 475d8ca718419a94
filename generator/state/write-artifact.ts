import { sha256Hex } from '../../schemas/digest.js';
import { objectKey } from '../../schemas/paths.js';
import { findSchemaFaults } from '../../schemas/validate.js';
import type { ObjectMeta, ObjectStore } from '../../infra/store/object-store.js';
import { bodyOf, type Artifact, type Content } from '../core/artifacts/artifact.js';
import { GeneratorError } from '../core/generator-error.js';
import { RENEWAL_AGE_MS } from './gc-policy.js';
import { metaOf } from './object-meta.js';
import { damaged } from './stored-json.js';

/** Result of writing an immutable object: it was created, or it already existed with the same bytes. */
export type WriteResult = 'created' | 'exists';

/** The path, media type, digest and size of an artifact, without its content. */
export type FileInfo = Pick<Artifact, 'path' | 'type' | 'sha256' | 'bytes'>;

/** Writes the validated bytes of an artifact under its digest. @throws like `putImmutable`. */
export function writeBody(
  store: ObjectStore,
  { path, type, sha256 }: FileInfo,
  body: Uint8Array,
): Promise<WriteResult> {
  const key = objectKey(sha256);
  return putImmutable(store, key, body, sha256, metaOf(key, type, path));
}

/**
 * Writes an immutable object. An existing one must have the same size and digest, and is written again if garbage
 * collection might soon delete it. The caller's `GcWatch` rules out that it was deleted already.
 * @throws GeneratorError 'damaged' if the key contains other bytes.
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
      throw damaged(
        key,
        `has other bytes than its digest says (${head.sizeBytes} bytes stored, ${body.length} expected)`,
      );
    }
    if (head.answeredAtMs - head.modifiedAtMs <= RENEWAL_AGE_MS) return 'exists';
    if ((await store.compareAndSwap(key, body, head.etag, meta)) !== 'conflict') return 'exists';
  }
}

/**
 * Returns the bytes of an artifact, validated by its schema and compared with its planned digest. Content is made only
 * when it is about to be written, so that memory stays bounded.
 * @throws GeneratorError 'artifact-invalid'; Error for another digest than the planned one, which is a bug.
 */
export function toBody(artifact: Artifact): Buffer {
  const content = artifact.content();
  const body = toValidBody(artifact.path, content);
  const found = sha256Hex(body);
  if (found !== artifact.sha256)
    throw new Error(`${artifact.path}: planned ${artifact.sha256}, made ${found}`);
  return body;
}

/** Returns the bytes of the content for `path`, validated by its schema. @throws GeneratorError 'artifact-invalid'. */
export function toValidBody(path: string, content: Content): Buffer {
  const { schema, value } = content;
  const [fault] = findSchemaFaults(schema, value);
  if (fault !== undefined) {
    throw new GeneratorError(
      'artifact-invalid',
      `${path} at ${fault.pointer || '/'}: ${fault.message} (schema ${schema}). Nothing was published. This is a bug in the generator or its data files: please report it.`,
    );
  }
  return toBuffer(bodyOf(content));
}

function toBuffer(body: string | Uint8Array): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'utf8') : Buffer.from(body);
}
