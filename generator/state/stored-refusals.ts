import { canonicalJson } from '../../schemas/canonical-json.js';
import { REFUSAL_KEY } from '../../schemas/paths.js';
import type { RecordedRefusal } from '../../schemas/types.generated.js';
import { findSchemaFaults } from '../../schemas/validate.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { getDocument, metaOf, parseStored, readStoredJson, unlessDamaged } from './stored-json.js';

/** The recorded refusals, and the etag at which they were read; `null` if nothing was ever recorded. */
type StoredRefusals = { readonly refused: readonly RecordedRefusal[]; readonly etag: Etag | null };

/** Reads the recorded refusals. @throws GeneratorError 'damaged' if they do not match their schema. */
export async function readRefusals(store: ObjectStore): Promise<StoredRefusals> {
  const found = await readStoredJson(store, REFUSAL_KEY, 'refusal');
  return found === undefined
    ? { refused: [], etag: null }
    : { refused: found.value.refused, etag: found.etag };
}

/**
 * Replaces the recorded refusals, unless another run has done so since they were read. An empty record is kept, because
 * the permissions of a scheduled publish do not allow deleting it.
 */
export async function writeRefusals(
  store: ObjectStore,
  refused: readonly RecordedRefusal[],
  expected: Etag | null,
): Promise<void> {
  const body = refusalBytes(refused);
  await store.compareAndSwap(REFUSAL_KEY, body, expected, metaOf(REFUSAL_KEY));
}

/** Empties the record of refusals if it is damaged, and returns whether it did. The next run records them again. */
export async function resetDamagedRefusals(store: ObjectStore): Promise<boolean> {
  const found = await getDocument(store, REFUSAL_KEY, 'refusal');
  if (found === undefined) return false;
  if ((await unlessDamaged(() => parseStored(REFUSAL_KEY, 'refusal', found.bytes))) !== undefined)
    return false;
  return (
    (await store.compareAndSwap(REFUSAL_KEY, refusalBytes([]), found.etag, metaOf(REFUSAL_KEY))) !==
    'conflict'
  );
}

/** Returns the refusal without its arguments if the schema does not allow them: a path may contain any character. */
export function withWritableCommand(refusal: RecordedRefusal): RecordedRefusal {
  const { accept } = refusal;
  const document = { schema: 'refusal/1', refused: [refusal] };
  if (accept === null || findSchemaFaults('refusal', document).length === 0) return refusal;
  return { ...refusal, accept: { plan_digest: accept.plan_digest } };
}

function refusalBytes(refused: readonly RecordedRefusal[]): Buffer {
  return Buffer.from(canonicalJson({ schema: 'refusal/1', refused }));
}
