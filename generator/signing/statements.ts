import { canonicalJson } from '../../schemas/canonical-json.js';
import { publicKey, statementKey, TRUST_PATHS } from '../../schemas/paths.js';
import { JWS_TYPE } from '../../schemas/trust/trust-documents.js';
import { verifyStatement } from '../../schemas/trust/verify-documents.js';
import type { ReleaseStatement } from '../../schemas/types.generated.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { toStatement } from '../core/trust/release-statement.js';
import { RENEWAL_AGE_MS } from '../state/gc-policy.js';
import { metaOf } from '../state/object-meta.js';
import type { StoredRelease } from '../state/reachable-objects.js';
import type { Signing } from './open-signing.js';
import { historyDigests, readHistory } from './release-list.js';
import { signDocument } from './signer.js';
import { checkForm } from './stored-key-set.js';
import { unlessFalse } from './trust-damage.js';

/** Key of the public copy of the current statement. */
export const STATEMENT_COPY_KEY = publicKey(TRUST_PATHS.statement);

/**
 * Writes the signed statement about a release, unless the store has one that readers accept now. Returns the number of bytes
 * written. It does not depend on the pointer, so that a release is signed before it is published.
 */
export async function signRelease(
  store: ObjectStore,
  signing: Signing,
  release: StoredRelease,
): Promise<number> {
  const key = statementKey(release.record.revision, release.sha256);
  const statement = await toStatementOf(store, signing, release);
  for (;;) {
    const found = await store.get(key);
    if (found !== undefined && (await isKept(store, key, found.bytes, { signing, statement }))) return 0;
    const body = Buffer.from(await signDocument(signing.signer, 'release-statement', statement));
    if (await put(store, key, body, found?.etag ?? null)) return body.length;
  }
}

/** Copies the statement of a release to its public path, unless it is already there. Returns the number of bytes written. */
export async function publishStatement(
  store: ObjectStore,
  { record, sha256 }: StoredRelease,
): Promise<number> {
  const statement = await store.get(statementKey(record.revision, sha256));
  if (statement === undefined) return 0;
  for (;;) {
    const found = await store.get(STATEMENT_COPY_KEY);
    if (found !== undefined && Buffer.from(statement.bytes).equals(found.bytes)) return 0;
    if (await put(store, STATEMENT_COPY_KEY, statement.bytes, found?.etag ?? null))
      return statement.bytes.length;
  }
}

async function toStatementOf(
  store: ObjectStore,
  { keySet: { site }, generator }: Signing,
  release: StoredRelease,
): Promise<ReleaseStatement> {
  const historySha256 = historyDigests(await readHistory(store, release)).at(-1) ?? '';
  return toStatement(release.record, release.sha256, { site, historySha256, generator });
}

/**
 * Returns whether a stored statement stays: readers accept it now, it says the same apart from the build of the generator, and
 * garbage collection will not delete it soon.
 */
async function isKept(
  store: ObjectStore,
  key: string,
  bytes: Uint8Array,
  { signing, statement }: { readonly signing: Signing; readonly statement: ReleaseStatement },
): Promise<boolean> {
  const jws = { text: Buffer.from(bytes).toString('utf8'), subject: key };
  const { keySet, now } = signing;
  const found = await unlessFalse(() => verifyStatement(jws, keySet, { checkForm, nowMs: now() }));
  if (found === undefined) return false;
  const { generator } = statement;
  if (canonicalJson({ ...found, generator }) !== canonicalJson(statement)) return false;
  const head = await store.head(key);
  return head !== undefined && head.answeredAtMs - head.modifiedAtMs <= RENEWAL_AGE_MS;
}

async function put(store: ObjectStore, key: string, body: Uint8Array, etag: Etag | null): Promise<boolean> {
  return (await store.compareAndSwap(key, body, etag, metaOf(key, JWS_TYPE))) !== 'conflict';
}
