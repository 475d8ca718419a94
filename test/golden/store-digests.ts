import pMap from 'p-map';
import { sha256Hex } from '../../schemas/digest.js';
import { objectKey, OBJECTS_PREFIX, parseReleaseKey, PAGE_PATHS, publicKey } from '../../schemas/paths.js';
import type { FileEntry, Manifest, ReleaseRecord, SiteFiles } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';

const CONCURRENCY = 16;

/** The bytes under each key of a store. */
export type StoreContents = ReadonlyMap<string, Uint8Array>;

/** Digest by name, sorted by name. See `nameKeys` for the names. */
export type StoreDigests = ReadonlyMap<string, string>;

// Results by file contents, because the tests digest the same store many times with one file changed.
const digests = new WeakMap<Uint8Array, string>();
const records = new WeakMap<Uint8Array, RecordNames>();
const archives = new WeakMap<Uint8Array, NamedKey[]>();

/** Reads a whole store into memory. */
export async function readStore(store: ObjectStore): Promise<StoreContents> {
  const keys: string[] = [];
  for await (const { key } of store.list('')) keys.push(key);
  const read = async (key: string): Promise<[string, Uint8Array]> => [
    key,
    (await store.get(key))?.bytes ?? new Uint8Array(),
  ];
  return new Map(await pMap(keys, read, { concurrency: CONCURRENCY }));
}

/**
 * Returns the keys of a store by the name under which `digestStore` pins them. Every key has a name. The name of an
 * artifact, and of its public copy if it is intact, is its URL path and the revision that made it. Day files of one archive
 * and month share a name: "/api/v1/files/gold/base/2023-05 2023-06-16.000001". Every other key is its own name, as is the
 * key of an artifact that no intact record or manifest lists. A name may include keys that are missing from the store.
 */
export function nameKeys(contents: StoreContents): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  const unnamed = new Set(contents.keys());
  const add = ([name, key]: NamedKey): void => {
    unnamed.delete(key);
    const keys = names.get(name);
    if (keys === undefined) names.set(name, new Set([key]));
    else keys.add(key);
  };
  for (const [key, bytes] of contents) {
    if (!isIntact(bytes, parseReleaseKey(key)?.sha256)) continue;
    const { listed, manifests, site } = remembered(records, bytes, readRecord);
    listed.forEach(add);
    const list = site && contents.get(objectKey(site.sha256));
    const ofSite = isIntact(list, site?.sha256) ? siteNames(list, site?.revision ?? '') : [];
    ofSite.forEach(add);
    for (const [name, key] of [...listed, ...ofSite]) {
      const copyKey = publicKey(name.slice(0, name.indexOf(' ')));
      const copy = contents.get(copyKey);
      if (copy !== undefined && objectKey(digestOf(copy)) === key) add([name, copyKey]);
    }
    for (const sha256 of manifests) {
      const manifest = contents.get(objectKey(sha256));
      if (isIntact(manifest, sha256)) remembered(archives, manifest, readManifest).forEach(add);
    }
  }
  for (const key of unnamed) add([key, key]);
  return names;
}

type NamedKey = readonly [name: string, key: string];
type RecordNames = {
  readonly listed: readonly NamedKey[];
  readonly manifests: readonly string[];
  /** The list of the site's files. */
  readonly site?: FileEntry | undefined;
};

/** Returns the names of the artifacts that a release record lists, and the digests of its manifests. */
function readRecord(bytes: Uint8Array): RecordNames {
  const record = JSON.parse(Buffer.from(bytes).toString('utf8')) as ReleaseRecord; // only called with intact bytes
  const entries = [record.public, record.bundles, record.manifests].flatMap((each) => Object.entries(each));
  return {
    listed: entries.map(([path, { revision, sha256 }]) => [`${path} ${revision}`, objectKey(sha256)]),
    manifests: Object.values(record.manifests).map(({ sha256 }) => sha256),
    site: record.public[PAGE_PATHS.siteFiles],
  };
}

