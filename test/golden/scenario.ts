import path from 'node:path';
import { parseInstant } from '../../schemas/dates.js';
import { sha256Hex } from '../../schemas/digest.js';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { readInputDirectory } from '../../generator/io/input-directory.js';
import { publishSeries } from '../fixtures/publish-series.js';

/** Where the committed golden files lie. */
export const GOLDEN = import.meta.dirname;

/** The publications that make the golden store, in order. */
export const PUBLICATIONS = [
  { input: 'input-1', asOf: '2023-06-16T06:00:00Z' },
  { input: 'input-2', asOf: '2023-06-17T06:00:00Z', reason: 'upstream corrected one day of ethereum' },
] as const;

/** Publishes the golden inputs into an empty store, and resolves it. */
export async function publishGolden(): Promise<ObjectStore> {
  const store = createMemoryStore();
  for (const { input, asOf, ...rest } of PUBLICATIONS) {
    const folder = path.join(GOLDEN, input);
    const read = await readInputDirectory({ folder, asOfMs: parseInstant(asOf) ?? NaN });
    if (read.faults.length > 0) throw new Error(JSON.stringify(read.faults));
    const acceptance = 'reason' in rest ? { acceptance: { reason: rest.reason } } : {};
    await publishSeries(store, { inputs: read.series, asOf, ...acceptance });
  }
  return store;
}

/** One line per key of the store: digest, size, key. Keys of artifacts are digests, so every byte is pinned. */
export async function listStore(store: ObjectStore): Promise<string> {
  const lines: string[] = [];
  for await (const { key } of store.list('')) {
    const bytes = (await store.get(key))?.bytes ?? new Uint8Array();
    lines.push(`${sha256Hex(bytes)} ${String(bytes.length)} ${key}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The keys whose bytes are committed too, for people to read: what is public, the records, and some days. */
export async function readableKeys(store: ObjectStore): Promise<Map<string, string>> {
  const text = async (key: string): Promise<string> =>
    Buffer.from((await store.get(key))?.bytes ?? []).toString('utf8');
  const files = new Map<string, string>();
  for await (const { key } of store.list('')) {
    if (!key.startsWith('objects/')) files.set(key, await text(key));
  }
  for (const genre of ['meta', 'gold', 'derived']) {
    for (const [chain, date] of [['ethereum', '2023-05-20'], ['arbitrum', '2022-11-15'], ['bitcoin', '2023-06-16']]) {
      const release = JSON.parse(files.get([...files.keys()].filter((key) => key.startsWith('releases/')).at(-1) ?? '') ?? '{}');
      const manifest = release.manifests[`/api/v1/files/${genre}/${chain}/manifest.json`];
      const dates = JSON.parse(await text(`objects/sha256/${String(manifest.sha256)}`)).dates as { date: string; sha256: string }[]; // our manifest
      const entry = dates.find((each) => each.date === date);
      files.set(`days/${genre}-${chain}-${date}.json`, await text(`objects/sha256/${entry?.sha256 ?? ''}`));
    }
  }
  return files;
}
