import pMap from 'p-map';
import { CHAIN_IDS, GENRES } from '../../schemas/catalog.js';
import { sha256Hex } from '../../schemas/digest.js';
import {
  calendarPath,
  manifestPath,
  objectKey,
  POINTER_KEY,
  publicKey,
  releaseKey,
} from '../../schemas/paths.js';
import type {
  Bundle,
  Chain,
  Genre,
  GoldDay,
  Manifest,
  ManifestDate,
  MetaDay,
  ReleaseRecord,
} from '../../schemas/types.generated.js';
import { SCHEMAS } from '../../schemas/schemas.generated.js';
import type { SchemaName } from '../../schemas/validate.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { calendarFile, toCalendarRow } from '../core/artifacts/regime-calendar.js';
import type { DayRecord } from '../core/records/day-writers.js';
import { GeneratorError } from '../core/generator-error.js';
import { checkBundle } from '../core/verification/check-bundle.js';
import { checkDay, checkManifest, compareManifests, daySchemaOf } from '../core/verification/check-day.js';
import {
  checkBytes,
  checkJsonDocument,
  type CheckedDocument,
  type DocumentTerms,
} from '../core/verification/check-document.js';
import type { StoreFault } from '../core/verification/fault.js';
import { SILENT, type Progress } from './progress.js';
import { isMarkedStore, readPointer, readRecord } from './published-state.js';
import { recomputeRelease } from './recompute-release.js';

const CONCURRENCY = 32;

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
export type VerifyTerms = { readonly deep: boolean; readonly progress?: Progress };

type Walk = {
  readonly store: ObjectStore;
  readonly record: ReleaseRecord;
  readonly manifests: Map<string, Manifest>;
  readonly gold: Map<Chain, GoldDay[]>;
  readonly faults: StoreFault[];
  artifacts: number;
  days: number;
};

/** Re-reads a store, and recomputes every digest, hash and link of what its pointer names. */
export async function verifyStore(
  store: ObjectStore,
  { deep, progress = SILENT }: VerifyTerms,
): Promise<Verification> {
  const nothing = { revision: null, sequence: null, releases: 0, artifacts: 0, days: 0, deep };
  const faults: StoreFault[] = [];
  await isMarkedStore(store, true);
  const record = await collecting(faults, async () => {
    const pointer = await readPointer(store);
    if (pointer === undefined)
      throw new GeneratorError('damaged', `${POINTER_KEY} is missing: nothing was ever published`);
    const found = await readRecord(store, pointer.value);
    if (found.sequence !== pointer.value.sequence || found.revision !== pointer.value.revision) {
      faults.push({ key: POINTER_KEY, message: 'names another revision or sequence than its record' });
    }
    return found;
  });
  if (record === undefined) return { ...nothing, faults };
  const walk: Walk = { store, record, manifests: new Map(), gold: new Map(), faults, artifacts: 0, days: 0 };
  const releases = await checkReleaseChain(walk);
  progress.begin('verify', countDays(record) + Object.keys({ ...record.public, ...record.bundles }).length);
  for (const chain of CHAIN_IDS) if (record.chains[chain]) await checkChain(walk, chain, progress);
  await checkPublicFiles(walk, progress);
  if (deep && faults.length === 0) faults.push(...(await recomputeRelease(store, record, walk.gold)));
  progress.end(`${faults.length} faults`);
  const { revision, sequence } = record;
  return { revision, sequence, releases, artifacts: walk.artifacts, days: walk.days, deep, faults };
}

/** Runs `work`; what is found to be damaged becomes a fault. */
async function collecting<T>(faults: StoreFault[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GeneratorError) || error.exit !== 'damaged') throw error;
    const [key = '', ...rest] = error.message.replace(/; run "generator verify".*$/, '').split(' ');
    faults.push({ key, message: rest.join(' ') });
    return undefined;
  }
}

/** Follows `previous` from the current release to the first; resolves how many there are. */
async function checkReleaseChain({ store, record, faults }: Walk): Promise<number> {
  let releases = 1;
  let later = record;
  while (later.previous !== null) {
    const link = later.previous;
    const earlier = await collecting(faults, () => readRecord(store, link));
    if (earlier === undefined) return releases;
    const inOrder = earlier.revision < later.revision && earlier.published_at <= later.published_at;
    if (earlier.sequence !== later.sequence - 1 || earlier.revision !== link.revision || !inOrder) {
      faults.push({
        key: releaseKey(link.revision, link.sha256),
        message: `does not come just before ${later.revision}`,
      });
    }
    releases += 1;
    later = earlier;
  }
  if (later.sequence !== 1) {
    faults.push({
      key: `releases/${later.revision}`,
      message: `is the first of the chain with sequence ${later.sequence}`,
    });
  }
  return releases;
}

async function checkChain(walk: Walk, chain: Chain, progress: Progress): Promise<void> {
  const { record, faults, manifests } = walk;
  for (const genre of GENRES) {
    const path = manifestPath(genre, chain);
    const entry = record.manifests[path];
    const { value } = await checkStored(walk, path, entry && { ...entry, schema: 'manifest' });
    if (entry === undefined || value === undefined) continue;
    const manifest = value as Manifest; // judged by its schema just above
    manifests.set(path, manifest);
    const key = objectKey(entry.sha256);
    const say = (message: string): number => faults.push({ key, message: `${path}: ${message}` });
    checkManifest(manifest, genre, chain).forEach(say);
    const meta = manifests.get(manifestPath('meta', chain));
    if (meta !== undefined && meta !== manifest) compareManifests(meta, manifest).forEach(say);
    if (manifest.updated_through !== record.chains[chain]?.updated_through)
      say('updated_through differs from the release');
    await checkDays(walk, genre, manifest, progress);
    await checkBundles(walk, manifest, progress);
  }
}

