import { CHAIN_IDS } from '../../schemas/catalog.js';
import { ALIASES_KEY, PUBLIC_PREFIX, publicKey } from '../../schemas/paths.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';
import { publicPathsOf } from '../core/draft/chain-state.js';
import { readAliasSequence } from '../state/published-state.js';
import { TRUST_KEYS } from './check-signatures.js';
import { catchFault, type Verifier } from './verifier.js';

/** A refresh of the public copies that did not finish, for example because the run was killed after its commit. */
export type UnfinishedRefresh = {
  /** The earlier releases whose copies may still be there; newest first. Empty before the first refresh. */
  readonly earlier: readonly ReleaseRecord[];
};

/**
 * Reads aliases.json, and compares it with the release. If the last refresh of the public copies did not finish, returns
 * the sequence of the last one that did, or 0 if there was none; otherwise `undefined`. The next run finishes it. Only
 * while there is one release, a missing aliases.json is such a refresh; later it is damage.
 */
export async function checkAliasMark(verifier: Verifier): Promise<number | undefined> {
  const { store, record, faults, lagging } = verifier;
  const sequence = await catchFault(faults, () => readAliasSequence(store));
  if (sequence === undefined || sequence === record.sequence) return undefined;
  const isBehind = sequence < record.sequence && (sequence > 0 || record.previous === null);
  const message = `says ${sequence}, but the release is ${record.sequence}; the next publish refreshes the public copies`;
  (isBehind ? lagging : faults).push({ key: ALIASES_KEY, message });
  return isBehind ? sequence : undefined;
}

/** Checks the public copy of a listed file. A copy of an earlier release lags if a refresh is unfinished. */
export async function checkPublicCopy(
  { store, record, faults, lagging }: Verifier,
  path: string,
  unfinished: UnfinishedRefresh | undefined,
): Promise<void> {
  const key = publicKey(path);
  const head = await store.head(key);
  if (head?.sha256 === record.public[path]?.sha256) return;
  const message = head === undefined ? 'is missing' : 'does not match the release';
  const isLeft = unfinished !== undefined && isLeftBehind(unfinished, path, head?.sha256);
  (isLeft ? lagging : faults).push({ key, message });
}

/** Checks that the public prefix contains only files that the release lists, or that an unfinished refresh will delete. */
export async function checkExtraFiles(
  { store, record, faults, lagging }: Verifier,
  unfinished: UnfinishedRefresh | undefined,
): Promise<void> {
  const named = new Set(Object.keys(record.public).map(publicKey));
  const deletable = new Map(CHAIN_IDS.flatMap(publicPathsOf).map((path) => [publicKey(path), path]));
  for await (const { key } of store.list(PUBLIC_PREFIX)) {
    if (named.has(key) || TRUST_KEYS.has(key)) continue;
    const path = deletable.get(key);
    const isLeft =
      path !== undefined &&
      unfinished !== undefined &&
      isLeftBehind(unfinished, path, (await store.head(key))?.sha256);
    (isLeft ? lagging : faults).push({ key, message: 'is public, but the release does not list it' });
  }
}

/**
 * Returns whether the copy is one that an unfinished refresh may have left. `sha256` is `undefined` if there is no copy:
 * then an earlier release did not have the file, or there was none.
 */
function isLeftBehind({ earlier }: UnfinishedRefresh, path: string, sha256: string | undefined): boolean {
  const digests = earlier.map((record) => record.public[path]?.sha256);
  return digests.includes(sha256) || (sha256 === undefined && earlier.length === 0);
}
