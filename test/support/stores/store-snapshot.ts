import pMap from 'p-map';
import { sha256Hex } from '../../../schemas/digest.js';
import type { Manifest } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { readPointer, readRecord } from '../../../generator/state/published-state.js';
import { readArtifact } from '../../../generator/state/stored-json.js';

const CONCURRENCY = 16;

/** A digest of each object of a store by key: its SHA-256, or the ETag of its bucket. */
export type StoreSnapshot = ReadonlyMap<string, string>;

/** Reads all objects of a store. */
export async function snapshotStore(store: ObjectStore): Promise<StoreSnapshot> {
  const keys: string[] = [];
  for await (const { key } of store.list('')) keys.push(key);
  const read = async (key: string): Promise<[string, string]> => [
    key,
    sha256Hex((await store.get(key))?.bytes ?? new Uint8Array()),
  ];
  return new Map(await pMap(keys, read, { concurrency: CONCURRENCY }));
}

/** Returns the sorted keys whose bytes differ between two stores. */
export function differingKeys(one: StoreSnapshot, other: StoreSnapshot): string[] {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter((key) => one.get(key) !== other.get(key)).sort();
}

/**
 * Reads every day file, also superseded ones, in the manifests of all committed releases, and returns their number.
 * @throws GeneratorError 'damaged' if one cannot be read.
 */
export async function readCommittedDays(store: ObjectStore): Promise<number> {
  const manifests = new Set<string>();
  let link: { revision: string; sha256: string } | null = (await readPointer(store))?.value ?? null;
  while (link !== null) {
    const record = await readRecord(store, link);
    for (const { sha256 } of Object.values(record.manifests)) manifests.add(sha256);
    link = record.previous;
  }
  const days = new Set<string>();
  for (const digest of manifests) {
    const bytes = await readArtifact(store, digest);
    const { dates } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Manifest; // readArtifact verified its digest
    for (const entry of dates) for (const day of [entry, ...entry.superseded]) days.add(day.sha256);
  }
  await pMap(days, (digest) => readArtifact(store, digest), { concurrency: CONCURRENCY });
  return days.size;
}
