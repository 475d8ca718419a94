import { CHAIN_IDS, GENRES } from '../../schemas/catalog.js';
import { sha256Hex } from '../../schemas/digest.js';
import {
  ALIASES_KEY,
  manifestPath,
  objectKey,
  POINTER_KEY,
  PUBLIC_PATHS,
  PUBLIC_PREFIX,
  publicKey,
  releaseKey,
  RELEASES_PREFIX,
} from '../../schemas/paths.js';
import type { ReleaseChanges, ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { changesFile, releaseFile } from '../core/artifacts/release-files.js';
import { GeneratorError } from '../core/generator-error.js';
import { checkBytes } from '../core/verification/check-document.js';
import type { StoreFault } from '../core/verification/fault.js';
import { RETAINED_RELEASES } from './collection-terms.js';
import { SILENT, type Progress } from './progress.js';
import { isMarkedStore, readAliasSequence, readPointer, readRecord } from './published-state.js';
import { listedFilesOf } from './reachable-objects.js';
import { recomputeRelease } from './recompute-release.js';
import { damaged } from './stored-json.js';
import { checkStoredFile, collecting, type Walk } from './verification-walk.js';
import { checkChain } from './verify-chain.js';

/** What was verified. `faults` is empty for a sound store. */
export type Verification = {
  readonly revision: string | null;
  readonly sequence: number | null;
  readonly releases: number;
  readonly artifacts: number;
  readonly days: number;
  readonly deep: boolean;
  readonly faults: readonly StoreFault[];
};

/** How to verify. `deep` also recomputes every record and file from the gold days alone. */
export type VerifyTerms = {
  readonly deep: boolean;
  readonly progress?: Progress;
  readonly signal?: AbortSignal;
};

/** Re-reads a store, and recomputes every digest, hash and link of what its pointer names. */
export async function verifyStore(
  store: ObjectStore,
  { deep, progress = SILENT, signal }: VerifyTerms,
): Promise<Verification> {
  const nothing = { revision: null, sequence: null, releases: 0, artifacts: 0, days: 0, deep };
  const faults: StoreFault[] = [];
  await isMarkedStore(store, true);
  let judged = '';
  const record = await collecting(faults, async () => {
    const pointer = await readPointer(store);
    if (pointer === undefined) throw damaged(POINTER_KEY, 'is missing: nothing was ever published');
    judged = pointer.value.sha256;
    const found = await readRecord(store, pointer.value);
    if (found.sequence !== pointer.value.sequence || found.revision !== pointer.value.revision) {
      faults.push({ key: POINTER_KEY, message: 'names another revision or sequence than its record' });
    }
    return found;
  });
  if (record === undefined) return { ...nothing, faults };
  const walk: Walk = {
    store,
    record,
    manifests: new Map(),
    gold: new Map(),
    faults,
    progress,
    ...(signal ? { signal } : {}),
    artifacts: 0,
    days: 0,
  };
  const changes = await checkReleaseChain(walk);
  progress.begin('verify', countDays(record) + Object.keys({ ...record.public, ...record.bundles }).length);
  for (const chain of CHAIN_IDS) {
    const isListed = manifestPath('meta', chain) in record.manifests;
    if (isListed || record.chains[chain] !== undefined) await checkChain(walk, chain);
  }
  await checkPublicFiles(walk);
  checkIndexes(walk, changes);
  await checkStrangers(walk);
  await assertUnmoved(walk, judged);
  if (deep && faults.length === 0) faults.push(...(await recomputeRelease(store, record, walk.gold)));
  else if (deep)
    faults.push({ key: 'verify --deep', message: 'nothing was recomputed: mend the faults above first' });
  progress.end(`${faults.length} faults`);
  const { revision, sequence } = record;
  return {
    revision,
    sequence,
    releases: changes.length,
    artifacts: walk.artifacts,
    days: walk.days,
    deep,
    faults,
  };
}

/** Follows `previous` from the current release to the first; resolves the changes of each, newest first. */
async function checkReleaseChain(walk: Walk): Promise<ReleaseChanges[]> {
  const { store, record, faults } = walk;
  const read = new Set(listedFilesOf(record).map(({ sha256 }) => sha256));
  const changes = [record.changes];
  let later = record;
  while (later.previous !== null) {
    const link = later.previous;
    const earlier = await collecting(faults, () => readRecord(store, link));
    if (earlier === undefined) return changes;
    const inOrder = earlier.revision < later.revision && earlier.published_at <= later.published_at;
    if (earlier.sequence !== later.sequence - 1 || earlier.revision !== link.revision || !inOrder) {
      faults.push({
        key: releaseKey(link.revision, link.sha256),
        message: `does not come just before ${later.revision}`,
      });
    }
    if (changes.length < RETAINED_RELEASES) await checkOldFiles(walk, earlier, read);
    changes.push(earlier.changes);
    later = earlier;
  }
  if (later.sequence !== 1) {
    faults.push({
      key: `${RELEASES_PREFIX}${later.revision}`,
      message: `is the first of the chain with sequence ${later.sequence}`,
    });
  }
  return changes;
}

async function checkPublicFiles(walk: Walk): Promise<void> {
  for (const [path, entry] of Object.entries(walk.record.public)) {
    walk.progress.advance();
    await checkStoredFile(walk, path, entry);
    const head = await walk.store.head(publicKey(path));
    if (head?.sha256 !== entry.sha256) {
      const message = head === undefined ? 'is missing' : 'is not what the release names';
      walk.faults.push({ key: publicKey(path), message });
    }
  }
  const sequence = await collecting(walk.faults, () => readAliasSequence(walk.store));
  if (sequence !== undefined && sequence !== walk.record.sequence) {
    const message = `says ${sequence}, the release is ${walk.record.sequence}: the next publish refreshes`;
    walk.faults.push({ key: ALIASES_KEY, message });
  }
}

/** Judges the bytes of the files that only an earlier release names: a rollback or a reader may come for them. */
async function checkOldFiles(walk: Walk, record: ReleaseRecord, read: Set<string>): Promise<void> {
  for (const { path, sha256, bytes } of listedFilesOf(record)) {
    if (read.has(sha256)) continue;
    read.add(sha256);
    const key = objectKey(sha256);
    const found = await walk.store.get(key);
    walk.artifacts += 1;
    for (const message of found === undefined ? ['is missing'] : checkBytes(found.bytes, { sha256, bytes })) {
      walk.faults.push({ key, message: `${path} of ${record.revision}: ${message}` });
    }
  }
}

/** Readers see all that lies below the public prefix: nothing may lie there that no release names. */
async function checkStrangers({ store, record, faults }: Walk): Promise<void> {
  const named = new Set(Object.keys(record.public).map(publicKey));
  for await (const { key } of store.list(PUBLIC_PREFIX)) {
    if (!named.has(key)) faults.push({ key, message: 'is public, but the release does not name it' });
  }
}

/** Passes when the pointer still names what was judged. @throws GeneratorError 'conflict' when faults may be of a past release. */
async function assertUnmoved({ store, faults }: Walk, judged: string): Promise<void> {
  if (faults.length === 0) return;
  const pointer = await readPointer(store).catch(() => undefined);
  if (pointer !== undefined && pointer.value.sha256 !== judged) {
    throw new GeneratorError(
      'conflict',
      'a release was published while the store was verified: run verify again',
    );
  }
}

/** The list of files and the list of changes must say what the records say. */
function checkIndexes({ record, faults }: Walk, changes: readonly ReleaseChanges[]): void {
  const { version } = record.methodology;
  const { revision, sequence, published_at: publishedAt } = record;
  const { [PUBLIC_PATHS.release]: _itself, ...others } = record.public;
  const files = Object.entries(others).map(([path, { sha256, bytes, type }]) => ({
    path,
    sha256,
    bytes,
    type,
  }));
  for (const kind of [releaseFile(files, version), changesFile(undefined, changes, version)]) {
    const entry = record.public[kind.path];
    const { text } = kind.content({ revision, sequence, publishedAt });
    if (entry !== undefined && entry.sha256 !== sha256Hex(text)) {
      faults.push({
        key: objectKey(entry.sha256),
        message: `${kind.path}: is not what the release records say`,
      });
    }
  }
}

function countDays(record: ReleaseRecord): number {
  const rows = CHAIN_IDS.map((chain) => record.chains[chain]?.rows ?? 0);
  return rows.reduce((sum, count) => sum + count, 0) * GENRES.length;
}