/** Returns the names of the files that the list of a site names. They have the revision of the list. */
function siteNames(bytes: Uint8Array, revision: string): NamedKey[] {
  const { files } = JSON.parse(Buffer.from(bytes).toString('utf8')) as SiteFiles; // only called with intact bytes
  return Object.entries(files).map(([path, { sha256 }]) => [`${path} ${revision}`, objectKey(sha256)]);
}

/** Returns the names of the day files that a manifest lists. */
function readManifest(bytes: Uint8Array): NamedKey[] {
  const { dates } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Manifest; // only called with intact bytes
  return dates.map(({ path, revision, sha256 }) => [
    `${path.slice(0, -'-DD.json'.length)} ${revision}`,
    objectKey(sha256),
  ]);
}

function isIntact(bytes: Uint8Array | undefined, sha256: string | undefined): bytes is Uint8Array {
  return bytes !== undefined && sha256 !== undefined && digestOf(bytes) === sha256;
}

/**
 * Returns a digest for each name of `nameKeys`: the SHA-256 of the file's bytes, or of the list of the files' digests
 * if several files share the name. Digests are computed from the bytes, never taken from the store's own claims.
 * Omits a name if none of its files exist.
 */
export function digestStore(contents: StoreContents): StoreDigests {
  const lines: [string, string][] = [];
  for (const [name, keys] of nameKeys(contents)) {
    const files = [...keys].sort().flatMap((key) => contents.get(key) ?? []);
    const [first, ...others] = files.map(digestOf);
    if (first === undefined) continue;
    lines.push([name, others.length === 0 ? first : sha256Hex([first, ...others].join('\n'))]);
  }
  return new Map(lines.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function digestOf(bytes: Uint8Array): string {
  return remembered(digests, bytes, sha256Hex);
}

function remembered<T>(known: WeakMap<Uint8Array, T>, bytes: Uint8Array, make: (bytes: Uint8Array) => T): T {
  const found = known.get(bytes) ?? make(bytes);
  if (!known.has(bytes)) known.set(bytes, found);
  return found;
}

/** Returns the text of a digest list, one line "<sha256> <name>" each. */
export function formatDigests(digests: StoreDigests): string {
  return [...digests].map(([name, sha256]) => `${sha256} ${name}\n`).join('');
}

/** Parses the text that `formatDigests` returns. */
export function parseDigests(text: string): StoreDigests {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(65), line.slice(0, 64)]));
}

const DERIVATION_ORDER: readonly string[] = ['gold', 'derived', 'meta', 'briefs'];

/** Returns the position of a name among differences: day files, other paths, other keys, unlisted artifacts. */
function rankOf(name: string): number {
  const genre = /^\/api\/v1\/files\/([a-z]+)\/.*\/\d{4}-\d{2} /.exec(name)?.[1];
  if (genre !== undefined) return DERIVATION_ORDER.indexOf(genre);
  if (name.startsWith('/')) return DERIVATION_ORDER.length;
  return DERIVATION_ORDER.length + (name.startsWith(OBJECTS_PREFIX) ? 2 : 1);
}

/**
 * Returns what differs between two digest lists, one line per name: "changed: ...", "missing: ..." or "added: ...".
 * Day files come first, from gold, from which the others can be recomputed, to briefs, because the rest is made from them.
 * Artifacts that no record or manifest lists come last. Empty when the stores are equal.
 */
export function listDifferences(found: StoreDigests, expected: StoreDigests): string[] {
  const names = [...new Set([...found.keys(), ...expected.keys()])].sort();
  names.sort((one, other) => rankOf(one) - rankOf(other)); // stable: equal ranks stay sorted by name
  return names.flatMap((name) => {
    if (found.get(name) === expected.get(name)) return [];
    if (!found.has(name)) return [`missing: ${name}`];
    return [`${expected.has(name) ? 'changed' : 'added'}: ${name}`];
  });
}
