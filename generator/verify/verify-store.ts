import { count } from '../../schemas/words.js';
import { CHAIN_IDS, GENRES } from '../../schemas/catalog.js';
import {
  ALIASES_KEY,
  GC_KEY,
  objectKey,
  pathOfPublicKey,
  POINTER_KEY,
  PUBLIC_PREFIX,
  publicKey,
  REFUSAL_KEY,
  releaseKey,
  RELEASES_PREFIX,
} from '../../schemas/paths.js';
import { sha256Hex } from '../../schemas/digest.js';
import type { TrustAnchor } from '../../schemas/trust/trust-anchor.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import {
  checkBytes,
  checkIndexes,
  findFirstFault,
  findLinkFault,
  listedChains,
} from '../core/verification/check-files.js';
import type { StoreFault } from '../core/store-fault.js';
import { RETAINED_RELEASES } from '../state/gc-policy.js';
import { type Progress, SILENT } from '../run/progress.js';
import { describeFuture, readClock } from '../state/trusted-clock.js';
import {
  listedFilesOf,
  readAliasSequence,
  readPointer,
  readRecord,
  type StoredRelease,
} from '../state/published-state.js';
import { listBounded } from '../state/bounded-list.js';
import { assertStore } from '../state/store-mark.js';
import { checkSignatures, type SignatureProof, TRUST_KEYS } from './check-signatures.js';
import { recomputeRelease } from './recompute-release.js';
import { readDayTexts } from '../texts/product-texts.js';
import { damaged, readStoredJson } from '../state/stored-json.js';
import { catchFault, checkChain, checkStoredFile, type Verifier } from './verify-chain.js';
import { isWeeklyArchivePath, publicPathsOf, SAMPLE_PATHS } from '../../schemas/release-paths.js';

/** The result of a verification. `faults` is empty for a sound store. */
export type Verification = {
  readonly revision: string | null;
  readonly sequence: number | null;
  readonly releases: number;
  readonly artifacts: number;
  readonly days: number;
  readonly deep: boolean;
  /** What the signatures prove; null if the releases are not signed. */
  readonly signatures: SignatureProof | null;
  /** Damage. */
  readonly faults: readonly StoreFault[];
  /** Public copies of an earlier release, which a run left behind that ended after its commit. The next run refreshes them. */
  readonly lagging: readonly StoreFault[];
};

/** Options for `verifyStore`. */
type VerifyStoreOptions = {
  /** Also recomputes every record and file from the gold days. */
  readonly deep: boolean;
  readonly progress?: Progress;
  readonly signal?: AbortSignal;
  /** The machine's clock, in milliseconds since the epoch. If present, a release from the future is a fault. */
  readonly now?: () => number;
  /** Whose signatures the releases must have. */
  readonly trust?: TrustAnchor | undefined;
};

/**
 * Re-reads the current release, all release records before it, and the other files of the last 30 releases. Checks every
 * file digest, schema, determinism hash and link between releases.
 *
 * - A fault is reported with its key, and ends only the check of its file: one run lists all faults.
 * - The release is the one that the pointer named at the start. If the pointer moved meanwhile, faults are not reported.
 * - Public copies of the release before are no faults while a publish is about to refresh them.
 * - Signatures are checked only if every release record can be read.
 * - History is recomputed (`deep`) only if no fault was found, because its gold days are then what was published.
 */
export async function verifyStore(
  store: ObjectStore,
  { deep, progress = SILENT, signal, now, trust }: VerifyStoreOptions,
): Promise<Verification> {
  const counts = { releases: 0, artifacts: 0, days: 0 };
  const nothing = { revision: null, sequence: null, ...counts, deep, signatures: null, lagging: [] };
  const faults: StoreFault[] = [];
  if (!(await isMarked(store, faults))) return { ...nothing, faults };
  const current = await readNamedRelease(store, faults);
  if (current === undefined) return { ...nothing, faults };
  const { record, sha256 } = current;
  const verifier: Verifier = {
    store,
    record,
    methodology: (await readDayTexts()).methodology,
    manifests: new Map(),
    gold: new Map(),
    faults,
    lagging: [],
    progress,
    ...(signal ? { signal } : {}),
    readsCopies: trust !== undefined,
    artifacts: 0,
    days: 0,
  };
  const refreshed = await checkAliasMark(verifier);
  const { releases, isComplete, earlier } = await checkReleaseChain(verifier, sha256, refreshed);
  const changes = releases.map((each) => each.record.changes);
  const unfinished = refreshed === undefined ? undefined : { earlier };
  progress.begin('verify', countDays(record) + Object.keys({ ...record.public, ...record.bundles }).length);
  for (const chain of listedChains(record)) await checkChain(verifier, chain);
  await checkPublicFiles(verifier, unfinished);
  const clock = now && readClock(store, now);
  const signatures = isComplete
    ? await checkSignatures(verifier, releases, { anchor: trust, now })
    : undefined;
  faults.push(...checkIndexes(record, changes));
  await catchFault(faults, () => checkExtraFiles(verifier, unfinished));
  await catchFault(faults, () => readStoredJson(store, GC_KEY, 'gc'));
  await catchFault(faults, () => readStoredJson(store, REFUSAL_KEY, 'refusal'));
  await assertUnmoved(verifier, sha256);
  if (deep) faults.push(...(await recompute(verifier)));
  const future = clock && describeFuture(record, clock);
  if (future) faults.push({ key: releaseKey(record.revision, sha256), message: future });
  progress.end(count(faults.length, 'fault'));
  const { revision, sequence } = record;
  return {
    revision,
    sequence,
    releases: releases.length,
    artifacts: verifier.artifacts,
    days: verifier.days,
    deep,
    signatures: signatures ?? null,
    faults,
    lagging: verifier.lagging,
  };
}