async function checkDays(walk: Walk, genre: Genre, manifest: Manifest, progress: Progress): Promise<void> {
  const rows = await pMap(
    manifest.dates,
    async (entry): Promise<DayRecord | undefined> => {
      progress.advance();
      for (const old of entry.superseded) await checkOneDay(walk, manifest, entry, old);
      return checkOneDay(walk, manifest, entry, entry);
    },
    { concurrency: CONCURRENCY },
  );
  const inForce = rows.filter((day, i) => day !== undefined && manifest.dates[i]?.status !== 'withdrawn');
  if (genre === 'gold') walk.gold.set(manifest.chain, inForce as GoldDay[]); // each judged by its schema
  if (genre === 'meta' && inForce.length === rows.length)
    checkCalendar(walk, manifest.chain, inForce as MetaDay[]); // the same
}

async function checkOneDay(
  walk: Walk,
  manifest: Manifest,
  entry: ManifestDate,
  version: Pick<ManifestDate, 'sha256' | 'bytes' | 'revision'>,
): Promise<DayRecord | undefined> {
  walk.days += 1;
  const { value, faults } = await checkStored(walk, entry.path, { ...version, schema: daySchemaOf(entry) });
  if (value === undefined || faults.length > 0) return undefined;
  const day = value as DayRecord; // judged by its schema just above
  for (const message of checkDay(day, entry, version.revision, manifest)) {
    walk.faults.push({ key: objectKey(version.sha256), message: `${entry.path}: ${message}` });
  }
  return day;
}

/** The calendar must be what the meta records give. */
function checkCalendar({ record, faults }: Walk, chain: Chain, days: readonly MetaDay[]): void {
  const path = calendarPath(chain);
  const { text } = calendarFile(chain, days.map(toCalendarRow)).content({
    revision: '',
    sequence: 1,
    publishedAt: '',
  });
  const entry = record.public[path];
  if (entry?.sha256 !== sha256Hex(text)) {
    faults.push({
      key: entry ? objectKey(entry.sha256) : path,
      message: `${path}: is not what the meta records give`,
    });
  }
}

async function checkBundles(walk: Walk, manifest: Manifest, progress: Progress): Promise<void> {
  const prefix = manifestPath(manifest.genre, manifest.chain).replace(/manifest\.json$/, '');
  for (const [path, entry] of Object.entries(walk.record.bundles)) {
    if (!path.startsWith(prefix)) continue;
    progress.advance();
    const { value, faults } = await checkStored(walk, path, { ...entry, schema: 'bundle' });
    if (value === undefined || faults.length > 0) continue;
    for (const message of checkBundle(value as Bundle, manifest)) {
      // judged by its schema just above
      walk.faults.push({ key: objectKey(entry.sha256), message: `${path}: ${message}` });
    }
  }
}

async function checkPublicFiles(walk: Walk, progress: Progress): Promise<void> {
  for (const [path, entry] of Object.entries(walk.record.public)) {
    progress.advance();
    await checkStored(walk, path, entry);
    const head = await walk.store.head(publicKey(path));
    if (head?.sha256 !== entry.sha256) {
      const what = head === undefined ? 'is missing' : 'is not what the release names';
      walk.faults.push({
        key: publicKey(path),
        message: `${what}; "generator publish" refreshes public copies that lag`,
      });
    }
  }
}

/** Reads and judges an artifact: JSON by its own schema, text by its bytes. */
async function checkStored(
  walk: Walk,
  path: string,
  terms: (DocumentTerms & { readonly type?: string }) | undefined,
): Promise<CheckedDocument> {
  if (terms === undefined) {
    walk.faults.push({ key: path, message: 'is not listed in the release' });
    return { faults: [] };
  }
  const key = objectKey(terms.sha256);
  const found = await walk.store.get(key);
  walk.artifacts += 1;
  const isText = terms.type !== undefined && !terms.type.startsWith('application/json');
  const checked =
    found === undefined
      ? { faults: ['is missing'] }
      : isText
        ? { faults: checkBytes(found.bytes, terms) }
        : checkJson(found.bytes, terms);
  for (const message of checked.faults) walk.faults.push({ key, message: `${path}: ${message}` });
  return checked;
}

/** A public document names its own schema. */
function checkJson(bytes: Uint8Array, terms: DocumentTerms): CheckedDocument {
  const checked = checkJsonDocument(bytes, terms);
  if (terms.schema !== undefined || checked.value === undefined) return checked;
  const name = String((checked.value as { schema?: unknown }).schema).split('/')[0] ?? ''; // any document
  if (!(name in SCHEMAS))
    return { ...checked, faults: [...checked.faults, `names no schema of ours: ${name}`] };
  return checkJsonDocument(bytes, { ...terms, schema: name as SchemaName }); // it is one of them
}

function countDays(record: ReleaseRecord): number {
  return Object.values(record.chains).reduce((sum, chain) => sum + chain.rows * GENRES.length, 0);
}
