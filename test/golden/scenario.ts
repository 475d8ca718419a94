import path from 'node:path';
import { sha256Hex } from '../../schemas/digest.js';
import { createDirectoryStore } from '../../infra/store/directory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { runAsProcess } from '../fixtures/generator-run.js';

/** Where the committed golden files lie. */
export const GOLDEN = import.meta.dirname;

/** The publications that make the golden store, in order. */
export const PUBLICATIONS = [
  { input: 'input-1', asOf: '2023-06-16T06:00:00Z' },
  { input: 'input-2', asOf: '2023-06-17T06:00:00Z', reason: 'upstream corrected one day of ethereum' },
] as const;

/** Publishes the golden inputs by the built command line into the empty folder `root`, and resolves the store. */
export async function publishGolden(root: string): Promise<ObjectStore> {
  for (const { input, asOf, ...rest } of PUBLICATIONS) {
    const accept = 'reason' in rest ? ['--accept-restatements', rest.reason] : [];
    const where = ['--input', path.join(GOLDEN, input), '--store', `file:${root}`, '--as-of', asOf];
    const run = await runAsProcess(['publish', '--quiet', ...where, ...accept]);
    if (run.code !== 0) throw new Error(run.stderr);
  }
  return createDirectoryStore(root);
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
    for (const [chain, date] of [
      ['ethereum', '2023-05-20'],
      ['arbitrum', '2022-11-15'],
      ['bitcoin', '2023-06-16'],
    ]) {
      const release = JSON.parse(
        files.get([...files.keys()].filter((key) => key.startsWith('releases/')).at(-1) ?? '') ?? '{}',
      );
      const manifest = release.manifests[`/api/v1/files/${genre}/${chain}/manifest.json`];
      const dates = JSON.parse(await text(`objects/sha256/${String(manifest.sha256)}`)).dates as {
        date: string;
        sha256: string;
      }[]; // our manifest
      const entry = dates.find((each) => each.date === date);
      files.set(`days/${genre}-${chain}-${date}.json`, await text(`objects/sha256/${entry?.sha256 ?? ''}`));
    }
  }
  return files;
}