/** Recomputes the release, unless faults were found in it. */
async function recompute({ store, record, gold, faults }: Verifier): Promise<StoreFault[]> {
  if (faults.length === 0) return recomputeRelease(store, record, gold);
  return [{ key: 'verify --deep', message: 'nothing was recomputed: repair the faults above first' }];
}

/** Reads the release that the pointer names. If that is not possible, adds a fault. */
async function readNamedRelease(
  store: ObjectStore,
  faults: StoreFault[],
): Promise<StoredRelease | undefined> {
  return catchFault(faults, async () => {
    const pointer = await readPointer(store);
    if (pointer === undefined) throw damaged(POINTER_KEY, 'is missing: nothing has been published');
    const { revision, sequence, sha256 } = pointer.value;
    const record = await readRecord(store, pointer.value);
    if (record.sequence !== sequence || record.revision !== revision) {
      faults.push({ key: POINTER_KEY, message: 'does not name the revision and sequence of its record' });
    }
    return { record, sha256 };
  });
}

/**
 * Returns whether the mark of the store is readable. If it is not, adds a fault.
 * @throws GeneratorError 'usage' if there is no store.
 */
async function isMarked(store: ObjectStore, faults: StoreFault[]): Promise<boolean> {
  const marked = await catchFault(faults, async () => {
    await assertStore(store);
    return true;
  });
  return marked ?? false;
}

/**
 * Follows `previous` from the current release to the first. Returns all releases, newest first, and the earlier ones from the
 * sequence `since` on. `isComplete` is false if one cannot be read.
 */
async function checkReleaseChain(
  verifier: Verifier,
  sha256: string,
  since = Infinity,
): Promise<{
  readonly releases: readonly StoredRelease[];
  readonly isComplete: boolean;
  readonly earlier: readonly ReleaseRecord[];
}> {
  const { store, record, faults } = verifier;
  const seen = new Set(listedFilesOf(record).map(({ sha256 }) => sha256));
  const releases: StoredRelease[] = [{ record, sha256 }];
  const recent: ReleaseRecord[] = [];
  let later = record;
  while (later.previous !== null) {
    const link = later.previous;
    const earlier = await catchFault(faults, () => readRecord(store, link));
    if (earlier === undefined) return { releases, isComplete: false, earlier: recent };
    const fault = findLinkFault(earlier, later);
    if (fault !== undefined) faults.push({ key: releaseKey(link.revision, link.sha256), message: fault });
    if (releases.length < RETAINED_RELEASES) await checkOldFiles(verifier, earlier, seen);
    releases.push({ record: earlier, sha256: link.sha256 });
    if (earlier.sequence >= since) recent.push(earlier);
    later = earlier;
  }
  const fault = findFirstFault(later);
  if (fault !== undefined) faults.push({ key: `${RELEASES_PREFIX}${later.revision}`, message: fault });
  return { releases, isComplete: true, earlier: recent };
}

async function checkPublicFiles(verifier: Verifier, unfinished?: UnfinishedRefresh): Promise<void> {
  for (const [path, entry] of Object.entries(verifier.record.public)) {
    verifier.progress.advance();
    await checkStoredFile(verifier, path, entry);
    await checkPublicCopy(verifier, path, unfinished);
  }
}

