import { count, plural } from '../../../schemas/words.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import {
  ALIASES_KEY,
  parseReleaseKey,
  parseStatementKey,
  POINTER_KEY,
  PUBLIC_PREFIX,
  REFUSAL_KEY,
  statementKey,
  STORE_KEY,
} from '../../../schemas/paths.js';
import type { PastRelease, Site } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { GeneratorError } from '../../core/generator-error.js';
import type { InputSeries } from '../../core/input/input-series.js';
import type { StoreFault } from '../../core/store-fault.js';
import { getDocument, metaOf, parseStored, unlessDamaged } from '../../state/stored-json.js';
import type { Progress } from '../../run/progress.js';
import { isMoveOutcomeUnknown } from '../../state/move-pointer.js';
import { type NamedRelease, readReleases, type StoredRelease } from '../../state/published-state.js';
import { assertStore, isStore, restoreMark } from '../../state/store-mark.js';
import { refreshCopies, type Written } from '../../publish/refresh-copies.js';
import { findLostObjects, rebuildObjects } from './rebuild-objects.js';
import { readAllRecords, withPointerTo } from './past-releases.js';
import {
  findCommitted,
  findLastCommitted,
  type PointerRequest,
  putPointer,
  readLostPointer,
} from './restore-pointer.js';
import { resetDamagedRefusals } from '../../state/stored-refusals.js';
import {
  publishStatement,
  readCurrent,
  refreshTrustFiles,
  type Signing,
  signRelease,
} from '../../signing/signing.js';
import { type Verification, verifyStore } from '../../verify/verify-store.js';
import { KEY_SET_KEY, RELEASE_LIST_KEY, releaseListBytes, toHistory } from '../../signing/signed-history.js';

