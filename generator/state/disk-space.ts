import { bytesWords, count } from '../../schemas/words.js';
import { GENRES } from '../../schemas/catalog.js';
import { objectKey, OBJECTS_PREFIX, POINTER_KEY, publicKey, releaseKey } from '../../schemas/paths.js';
import type { PlannedRelease } from '../core/release/plan-types.js';
import { readDiskSpace, type Amount, type DiskSpace } from '../../infra/store/directory/disk-space.js';
import { formatShellCommand } from '../../infra/process/shell-command.js';
import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';

/** Free space that writing leaves on the disk of a directory store: this much, or 5 % of the disk if that is less. */
const RESERVE = { bytes: 64_000_000, files: 1_000 };
const RESERVE_SHARE = 0.05;
/** Unit in which file systems usually allocate space. */
const BLOCK_BYTES = 4_096;
/** Estimated space of the day files of a date: six blocks. On real histories it is 21,000 bytes on average. */
const DATE_BYTES = 24_576;
/** Estimated space of the bundles, manifests and public copies of a chain. On real histories it is 7 to 8 MB. */
const CHAIN = { bytes: 12_000_000, files: 100 };

/** Space on a disk; `bytes` in whole blocks. */
type Need = { readonly bytes: number; readonly files: number };

/** A file to write. */
export type FileSize = { readonly key: string; readonly bytes: number };

/**
 * Passes if the disk of a directory store has room for these files and the reserve. Files that the store already has
 * need no space. Always passes for other stores.
 * @throws StoreError 'unavailable' with the space needed and the space free.
 */
export async function assertSpaceForFiles(store: ObjectStore, files: readonly FileSize[]): Promise<void> {
  await assertSpace(store, needOf(files), async () => {
    const existing = new Set((await listFiles(store, '')).map(({ key }) => key));
    const left = files.filter(({ key }) => !existing.has(key));
    return left.length === 0 ? undefined : needOf(left);
  });
}

/**
 * Passes if the disk of a directory store has room for a release: its files, its public copies and its record.
 * @throws StoreError 'unavailable'.
 */
export function assertSpaceForRelease(
  store: ObjectStore,
  { record, recordText, sha256, artifacts }: PlannedRelease,
): Promise<void> {
  const copies = artifacts.filter(({ path }) => path in record.public);
  const files: FileSize[] = [
    ...artifacts.map((artifact) => ({ key: objectKey(artifact.sha256), bytes: artifact.bytes })),
    ...copies.map(({ path, bytes }) => ({ key: publicKey(path), bytes })),
    { key: releaseKey(record.revision, sha256), bytes: Buffer.byteLength(recordText) },
  ];
  return assertSpaceForFiles(store, files);
}

/** Size of a first release: the number of dates of all its chains, and the number of chains. */
type HistorySize = { readonly dates: number; readonly chains: number };

/** Passes like `assertSpaceForFiles` for a first release of this size, whose files are not known yet. */
export async function assertSpaceForHistory(
  store: ObjectStore,
  { dates, chains }: HistorySize,
): Promise<void> {
  const need = {
    bytes: dates * DATE_BYTES + chains * CHAIN.bytes,
    files: dates * GENRES.length + chains * CHAIN.files,
  };
  await assertSpace(store, need, async () => {
    const existing = needOf(await listFiles(store, OBJECTS_PREFIX));
    return {
      bytes: Math.max(0, need.bytes - existing.bytes),
      files: Math.max(0, need.files - existing.files),
    };
  });
}

/** Passes while the reserve of a directory store is free. @throws StoreError 'unavailable'. */
export async function assertReserve(store: ObjectStore): Promise<void> {
  const space = await readDiskSpace(store.address);
  if (space !== undefined) await assertFits(store, space, { bytes: 0, files: 0 });
}

/**
 * `remaining` returns the need without what exists already, `undefined` if not even the reserve is needed. It is called
 * only if the whole need does not fit.
 */
async function assertSpace(
  store: ObjectStore,
  need: Need,
  remaining: () => Promise<Need | undefined>,
): Promise<void> {
  const space = await readDiskSpace(store.address);
  if (space === undefined || findShortage(space, need) === undefined) return;
  const left = await remaining();
  if (left !== undefined) await assertFits(store, space, left);
}

async function listFiles(store: ObjectStore, prefix: string): Promise<FileSize[]> {
  const files: FileSize[] = [];
  for await (const { key, sizeBytes } of store.list(prefix)) files.push({ key, bytes: sizeBytes });
  return files;
}

function needOf(files: readonly FileSize[]): Need {
  const blocks = files.reduce((sum, { bytes }) => sum + Math.ceil(bytes / BLOCK_BYTES), 0);
  return { bytes: blocks * BLOCK_BYTES, files: files.length };
}

async function assertFits(store: ObjectStore, space: DiskSpace, need: Need): Promise<void> {
  const short = findShortage(space, need);
  if (short === undefined) return;
  const { free, needed, reserve, missing } = short;
  const writes = needed === undefined ? 'must' : `writes ${needed} and must`;
  const isPublished = (await store.head(POINTER_KEY)) !== undefined;
  const gc = formatShellCommand(['generator', 'gc', '--apply', '--store', store.address]);
  const example = isPublished ? `, for example with "${gc}",` : '';
  throw new StoreError(
    'unavailable',
    `The disk of ${store.address} has ${free} free. This run ${writes} leave ${reserve} free. Nothing visible has changed. Free at least ${missing} there${example} and run again.`,
  );
}

/** A shortage of disk space, with amounts formatted for a message. */
type Shortage = {
  readonly free: string;
  readonly needed?: string;
  readonly reserve: string;
  readonly missing: string;
};

/** How a message writes an amount. `roundUp` returns the next amount that the text can state exactly. */
type Unit = { readonly roundUp: (value: number) => number; readonly toText: (value: number) => string };

const BYTES: Unit = { roundUp: roundUpDigits, toText: bytesWords };
const FILES: Unit = { roundUp: (value) => value, toText: (value) => count(value, 'file') };

/** Rounds up to three significant digits, as messages print bytes, but in steps of at least 100 kB, because space is freed in whole blocks. */
function roundUpDigits(value: number): number {
  const step = Math.max(100_000, 10 ** (Math.floor(Math.log10(value)) - 2));
  return Math.ceil(value / step) * step;
}

function findShortage({ bytes, files }: DiskSpace, need: Need): Shortage | undefined {
  return (
    toShortage(bytes, need.bytes, RESERVE.bytes, BYTES) ??
    (files && toShortage(files, need.files, RESERVE.files, FILES))
  );
}

function toShortage(
  { free, total }: Amount,
  needed: number,
  maxReserve: number,
  { roundUp, toText }: Unit,
): Shortage | undefined {
  const reserve = Math.min(maxReserve, Math.floor(total * RESERVE_SHARE));
  if (free - needed >= reserve) return undefined;
  return {
    free: toText(free),
    reserve: toText(reserve),
    missing: toText(roundUp(reserve + needed - free)),
    ...(needed > 0 ? { needed: toText(needed) } : {}),
  };
}
