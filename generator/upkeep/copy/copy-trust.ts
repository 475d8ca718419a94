import { canonicalJson } from '../../../schemas/canonical-json.js';
import { statementKey } from '../../../schemas/paths.js';
import { TRUST_FAULTS } from '../../../schemas/trust/trust-error.js';
import { JWS_TYPE } from '../../../schemas/trust/trust-documents.js';
import type { TrustAnchor } from '../../../schemas/trust/trust-anchor.js';
import { verifyTimestamp } from '../../../schemas/trust/verify-documents.js';
import type { KeySet, Pointer } from '../../../schemas/types.generated.js';
import { GeneratorError } from '../../core/generator-error.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import {
  damagedByTrust,
  getSigned,
  historyDigestsOf,
  KEY_SET_KEY,
  readCheckedStatement,
  readSignedHistory,
  readStoredKeySet,
  type StoredKeySet,
  toJws,
  unlessFalse,
  writeReleaseList,
} from '../../signing/signed-history.js';
import { publishStatement, readCurrent, TIMESTAMP_KEY } from '../../signing/signing.js';
import { damaged, metaOf } from '../../state/stored-json.js';
import { readPointer, type StoredRelease } from '../../state/published-state.js';

/** Options for copying what proves the releases of a store. */
export type CopyTrustOptions = {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  /** Whose signatures the source must have; without it, those of the root key that the source names. */
  readonly trust?: TrustAnchor | undefined;
  /** Returns the time for which signatures must be valid, in milliseconds since the epoch. A copy can take long. */
  readonly now: () => number;
  /** Called with the size of each object that was written. */
  readonly onWritten: (bytes: number) => void;
};

/**
 * Reads the key set of the source. With `trust`, the source must also have a timestamp that is valid and about its current
 * release, so that a frozen source is noticed before anything is copied.
 * @throws GeneratorError 'damaged' if something is missing or not valid, or the target has a later key set, 'usage' if the target
 * is signed by another root key, 'conflict' if the source is being published to
 */
export async function readSourceKeys(
  pointer: Pointer,
  { from, to, trust, now }: Omit<CopyTrustOptions, 'onWritten'>,
): Promise<StoredKeySet | undefined> {
  const keys = await readStoredKeySet(from, trust && { anchor: trust, nowMs: now() });
  if (keys === undefined && trust !== undefined)
    throw damaged(KEY_SET_KEY, 'is missing: the releases of this store are not signed');
  await assertFollowsTarget(keys, { from, to });
  if (keys === undefined || trust === undefined) return keys;
  const found = await getSigned(from, TIMESTAMP_KEY);
  if (found === undefined) throw damaged(TIMESTAMP_KEY, TRUST_FAULTS['release-unsigned']);
  const options = { nowMs: now() };
  const timestamp = await damagedByTrust(() =>
    verifyTimestamp(toJws(TIMESTAMP_KEY, found), keys.value, options),
  );
  if (timestamp.sha256 !== pointer.sha256)
    throw new GeneratorError(
      'conflict',
      `The timestamp of ${from.address} is about release ${timestamp.sequence}, but its current one is ${pointer.sequence}. If a release is being published, run again. Nothing was copied.`,
    );
  return keys;
}

/**
 * Passes unless the target is signed and the source is not, or by another root key, or with an older key set: keys may have been
 * revoked since.
 * @throws GeneratorError 'usage', 'damaged'
 */
async function assertFollowsTarget(
  keys: StoredKeySet | undefined,
  { from, to }: Pick<CopyTrustOptions, 'from' | 'to'>,
): Promise<void> {
  const held = await unlessFalse(() => readStoredKeySet(to));
  if (held === undefined) return;
  const { site, root, version } = held.value;
  if (
    keys === undefined ||
    keys.value.site !== site ||
    canonicalJson(keys.value.root) !== canonicalJson(root)
  )
    throw new GeneratorError(
      'usage',
      `${to.address} is signed for ${site}, but ${from.address} ${keys === undefined ? 'is not signed' : 'is signed by another root key'}. Nothing was copied. Check the source, or choose an empty target.`,
    );
  if (keys.value.version < version)
    throw damaged(
      KEY_SET_KEY,
      `of ${from.address} has version ${keys.value.version}, but ${to.address} already has version ${version}: the source is an old copy, or somebody has put the old one back. Nothing was copied`,
    );
}

/**
 * Copies the key set and the statements about the releases, newest first, which it verifies. The target's pointer moves
 * afterwards, so that it never names an unsigned release.
 */
export async function copyStatements(
  releases: readonly StoredRelease[],
  keys: StoredKeySet,
  options: CopyTrustOptions,
): Promise<void> {
  const { from, to, onWritten } = options;
  await copyKeySet(keys, options);
  const digests = historyDigestsOf(releases);
  for (const release of releases) {
    const key = statementKey(release.record.revision, release.sha256);
    const held = await getSigned(to, key);
    const historySha256 = digests.get(release.record.sequence) ?? '';
    const expected = { keySet: keys.value, historySha256 };
    const statement = await readCheckedStatement(from, release, expected);
    if (statement === undefined || held?.etag === statement.etag) continue;
    if (held !== undefined && Buffer.from(held.bytes).equals(statement.bytes)) continue;
    await to.compareAndSwap(key, statement.bytes, held?.etag ?? null, metaOf(key, JWS_TYPE));
    onWritten(statement.bytes.length);
  }
}

/** Copies a key set that is later than the target's. */
async function copyKeySet({ text, value }: StoredKeySet, { to, onWritten }: CopyTrustOptions): Promise<void> {
  const held = await getSigned(to, KEY_SET_KEY);
  const current = held && (await unlessFalse(() => readStoredKeySet(to)));
  if (current !== undefined && current.value.version >= value.version) return;
  const body = Buffer.from(text);
  await to.compareAndSwap(KEY_SET_KEY, body, held?.etag ?? null, metaOf(KEY_SET_KEY, JWS_TYPE));
  onWritten(body.length);
}

/**
 * Copies what readers of the target verify its current release with: statement, list of releases, and the timestamp if it is
 * valid and about this release. A delayed copy has no timestamp of its own release.
 */
export async function copyCurrentTrust(keySet: KeySet, options: CopyTrustOptions): Promise<void> {
  const { from, to, onWritten, now } = options;
  const release = await readCurrent(to);
  if (release === undefined) return;
  onWritten(await writeReleaseList(to, await readSignedHistory(to, release, keySet)));
  onWritten(await publishStatement(to, release));
  const held = await getSigned(to, TIMESTAMP_KEY);
  const found = await getSigned(from, TIMESTAMP_KEY);
  if (found === undefined || held?.etag === found.etag) return;
  const timestamp = await unlessFalse(() =>
    verifyTimestamp(toJws(TIMESTAMP_KEY, found), keySet, { nowMs: now() }),
  );
  if (timestamp?.sha256 !== release.sha256) return;
  if (held !== undefined && Buffer.from(held.bytes).equals(found.bytes)) return;
  if ((await readPointer(to))?.value.sha256 !== release.sha256) return; // a faster copy brought a later release
  const meta = metaOf(TIMESTAMP_KEY, JWS_TYPE);
  const swapped = await to.compareAndSwap(TIMESTAMP_KEY, found.bytes, held?.etag ?? null, meta);
  if (swapped !== 'conflict') onWritten(found.bytes.length);
}
