import { parseInstant } from '../../schemas/dates.js';
import { TrustError } from '../../schemas/trust/trust-error.js';
import { verifyTimestamp } from '../../schemas/trust/verify-documents.js';
import type { KeySet, ReleaseRecord, Timestamp } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { toJws } from '../signing/check-statement.js';
import { checkForm, KEY_SET_KEY, readStoredKeySet } from '../signing/stored-key-set.js';
import { TIMESTAMP_KEY } from '../signing/trust-files.js';

/** Whether readers who verify signatures accept the current release now, and how long if no run renews them. */
export type SigningStatus = {
  /** Version of the key set; null if it is damaged. */
  readonly key_set_version: number | null;
  readonly key_set_expires: string | null;
  /** Null if readers do not accept the timestamp. */
  readonly timestamp_expires: string | null;
  /** Why readers refuse the release, after the key that they refuse; null if they do not. Only "verify" finds all reasons. */
  readonly fault: string | null;
};

/** Reads the state of the signatures of a store; null if its releases are not signed. */
export async function readSigningStatus(
  store: ObjectStore,
  record: ReleaseRecord,
  nowMs: number,
): Promise<SigningStatus | null> {
  let keySet: KeySet | undefined;
  try {
    keySet = (await readStoredKeySet(store))?.value;
    if (keySet === undefined) return null;
    assertInForce(keySet, nowMs);
    const { expires } = await readTimestamp(store, record, { keySet, nowMs });
    return { ...versionOf(keySet), timestamp_expires: expires, fault: null };
  } catch (error) {
    return { ...versionOf(keySet), timestamp_expires: null, fault: faultOf(error) };
  }
}

function versionOf(keySet: KeySet | undefined): Pick<SigningStatus, 'key_set_version' | 'key_set_expires'> {
  return { key_set_version: keySet?.version ?? null, key_set_expires: keySet?.expires ?? null };
}

function assertInForce({ expires }: KeySet, nowMs: number): void {
  if (nowMs >= (parseInstant(expires) ?? 0))
    throw new TrustError('keys-expired', KEY_SET_KEY, `on ${expires}`);
}

/** Reads the timestamp as a reader does. @throws TrustError */
async function readTimestamp(
  store: ObjectStore,
  { sequence }: ReleaseRecord,
  { keySet, nowMs }: { readonly keySet: KeySet; readonly nowMs: number },
): Promise<Timestamp> {
  const found = await store.get(TIMESTAMP_KEY);
  if (found === undefined) throw new TrustError('release-unsigned', TIMESTAMP_KEY);
  const timestamp = await verifyTimestamp(toJws(TIMESTAMP_KEY, found), keySet, { checkForm, nowMs });
  if (timestamp.sequence === sequence) return timestamp;
  throw new TrustError('mixed', TIMESTAMP_KEY, `release ${timestamp.sequence}, but ${sequence} is current`);
}

function faultOf(error: unknown): string {
  if (error instanceof TrustError) return error.message;
  if (error instanceof GeneratorError && error.fault !== undefined)
    return `${error.fault.key} ${error.fault.message}`;
  throw error;
}
