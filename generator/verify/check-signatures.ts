import { canonicalJson } from '../../schemas/canonical-json.js';
import { publicKey, statementKey, TRUST_PATHS } from '../../schemas/paths.js';
import { TrustError } from '../../schemas/trust/trust-error.js';
import type { TrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { verifyStatement, verifyTimestamp } from '../../schemas/trust/verify-documents.js';
import type { KeySet, ReleaseStatement } from '../../schemas/types.generated.js';
import {
  damagedByTrust,
  historyDigestsOf,
  KEY_SET_KEY,
  readCheckedStatement,
  readStoredKeySet,
  RELEASE_LIST_KEY,
  releaseListBytes,
  toHistory,
  toJws,
} from '../signing/signed-history.js';
import { STATEMENT_COPY_KEY, TIMESTAMP_KEY } from '../signing/signing.js';
import type { StoredRelease } from '../state/published-state.js';
import { damaged } from '../state/stored-json.js';
import { readClock } from '../state/trusted-clock.js';
import { catchFault, type Verifier } from './verify-chain.js';

/** Object keys of the trust files, which no release lists. */
export const TRUST_KEYS: ReadonlySet<string> = new Set(Object.values(TRUST_PATHS).map(publicKey));

/** What the signatures of a store prove. */
export type SignatureProof = {
  readonly site: string;
  /** True if the root key is the one that the caller trusts; false if the root key was not checked. */
  readonly trusted: boolean;
  readonly key_set_version: number;
  /** Number of releases with a statement. */
  readonly statements: number;
  /** Until when the timestamp proves that the release is the current one; null if that was not checked or is not proven. */
  readonly current_until: string | null;
};

/** Options of `checkSignatures`. */
type SignatureOptions = {
  /** What the caller trusts. Without it, the key set is checked only against the root key it contains. */
  readonly anchor: TrustAnchor | undefined;
  /** The machine's clock, in milliseconds since the epoch; without it, only signatures of the history are checked. */
  readonly now: (() => number) | undefined;
};

/**
 * Checks the signatures of a store against its releases, newest first: key set, timestamp, the statement about each release, and
 * the list of releases. Returns `undefined` if the store is not signed, or its key set is not valid.
 */
export async function checkSignatures(
  verifier: Verifier,
  releases: readonly StoredRelease[],
  { anchor, now }: SignatureOptions,
): Promise<SignatureProof | undefined> {
  const { store, faults } = verifier;
  // With an anchor, the store is not trusted, so that its clock does not count.
  const nowMs = now && (anchor === undefined ? readClock(store, now).nowMs : now());
  const trust = anchor && nowMs !== undefined ? { anchor, nowMs } : undefined;
  const stored = await catchFault(faults, async () => {
    const found = await readStoredKeySet(store, trust);
    if (found === undefined && anchor !== undefined)
      throw damaged(KEY_SET_KEY, 'is missing: the releases of this store are not signed');
    return found;
  });
  if (stored === undefined) return undefined;
  const keySet = stored.value;
  const statements = await checkStatements(verifier, releases, keySet);
  await checkReleaseList(verifier, releases);
  const until = nowMs === undefined ? undefined : await checkCurrent(verifier, releases, { keySet, nowMs });
  return {
    site: keySet.site,
    trusted: trust !== undefined,
    key_set_version: keySet.version,
    statements,
    current_until: until ?? null,
  };
}

/** Checks the statement about each release since signing began. Returns their number. */
async function checkStatements(
  { store, faults, signal }: Verifier,
  releases: readonly StoredRelease[],
  keySet: KeySet,
): Promise<number> {
  const digests = historyDigestsOf(releases);
  let statements = 0;
  for (const release of releases) {
    signal?.throwIfAborted();
    const historySha256 = digests.get(release.record.sequence) ?? '';
    const found = await catchFault(faults, () =>
      readCheckedStatement(store, release, { keySet, historySha256 }),
    );
    statements += found === undefined ? 0 : 1;
  }
  return statements;
}

/**
 * Checks the list of releases. If a run stopped right after its commit, the list lacks the newest release; that is reported as
 * lagging, not as a fault.
 */
async function checkReleaseList(
  { store, faults, lagging }: Verifier,
  releases: readonly StoredRelease[],
): Promise<void> {
  const found = await store.get(RELEASE_LIST_KEY);
  const history = toHistory(releases);
  if (found !== undefined && releaseListBytes(history).equals(found.bytes)) return;
  const isBehind =
    found === undefined ||
    history.some((_, i) => i > 0 && releaseListBytes(history.slice(0, i)).equals(found.bytes));
  (isBehind ? lagging : faults).push({
    key: RELEASE_LIST_KEY,
    message: isBehind
      ? 'does not list the newest release; the next publish adds it'
      : 'does not list the releases of the store',
  });
}

/**
 * Checks what readers rely on now: the timestamp, and the public copy of the statement. Returns until when the timestamp is
 * valid. Files that still describe an earlier release are reported as lagging: a run stopped right after its commit.
 */
async function checkCurrent(
  { store, faults, lagging, record }: Verifier,
  [current]: readonly StoredRelease[],
  { keySet, nowMs }: { readonly keySet: KeySet; readonly nowMs: number },
): Promise<string | undefined> {
  const options = { nowMs };
  const key = statementKey(record.revision, current?.sha256 ?? '');
  const found = await store.get(key);
  const own =
    found === undefined || record.sequence < keySet.signed_from_sequence
      ? undefined
      : await catchFault(faults, () =>
          damagedByTrust(() => verifyStatement(toJws(key, found), keySet, options)),
        );
  await catchFault(faults, async () => {
    const copy = await store.get(STATEMENT_COPY_KEY);
    if (copy === undefined) return void lagging.push({ key: STATEMENT_COPY_KEY, message: 'is missing' });
    const statement = await damagedByTrust(() =>
      verifyStatement(toJws(STATEMENT_COPY_KEY, copy), keySet, options),
    );
    if (statement.sequence < record.sequence)
      lagging.push({ key: STATEMENT_COPY_KEY, message: `is about release ${statement.sequence}` });
    else if (statement.sha256 !== current?.sha256 || (own !== undefined && !saysTheSame(statement, own)))
      throw forked(STATEMENT_COPY_KEY, statement.sequence);
  });
  return catchFault(faults, async () => {
    const found = await store.get(TIMESTAMP_KEY);
    if (found === undefined) return void lagging.push({ key: TIMESTAMP_KEY, message: 'is missing' });
    const timestamp = await damagedByTrust(() =>
      verifyTimestamp(toJws(TIMESTAMP_KEY, found), keySet, options),
    );
    if (timestamp.sequence < record.sequence)
      lagging.push({ key: TIMESTAMP_KEY, message: `is about release ${timestamp.sequence}` });
    else if (timestamp.sha256 !== current?.sha256) throw forked(TIMESTAMP_KEY, timestamp.sequence);
    else return timestamp.expires;
    return undefined;
  });
}

/** Returns whether two statements differ at most in the build of the generator, which may have signed again. */
function saysTheSame(one: ReleaseStatement, other: ReleaseStatement): boolean {
  return canonicalJson({ ...one, generator: other.generator }) === canonicalJson(other);
}

function forked(key: string, sequence: number): Error {
  const { reason } = new TrustError('release-forked', key, `release ${sequence}`);
  return damaged(key, reason);
}
