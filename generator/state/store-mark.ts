import { canonicalJson } from '../../schemas/canonical-json.js';
import {
  OBJECTS_PREFIX,
  parseObjectKey,
  parseReleaseKey,
  POINTER_KEY,
  RELEASES_PREFIX,
  STORE_KEY,
} from '../../schemas/paths.js';
import type { StoreMark } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { ensureSafe, isOfCheck, type SafetyOptions } from '../../infra/store/store-safety.js';
import { GeneratorError } from '../core/generator-error.js';
import { listBounded } from './bounded-list.js';
import { MAX_MARK_BYTES } from './read-limits.js';
import { metaOf } from './stored-json.js';

/** Format of the stores that this version reads and writes. */
export const STORE_FORMAT = 3 satisfies StoreMark['format'];

const MARK = Buffer.from(canonicalJson({ format: STORE_FORMAT }));

/**
 * Returns whether there is a store at the address; `false` if the address is empty.
 * @throws GeneratorError 'usage' if the address contains anything else, or a store of another format; 'damaged' if it
 * contains a store whose mark is not readable.
 */
export async function isStore(store: ObjectStore): Promise<boolean> {
  if (await hasMark(store)) return true;
  for await (const { key } of store.list('')) {
    if (isOfCheck(key)) continue; // the check of a server comes before the mark
    // A publish that started in the meantime writes the mark before anything else.
    if (await hasMark(store)) return true;
    const isLost = await hasFiles(store);
    const advice = isLost
      ? `If a store has lost this file, put it back from a backup, or copy the store from its mirror to an empty address: "generator copy --from MIRROR --to ADDRESS". For anything else, choose an empty address.`
      : 'Choose an empty address.';
    throw new GeneratorError(
      'usage',
      `${store.address} is not a store: it contains ${key} but no ${STORE_KEY}. ${advice}`,
      { next: isLost ? ['copy', '--from', 'MIRROR', '--to', 'ADDRESS'] : undefined },
    );
  }
  return false;
}

/** The option of `publish` that requires a store. */
const EXISTING = '--existing';

/** Passes if there is a store at the address. @throws GeneratorError 'usage' otherwise. */
export async function assertStore(store: ObjectStore): Promise<void> {
  if (await isStore(store)) return;
  throw new GeneratorError(
    'usage',
    `There is no store at ${store.address}. Check the address, or create a store with "generator publish" without --existing.`,
    { next: (args) => (args.includes(EXISTING) ? args.filter((arg) => arg !== EXISTING) : undefined) },
  );
}

/**
 * Marks the address as a store unless it is one already, and returns the number of bytes written. A server is checked before
 * the first mark, and again if it says that it created the mark of a store that was there: it then ignores conditions.
 * @throws StoreError 'unsafe' for a server that loses writes
 */
export async function markStore(store: ObjectStore, safety: SafetyOptions): Promise<number> {
  const wasChecked = await ensureSafe(store, safety);
  if ((await store.putIfAbsent(STORE_KEY, MARK, metaOf(STORE_KEY))) === 'exists') return 0;
  if (wasChecked) await ensureSafe(store, { ...safety, isDoubted: true });
  return MARK.length;
}

async function hasMark(store: ObjectStore): Promise<boolean> {
  const mark = await store.get(STORE_KEY, MAX_MARK_BYTES);
  if (mark === undefined) return false;
  const format = parseFormat(mark.bytes);
  if (format === STORE_FORMAT) return true;
  if (format === undefined && (await hasFiles(store))) throw damagedMark(store);
  throw new GeneratorError('usage', explainFormat(store.address, format));
}

/**
 * Writes the mark of a store again if it is not readable, and returns whether it did.
 * Precondition: the releases of the store have this format.
 */
export async function restoreMark(store: ObjectStore): Promise<boolean> {
  const mark = await store.get(STORE_KEY, MAX_MARK_BYTES);
  if (mark === undefined || parseFormat(mark.bytes) !== undefined) return false;
  return (await store.compareAndSwap(STORE_KEY, MARK, mark.etag, metaOf(STORE_KEY))) !== 'conflict';
}

/** Returns whether the address contains files that only a store has. */
async function hasFiles(store: ObjectStore): Promise<boolean> {
  if ((await store.head(POINTER_KEY)) !== undefined) return true;
  for (const prefix of [RELEASES_PREFIX, OBJECTS_PREFIX])
    for await (const { key } of listBounded(store, prefix))
      if ((parseReleaseKey(key) ?? parseObjectKey(key)) !== undefined) return true;
  return false;
}

function damagedMark({ address }: ObjectStore): GeneratorError {
  const fault = {
    key: STORE_KEY,
    message: 'is empty or not readable, but the address contains a store; "generator repair" writes it again',
  };
  return new GeneratorError(
    'damaged',
    `${address}: ${fault.key} is empty or not readable, but the address contains a store. Nothing was written. Copy the store from its mirror to an empty address ("generator copy --from MIRROR --to ADDRESS"), or write the file again:`,
    { fault, next: ['repair', '--store', address] },
  );
}

/** Returns the format that a mark names, regardless of the version that wrote it; `undefined` if it names none. */
function parseFormat(bytes: Uint8Array): number | undefined {
  try {
    const { format } = JSON.parse(Buffer.from(bytes).toString('utf8')) as { format?: unknown }; // any document
    return Number.isSafeInteger(format) ? (format as number) : undefined;
  } catch {
    return undefined;
  }
}

function explainFormat(address: string, format: number | undefined): string {
  if (format === undefined || format < 1)
    return `${address} is not a store: its ${STORE_KEY} names no format. Choose another address.`;
  if (format < STORE_FORMAT)
    return `${address} is a store of format ${format}, which this version cannot read or extend. Publish to a new store.`;
  return `${address} is a store of format ${format}, which is newer than this version of the generator. Upgrade the generator.`;
}
