import { canonicalJson } from '../../schemas/canonical-json.js';
import { publicKey, statementKey, TRUST_PATHS } from '../../schemas/paths.js';
import { TRUST_FAULTS, TrustError } from '../../schemas/trust/trust-error.js';
import type { TrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { verifyStatement, verifyTimestamp } from '../../schemas/trust/verify-documents.js';
import type { KeySet, ReleaseStatement } from '../../schemas/types.generated.js';
import {
  damagedByTrust,
  getSigned,
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
  const keys = { keySet, trusted: trust !== undefined };
  await checkReleaseList(verifier, releases, keys);
  const until = nowMs === undefined ? undefined : await checkCurrent(verifier, releases, keys, nowMs);
  return {
    site: keySet.site,
    trusted: keys.trusted,
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
 * Reports that a file is missing which every signed release writes. With a trust anchor, that is a fault. Without one, the file
 * can also be lagging: the run of the first signed release may have stopped right after its commit.
 */
function reportMissing(
  { record, faults, lagging }: Verifier,
  { keySet, trusted }: CheckedKeys,
  key: string,
): void {
  if (trusted || record.sequence > keySet.signed_from_sequence)
    faults.push({ key, message: TRUST_FAULTS['release-unsigned'] });
  else lagging.push({ key, message: 'is missing' });
}

/** The key set, and whether its root key is the one that the caller trusts. */
type CheckedKeys = { readonly keySet: KeySet; readonly trusted: boolean };

/**
 * Checks the list of releases. If a run stopped right after its commit, the list lacks the newest release; that is reported as
 * lagging, not as a fault.
 */
async function checkReleaseList(
  verifier: Verifier,
  releases: readonly StoredRelease[],
  keys: CheckedKeys,
): Promise<void> {
  const { store, faults, lagging } = verifier;
  const history = toHistory(releases);
  const list = releaseListBytes(history);
  const found = await store.get(RELEASE_LIST_KEY, list.length + 1);
  if (found === undefined) {
    reportMissing(verifier, keys, RELEASE_LIST_KEY);
    return;
  }
  if (list.equals(found.bytes)) return;
  const isBehind = history.some((_, i) => i > 0 && releaseListBytes(history.slice(0, i)).equals(found.bytes));
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
  verifier: Verifier,
  [current]: readonly StoredRelease[],
  keys: CheckedKeys,
  nowMs: number,
): Promise<string | undefined> {
  const { keySet } = keys;
  const { store, faults, lagging, record } = verifier;
  const options = { nowMs };
  const key = statementKey(record.revision, current?.sha256 ?? '');
  const found = await getSigned(store, key);
  const own =
    found === undefined || record.sequence < keySet.signed_from_sequence
      ? undefined
      : await catchFault(faults, () =>
          damagedByTrust(() => verifyStatement(toJws(key, found), keySet, options)),
        );
  await catchFault(faults, async () => {
    const copy = await getSigned(store, STATEMENT_COPY_KEY);
    if (copy === undefined) {
      reportMissing(verifier, keys, STATEMENT_COPY_KEY);
      return;
    }
    const statement = await damagedByTrust(() =>
      verifyStatement(toJws(STATEMENT_COPY_KEY, copy), keySet, options),
    );
    if (statement.sequence < record.sequence)
      lagging.push({ key: STATEMENT_COPY_KEY, message: `is about release ${statement.sequence}` });
    else if (statement.sha256 !== current?.sha256 || (own !== undefined && !saysTheSame(statement, own)))
      throw forked(STATEMENT_COPY_KEY, statement.sequence);
  });
  return catchFault(faults, async () => {
    const found = await getSigned(store, TIMESTAMP_KEY);
    if (found === undefined) {
      reportMissing(verifier, keys, TIMESTAMP_KEY);
      return undefined;
    }
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