/** Options for `repairStore`. */
export type RepairStoreOptions = {
  /** The input that lost objects are rebuilt from; without it none are rebuilt. */
  readonly inputs?: readonly InputSeries[];
  /** The site of the input, if it has one. */
  readonly site?: Site | undefined;
  /** The release that a lost pointer should name. */
  readonly pointer?: PointerRequest;
  /** Present if lost statements and the timestamp can be signed. */
  readonly signing?: Signing | undefined;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** The report of a repair. */
export type RepairResult = {
  readonly outcome: 'sound' | 'repaired' | 'damaged';
  readonly revision: string | null;
  readonly sequence: number | null;
  readonly pointer: 'kept' | 'restored' | 'lost';
  /** Keys of the artifacts and release records that were restored, of the mark of the store, and of the record of refusals. */
  readonly restored: readonly string[];
  /** Public copies that were written. */
  readonly aliases: Written;
  /** The faults that remain. */
  readonly faults: readonly StoreFault[];
  /** The release that a lost pointer should name, if the store contains enough evidence to decide. */
  readonly candidate: NamedRelease | null;
};

/** What a repair has done so far. */
type Done = { readonly restored: string[]; pointer: RepairResult['pointer']; aliases: Written };

/**
 * Repairs the public copies; with `inputs`, missing and damaged objects, if their rebuilt bytes match their digest; with
 * `pointer`, a lost pointer. The report names every object that was restored, and counts the public copies.
 * @throws GeneratorError 'interrupted' if `signal` was aborted; its message says how many objects were restored, and whether
 * the pointer was.
 */
export async function repairStore(store: ObjectStore, options: RepairStoreOptions): Promise<RepairResult> {
  const done: Done = { restored: [], pointer: 'kept', aliases: { objects: 0, bytes: 0 } };
  try {
    return await repair(store, options, done);
  } catch (error) {
    throw options.signal.aborted ? interruptedError(done, error) : error;
  }
}

async function repair(store: ObjectStore, options: RepairStoreOptions, done: Done): Promise<RepairResult> {
  await repairMark(store, done);
  await assertStore(store);
  if (await resetDamagedRefusals(store)) done.restored.push(REFUSAL_KEY);
  if (options.pointer !== undefined) {
    const failed = await restorePointer(store, options.pointer, options, done);
    if (failed !== undefined) return toResult(failed, done);
  }
  const objects = await repairObjects(store, options, done);
  await repairAliases(store, options, done);
  await repairTrust(store, objects.faults, options, done);
  const after = objects.faults.length === 0 ? objects : await verifyStore(store, toVerify(options));
  const isLost = after.revision === null && after.faults.some(({ key }) => key === POINTER_KEY);
  if (!isLost) return toResult(after, done, objects);
  done.pointer = 'lost';
  return toResult(after, done, objects, await findLastCommitted(store));
}

/** Maximum number of rounds in a row that restore no record: a manifest names days, and nothing names more. */
const MAX_ROUNDS = 5;

/**
 * Verifies and rebuilds lost objects until nothing more can be rebuilt. Rebuilds none twice, because a store
 * may lose it again every time. Returns the last verification.
 */
async function repairObjects(
  store: ObjectStore,
  options: RepairStoreOptions,
  done: Done,
): Promise<Verification> {
  const { inputs, site, progress, signal } = options;
  const tried = new Set<string>();
  let rounds = 0;
  for (;;) {
    const verification = await verifyStore(store, toVerify(options));
    if (inputs === undefined) return verification;
    const found = await findLostObjects(store, verification.faults);
    const lost = new Map([...found].filter(([sha256]) => !tried.has(sha256)));
    const onRestored = (key: string): unknown => done.restored.push(key);
    if (lost.size === 0) return verification;
    const rebuilt = await rebuildObjects(store, lost, { inputs, site, progress, signal, onRestored });
    rounds = rebuilt.some((sha256) => parseReleaseKey(lost.get(sha256) ?? '')) ? 0 : rounds + 1;
    if (rebuilt.length === 0 || rounds > MAX_ROUNDS) return verification;
    rebuilt.forEach((sha256) => tried.add(sha256));
  }
}

/** Restores the mark of a store if it is not readable and the store has a release of this format. */
async function repairMark(store: ObjectStore, { restored }: Done): Promise<void> {
  if ((await unlessDamaged(() => isStore(store))) !== undefined) return;
  if ((await readAllRecords(store)).length > 0 && (await restoreMark(store))) restored.push(STORE_KEY);
}

/** Refreshes every public copy. Stops at a damaged artifact, which verification reports. */
async function repairAliases(
  store: ObjectStore,
  { progress, signal }: RepairStoreOptions,
  done: Done,
): Promise<void> {
  await resetDamagedAliasesFile(store);
  const refreshed = await unlessDamaged(() => refreshCopies(store, progress, signal));
  if (refreshed !== undefined) done.aliases = refreshed;
}

/** Restores what readers verify releases with, as far as that needs no damaged record. */
async function repairTrust(
  store: ObjectStore,
  faults: readonly StoreFault[],
  { signing }: RepairStoreOptions,
  { restored }: Done,
): Promise<void> {
  restored.push(...((await unlessDamaged(() => repairTrustFiles(store, faults, signing))) ?? []));
}

/** Replaces a damaged aliases.json with one of sequence 1, which the refresh then raises. */
async function resetDamagedAliasesFile(store: ObjectStore): Promise<void> {
  const found = await getDocument(store, ALIASES_KEY, 'aliases');
  if (found === undefined) return;
  if ((await unlessDamaged(() => parseStored(ALIASES_KEY, 'aliases', found.bytes))) !== undefined) return;
  const lowest = Buffer.from(canonicalJson({ schema: 'aliases/1', sequence: 1 }));
  await store.compareAndSwap(ALIASES_KEY, lowest, found.etag, metaOf(ALIASES_KEY));
}

/**
 * Restores a lost pointer if the release it should name is sound. Otherwise returns the faults of that release, and
 * writes nothing but the objects that could be rebuilt.
 */
async function restorePointer(
  store: ObjectStore,
  request: PointerRequest,
  options: RepairStoreOptions,
  done: Done,
): Promise<Verification | undefined> {
  const lost = await readLostPointer(store);
  done.pointer = 'lost';
  const release = await findCommitted(store, request);
  const verification = await repairWithStatements(withPointerTo(store, release), options, done);
  const faults = verification.faults.filter(({ key }) => !isAliasKey(key)); // copies are refreshed after the pointer
  if (faults.length > 0) return { ...verification, faults };
  options.signal.throwIfAborted();
  await putPointer(store, release, lost, options.signal);
  done.pointer = 'restored';
  return undefined;
}

/** Rebuilds lost objects and, with the key, signs lost statements. Returns the last verification. */
async function repairWithStatements(
  store: ObjectStore,
  options: RepairStoreOptions,
  done: Done,
): Promise<Verification> {
  const verification = await repairObjects(store, options, done);
  if (options.signing === undefined) return verification;
  const { signing } = options;
  const { faults } = verification;
  const signed = (await unlessDamaged(() => signLostStatements(store, faults, signing))) ?? [];
  done.restored.push(...signed);
  return signed.length === 0 ? verification : verifyStore(store, toVerify(options));
}

function isAliasKey(key: string): boolean {
  return key === ALIASES_KEY || key.startsWith(PUBLIC_PREFIX);
}

function toVerify({ progress, signal }: RepairStoreOptions): Parameters<typeof verifyStore>[1] {
  return { deep: false, progress, signal };
}

/** Returns the report. `after` is the last verification, `before` the one before the public copies were refreshed. */
function toResult(after: Verification, done: Done, before = after, candidate?: NamedRelease): RepairResult {
  const { revision, sequence, faults } = after;
  const { restored, pointer, aliases } = done;
  const isWrong = before.faults.length + before.lagging.length > 0;
  const isTouched = restored.length > 0 || isWrong || pointer === 'restored';
  const outcome = faults.length > 0 ? 'damaged' : isTouched ? 'repaired' : 'sound';
  return {
    outcome,
    revision,
    sequence,
    pointer,
    restored: [...restored].sort(),
    aliases,
    faults,
    candidate: candidate ?? null,
  };
}

function interruptedError({ restored, pointer }: Done, cause: unknown): GeneratorError {
  const state = {
    kept: 'some public copies may be outdated',
    restored: 'the pointer was restored, some public copies may be outdated',
    lost: isMoveOutcomeUnknown(cause)
      ? 'it is unknown whether the pointer was restored: run status'
      : 'the pointer was not restored',
  }[pointer];
  return new GeneratorError(
    'interrupted',
    `interrupted: ${count(restored.length, 'object')} ${plural(restored.length, 'was', 'were')} restored; ${state}. Run again.`,
    { cause },
  );
}

/**
 * Restores what readers verify releases with: the list of releases and the public copy of the statement and, with the release
 * key, lost statements, the current one if its key was revoked or has expired, and the timestamp. Returns the keys of the
 * statements that were signed again. Precondition with `signing`: the operator has checked that the releases are theirs.
 */
async function repairTrustFiles(
  store: ObjectStore,
  faults: readonly StoreFault[],
  signing: Signing | undefined,
): Promise<string[]> {
  const current = (await store.head(KEY_SET_KEY)) === undefined ? undefined : await readCurrent(store);
  if (current === undefined) return [];
  const releases = await readReleases(store, { revision: current.record.revision, sha256: current.sha256 });
  await restoreReleaseList(store, toHistory(releases));
  if (signing === undefined) {
    await publishStatement(store, current);
    return [];
  }
  const lost = lostStatements(faults);
  const signed = await signAll(
    store,
    signing,
    releases,
    (sha256) => lost.has(sha256) || sha256 === current.sha256,
  );
  await refreshTrustFiles(store, signing);
  return signed;
}

/** Signs the lost statements about the current release and those before it. Returns their keys. Precondition: as above. */
async function signLostStatements(
  store: ObjectStore,
  faults: readonly StoreFault[],
  signing: Signing,
): Promise<string[]> {
  const lost = lostStatements(faults);
  const current = lost.size === 0 ? undefined : await readCurrent(store);
  if (current === undefined) return [];
  const { revision } = current.record;
  const releases = await readReleases(store, { revision, sha256: current.sha256 });
  return signAll(store, signing, releases, (sha256) => lost.has(sha256));
}

/** Returns the digests of the releases whose statements have faults. */
function lostStatements(faults: readonly StoreFault[]): ReadonlySet<string> {
  return new Set(faults.flatMap(({ key }) => parseStatementKey(key)?.sha256 ?? []));
}

/** Signs those releases that `isToSign` accepts by their digest. Returns the keys of the statements that were written. */
async function signAll(
  store: ObjectStore,
  signing: Signing,
  releases: readonly StoredRelease[],
  isToSign: (sha256: string) => boolean,
): Promise<string[]> {
  const history = toHistory(releases);
  const signed: string[] = [];
  for (const release of releases) {
    const { revision, sequence } = release.record;
    if (!isToSign(release.sha256)) continue;
    const toSign = { release, history: history.slice(0, sequence), isExposed: false };
    if ((await signRelease(store, signing, toSign)) > 0) signed.push(statementKey(revision, release.sha256));
  }
  return signed;
}

/** Writes the list of releases from the release records, unless it is right. */
async function restoreReleaseList(store: ObjectStore, history: readonly PastRelease[]): Promise<void> {
  const body = releaseListBytes(history);
  const found = await store.get(RELEASE_LIST_KEY, body.length + 1);
  if (found !== undefined && body.equals(found.bytes)) return;
  await store.compareAndSwap(RELEASE_LIST_KEY, body, found?.etag ?? null, metaOf(RELEASE_LIST_KEY));
}
