import { canonicalJson } from '../../schemas/canonical-json.js';
import { publicKey, statementKey, TRUST_PATHS } from '../../schemas/paths.js';
import { JWS_TYPE } from '../../schemas/trust/trust-documents.js';
import { verifyStatement } from '../../schemas/trust/verify-documents.js';
import { keyIdOf } from '../../schemas/trust/verify-jws.js';
import type { PastRelease, ReleaseStatement } from '../../schemas/types.generated.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { toStatement } from '../core/trust/release-statement.js';
import { RENEWAL_AGE_MS } from '../state/gc-policy.js';
import { metaOf } from '../state/object-meta.js';
import { readPointer } from '../state/published-state.js';
import type { StoredRelease } from '../state/reachable-objects.js';
import { toJws } from './check-statement.js';
import type { Signing } from './open-signing.js';
import { historyDigest } from './release-list.js';
import { signDocument } from './signer.js';
import { checkForm } from './stored-key-set.js';
import { unlessFalse } from './trust-damage.js';

/** Key of the public copy of the current statement. */
export const STATEMENT_COPY_KEY = publicKey(TRUST_PATHS.statement);

/** What is signed about a release. */
type ReleaseToSign = {
  readonly release: StoredRelease;
  /** The entries of all releases up to this one. */
  readonly history: readonly PastRelease[];
  /** True for a release that is not published yet, whose statement garbage collection could delete. */
  readonly isExposed: boolean;
};

/**
 * Writes the signed statement about a release, unless the store has one by the same key. Returns the number of bytes written.
 * It does not depend on the pointer, so that a release is signed before it is published.
 */
export async function signRelease(
  store: ObjectStore,
  signing: Signing,
  { release, history, isExposed }: ReleaseToSign,
): Promise<number> {
  const key = statementKey(release.record.revision, release.sha256);
  const { keySet, generator } = signing;
  const context = { site: keySet.site, historySha256: historyDigest(history) ?? '', generator };
  const statement = toStatement(release.record, release.sha256, context);
  for (;;) {
    const found = await store.get(key);
    const isSaid = found !== undefined && (await isSame(toJws(key, found), signing, statement));
    if (isSaid && !(isExposed && (await isOld(store, key)))) return 0;
    const body = Buffer.from(await signDocument(signing.signer, 'release-statement', statement));
    if (await put(store, key, body, found?.etag ?? null)) return body.length;
  }
}

/**
 * Copies the statement of a release to its public path, unless it is already there or the pointer names another release
 * meanwhile. Returns the number of bytes written.
 */
export async function publishStatement(
  store: ObjectStore,
  { record, sha256 }: StoredRelease,
): Promise<number> {
  const statement = await store.get(statementKey(record.revision, sha256));
  if (statement === undefined) return 0;
  for (;;) {
    const found = await store.get(STATEMENT_COPY_KEY);
    if (found !== undefined && Buffer.from(statement.bytes).equals(found.bytes)) return 0;
    if ((await readPointer(store))?.value.sha256 !== sha256) return 0;
    if (await put(store, STATEMENT_COPY_KEY, statement.bytes, found?.etag ?? null))
      return statement.bytes.length;
  }
}

/** Returns whether the signer's own key has signed the same statement, with whichever build of the generator. */
async function isSame(
  jws: ReturnType<typeof toJws>,
  { signer, keySet, now }: Signing,
  statement: ReleaseStatement,
): Promise<boolean> {
  const found = await unlessFalse(async () =>
    keyIdOf(jws, 'release-statement') === signer.kid
      ? verifyStatement(jws, keySet, { checkForm, nowMs: now() })
      : undefined,
  );
  const { generator } = statement;
  return found !== undefined && canonicalJson({ ...found, generator }) === canonicalJson(statement);
}

/** Returns whether garbage collection may soon delete an object that no release reaches. */
async function isOld(store: ObjectStore, key: string): Promise<boolean> {
  const head = await store.head(key);
  return head === undefined || head.answeredAtMs - head.modifiedAtMs > RENEWAL_AGE_MS;
}

async function put(store: ObjectStore, key: string, body: Uint8Array, etag: Etag | null): Promise<boolean> {
  return (await store.compareAndSwap(key, body, etag, metaOf(key, JWS_TYPE))) !== 'conflict';
}
