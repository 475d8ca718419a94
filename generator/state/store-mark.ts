import { canonicalJson } from '../../schemas/canonical-json.js';
import { STORE_KEY } from '../../schemas/paths.js';
import type { StoreMark } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { metaOf } from './object-meta.js';

/** Format of the stores that this version reads and writes. */
export const STORE_FORMAT = 2 satisfies StoreMark['format'];

/**
 * Returns whether there is a store at the address; `false` if the address is empty.
 * @throws GeneratorError 'usage' if the address contains anything else, or a store of another format.
 */
export async function isStore(store: ObjectStore): Promise<boolean> {
  if (await hasMark(store)) return true;
  for await (const { key } of store.list('')) {
    // A publish that started in the meantime writes the mark before anything else.
    if (await hasMark(store)) return true;
    throw new GeneratorError(
      'usage',
      `${store.address} is not a store: it contains ${key} but no ${STORE_KEY}. Choose an empty address.`,
    );
  }
  return false;
}

/** Passes if there is a store at the address. @throws GeneratorError 'usage' otherwise. */
export async function assertStore(store: ObjectStore): Promise<void> {
  if (await isStore(store)) return;
  throw new GeneratorError(
    'usage',
    `There is no store at ${store.address}. Check the address, or create a store with "generator publish" without --existing.`,
  );
}

/** Marks the address as a store unless it is one already. Returns the number of bytes written. */
export async function markStore(store: ObjectStore): Promise<number> {
  const mark = Buffer.from(canonicalJson({ format: STORE_FORMAT }));
  return (await store.putIfAbsent(STORE_KEY, mark, metaOf(STORE_KEY))) === 'created' ? mark.length : 0;
}

async function hasMark(store: ObjectStore): Promise<boolean> {
  const mark = await store.get(STORE_KEY);
  if (mark === undefined) return false;
  const format = parseFormat(mark.bytes);
  if (format === STORE_FORMAT) return true;
  throw new GeneratorError('usage', explainFormat(store.address, format));
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
