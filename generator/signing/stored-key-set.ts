import { publicKey, TRUST_PATHS } from '../../schemas/paths.js';
import { verifyKeySet, readKeySet, type CheckForm } from '../../schemas/trust/verify-documents.js';
import type { TrustAnchor } from '../../schemas/trust/trust-anchor.js';
import type { TrustDocumentName, TrustDocuments } from '../../schemas/trust/trust-documents.js';
import type { KeySet } from '../../schemas/types.generated.js';
import { assertValid } from '../../schemas/validate.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { damagedByTrust } from './trust-damage.js';

/** Key of the key set. */
export const KEY_SET_KEY = publicKey(TRUST_PATHS.keys);

/** The key set of a store, with its signed text. */
export type StoredKeySet = { readonly text: string; readonly value: KeySet; readonly etag: Etag };

/** Checks signed documents by their schemas. */
export const checkForm: CheckForm = <N extends TrustDocumentName>(name: N, value: unknown) =>
  assertValid(name, value) as TrustDocuments[N]; // the same types by the same names

/**
 * Reads the key set of a store; `undefined` if its releases are not signed. With an anchor, it must be the one that the anchor
 * trusts, and in force at `nowMs`.
 * @throws GeneratorError 'damaged' if it is not valid
 */
export async function readStoredKeySet(
  store: ObjectStore,
  trust?: { readonly anchor: TrustAnchor; readonly nowMs: number },
): Promise<StoredKeySet | undefined> {
  const found = await store.get(KEY_SET_KEY);
  if (found === undefined) return undefined;
  const text = Buffer.from(found.bytes).toString('utf8').trim();
  const jws = { text, subject: KEY_SET_KEY };
  const value = await damagedByTrust(() =>
    trust === undefined
      ? readKeySet(jws, checkForm)
      : verifyKeySet(jws, trust.anchor, { checkForm, nowMs: trust.nowMs }),
  );
  return { text, value, etag: found.etag };
}