/** Checks the files that only an earlier release lists. A rollback or a reader may need them. */
async function checkOldFiles(verifier: Verifier, record: ReleaseRecord, seen: Set<string>): Promise<void> {
  for (const { path, sha256, bytes } of listedFilesOf(record)) {
    if (seen.has(sha256)) continue;
    seen.add(sha256);
    const key = objectKey(sha256);
    const found = await verifier.store.get(key, bytes + 1);
    verifier.artifacts += 1;
    for (const message of found === undefined ? ['is missing'] : checkBytes(found.bytes, { sha256, bytes })) {
      verifier.faults.push({ key, message: `${path} of ${record.revision}: ${message}` });
    }
  }
}

/** Checks that the pointer has not moved. @throws GeneratorError 'conflict' if faults were found while another release was published. */
async function assertUnmoved({ store, faults }: Verifier, releaseSha256: string): Promise<void> {
  if (faults.length === 0) return;
  const pointer = await readPointer(store).catch(() => undefined);
  if (pointer !== undefined && pointer.value.sha256 !== releaseSha256) {
    throw new GeneratorError(
      'conflict',
      'Another release was published during the verification. Run verify again.',
    );
  }
}

function countDays(record: ReleaseRecord): number {
  const rows = CHAIN_IDS.map((chain) => record.chains[chain]?.rows ?? 0);
  return rows.reduce((sum, count) => sum + count, 0) * GENRES.length;
}

/** A refresh of the public copies that did not finish, for example because the run was killed after its commit. */
type UnfinishedRefresh = {
  /** The earlier releases whose copies may still be there; newest first. Empty before the first refresh. */
  readonly earlier: readonly ReleaseRecord[];
};

/**
 * Reads aliases.json, and compares it with the release. If the last refresh of the public copies did not finish, returns
 * the sequence of the last one that did, or 0 if there was none; otherwise `undefined`. The next run finishes it. Only
 * while there is one release, a missing aliases.json is such a refresh; later it is damage.
 */
async function checkAliasMark(verifier: Verifier): Promise<number | undefined> {
  const { store, record, faults, lagging } = verifier;
  const sequence = await catchFault(faults, () => readAliasSequence(store));
  if (sequence === undefined || sequence === record.sequence) return undefined;
  const isBehind = sequence < record.sequence && (sequence > 0 || record.previous === null);
  const message = `says ${sequence}, but the release is ${record.sequence}; the next publish refreshes the public copies`;
  (isBehind ? lagging : faults).push({ key: ALIASES_KEY, message });
  return isBehind ? sequence : undefined;
}

/** Checks the public copy of a listed file. A copy of an earlier release lags if a refresh is unfinished. */
async function checkPublicCopy(
  verifier: Verifier,
  path: string,
  unfinished: UnfinishedRefresh | undefined,
): Promise<void> {
  const { record, faults, lagging } = verifier;
  const key = publicKey(path);
  const sha256 = await digestOfCopy(verifier, path, unfinished);
  if (sha256 === record.public[path]?.sha256) return;
  const message = sha256 === undefined ? 'is missing' : 'does not match the release';
  const isLeft = unfinished !== undefined && isLeftBehind(unfinished, path, sha256);
  (isLeft ? lagging : faults).push({ key, message });
}

/** Returns the digest of a public copy; `undefined` if there is none. Of a copy that is too large, it is that of the beginning. */
async function digestOfCopy(
  { store, record, readsCopies }: Verifier,
  path: string,
  unfinished: UnfinishedRefresh | undefined,
): Promise<string | undefined> {
  const key = publicKey(path);
  if (!readsCopies) return (await store.head(key))?.sha256;
  const sizes = [record, ...(unfinished?.earlier ?? [])].map((each) => each.public[path]?.bytes ?? 0);
  const found = await store.get(key, Math.max(...sizes) + 1);
  return found && sha256Hex(found.bytes);
}

/** Checks that the public prefix contains only files that the release lists, or that an unfinished refresh will delete. */
async function checkExtraFiles(verifier: Verifier, unfinished: UnfinishedRefresh | undefined): Promise<void> {
  const { store, record, faults, lagging } = verifier;
  const named = new Set(Object.keys(record.public).map(publicKey));
  const ofChains = new Set([...CHAIN_IDS.flatMap(publicPathsOf), ...SAMPLE_PATHS]);
  for await (const { key } of listBounded(store, PUBLIC_PREFIX)) {
    if (named.has(key) || TRUST_KEYS.has(key)) continue;
    const path = pathOfPublicKey(key);
    const isLeft =
      (ofChains.has(path) || isWeeklyArchivePath(path)) &&
      unfinished !== undefined &&
      isLeftBehind(unfinished, path, await digestOfCopy(verifier, path, unfinished));
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
