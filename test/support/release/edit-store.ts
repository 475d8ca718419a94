import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { objectKey, POINTER_KEY, releaseKey } from '../../../schemas/paths.js';
import { siteDigestOf, withSiteFiles } from '../../../schemas/site-files.js';
import type { Contract, Pointer, ReleaseRecord } from '../../../schemas/types.generated.js';
import { assertValid, type SchemaName } from '../../../schemas/validate.js';

/** The current release of a directory store. */
export type StoredRelease = {
  readonly pointer: Pointer;
  readonly key: string;
  readonly record: ReleaseRecord;
};

/** Changes the files of a directory store directly. `undo` reverts all changes. */
export type StoreEditor = {
  readonly root: string;
  readonly read: (key: string) => Promise<Buffer>;
  readonly write: (key: string, body: string | Uint8Array) => Promise<void>;
  readonly remove: (key: string) => Promise<void>;
  readonly undo: () => Promise<void>;
};

/** Creates an editor of the directory store at `root`. */
export function createStoreEditor(root: string): StoreEditor {
  const originals = new Map<string, Buffer | undefined>();
  const fileOf = (key: string): string => path.join(root, key);
  const readIfPresent = (key: string): Promise<Buffer | undefined> =>
    readFile(fileOf(key)).catch(() => undefined);
  const remember = async (key: string): Promise<void> => {
    if (!originals.has(key)) originals.set(key, await readIfPresent(key));
  };
  return {
    root,
    read: (key) => readFile(fileOf(key)),
    async write(key, body) {
      await remember(key);
      await writeFile(fileOf(key), body);
    },
    async remove(key) {
      await remember(key);
      await rm(fileOf(key));
    },
    async undo() {
      for (const [key, body] of originals) {
        await (body === undefined ? rm(fileOf(key), { force: true }) : writeFile(fileOf(key), body));
      }
      originals.clear();
    },
  };
}

/** Flips one bit of an object, at the offset or in the middle. */
export async function flipBit(store: StoreEditor, key: string, offset?: number): Promise<void> {
  const bytes = await store.read(key);
  const at = offset ?? Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await store.write(key, bytes);
}

/** Swaps the bytes of two keys. */
export async function swapKeys(store: StoreEditor, one: string, other: string): Promise<void> {
  const [first, second] = [await store.read(one), await store.read(other)];
  await store.write(one, second);
  await store.write(other, first);
}

/** Reads a JSON document and validates it. */
export async function readDocument<N extends SchemaName>(
  store: StoreEditor,
  key: string,
  schema: N,
): Promise<NonNullable<Contract[N]>> {
  return assertValid(schema, JSON.parse((await store.read(key)).toString('utf8')));
}

/** Reads the pointer and its release record, with the files of its site among the public files. */
export async function readRelease(store: StoreEditor): Promise<StoredRelease> {
  const pointer = await readDocument(store, POINTER_KEY, 'pointer');
  const key = releaseKey(pointer.revision, pointer.sha256);
  const record = await readDocument(store, key, 'release-record');
  const sha256 = siteDigestOf(record);
  if (sha256 === undefined) return { pointer, key, record };
  const site = await readDocument(store, objectKey(sha256), 'site-files');
  return { pointer, key, record: withSiteFiles(record, site) };
}

/** Returns the key of the artifact of a URL path in the current release. */
export async function keyOfPath(store: StoreEditor, urlPath: string): Promise<string> {
  const { record } = await readRelease(store);
  const entry = record.public[urlPath] ?? record.bundles[urlPath] ?? record.manifests[urlPath];
  if (entry === undefined) throw new Error(`the release has no ${urlPath}`);
  return objectKey(entry.sha256);
}

/** Reads the document of a URL path in the current release. */
export async function readListed<N extends SchemaName>(
  store: StoreEditor,
  urlPath: string,
  schema: N,
): Promise<NonNullable<Contract[N]>> {
  return readDocument(store, await keyOfPath(store, urlPath), schema);
}

/** Writes a text, or a value as RFC 8785 JSON, under its digest. Returns its digest and size. */
export async function putArtifact(
  store: StoreEditor,
  content: unknown,
): Promise<{ sha256: string; bytes: number }> {
  const text = typeof content === 'string' ? content : canonicalJson(content);
  const sha256 = sha256Hex(text);
  await store.write(objectKey(sha256), text);
  return { sha256, bytes: Buffer.byteLength(text) };
}
