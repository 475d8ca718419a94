import { canonicalJson } from '../../schemas/canonical-json.js';
import { statementKey } from '../../schemas/paths.js';
import { TRUST_FAULTS } from '../../schemas/trust/trust-error.js';
import { verifyPastStatement } from '../../schemas/trust/verify-documents.js';
import type { KeySet, ReleaseStatement } from '../../schemas/types.generated.js';
import type { ObjectStore, StoredObject } from '../../infra/store/object-store.js';
import { toStatement } from '../core/trust/release-statement.js';
import type { StoredRelease } from '../state/reachable-objects.js';
import { damaged } from '../state/stored-json.js';
import { historyDigests, toHistory } from './release-list.js';
import { checkForm } from './stored-key-set.js';
import { damagedByTrust, unlessFalse } from './trust-damage.js';

/** The keys that may have signed a statement, and the digest of the history that it must name. */
type ExpectedStatement = { readonly keySet: KeySet; readonly historySha256: string };

/** Returns the `history_sha256` of each release, by its sequence. `releases` are ordered from the newest. */
export function historyDigestsOf(releases: readonly StoredRelease[]): ReadonlyMap<number, string> {
  const history = toHistory(releases);
  const digests = historyDigests(history);
  return new Map(history.map(({ sequence }, i) => [sequence, digests[i] ?? '']));
}

/**
 * Reads the statement about a release and checks its signature, and that it says what the record and the history say. Returns
 * `undefined` for a release that was published before signing began, unless it was signed later.
 * @throws GeneratorError 'damaged'
 */
export async function readCheckedStatement(
  store: ObjectStore,
  { record, sha256 }: StoredRelease,
  { keySet, historySha256 }: ExpectedStatement,
): Promise<StoredObject | undefined> {
  const key = statementKey(record.revision, sha256);
  const isRequired = record.sequence >= keySet.signed_from_sequence;
  const found = await store.get(key);
  if (found === undefined) {
    if (isRequired) throw damaged(key, TRUST_FAULTS['release-unsigned']);
    return undefined;
  }
  const verify = (): Promise<ReleaseStatement> =>
    verifyPastStatement(toJws(key, found), keySet, { checkForm });
  const statement = await (isRequired ? damagedByTrust(verify) : unlessFalse(verify));
  if (statement === undefined) return undefined;
  const { generator, site } = statement;
  const expected = toStatement(record, sha256, { site, historySha256, generator });
  if (canonicalJson(statement) !== canonicalJson(expected))
    throw damaged(key, 'does not say what the release record and the history say');
  return found;
}

/** Returns a stored object as a signed document. */
export function toJws(subject: string, { bytes }: StoredObject): { text: string; subject: string } {
  return { text: Buffer.from(bytes).toString('utf8').trim(), subject };
}
