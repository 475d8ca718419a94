import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { manifestPath, objectKey } from '../../../schemas/paths.js';
import type { Chain, Genre, Manifest, ReleaseRecord } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { readManifests } from '../release/read-release.js';

/** Contents of the files of a folder by name, as Latin-1 text. */
export type Files = Readonly<Record<string, string>>;

/** Returns the manifest of an archive of a release. */
export async function manifestOf(
  store: ObjectStore,
  record: ReleaseRecord,
  genre: Genre,
  chain: Chain,
): Promise<Manifest> {
  const manifest = (await readManifests(store, record)).get(`${genre} ${chain}`);
  if (manifest === undefined) throw new Error(`the release has no ${genre} of ${chain}`);
  return manifest;
}

/** Returns the files of a complete mirror of an archive, from the objects of the store. */
export async function expectedMirror(
  store: ObjectStore,
  record: ReleaseRecord,
  genre: Genre,
  chain: Chain,
): Promise<Files> {
  const { dates } = await manifestOf(store, record, genre, chain);
  const published = dates.filter(({ status }) => status !== 'withdrawn');
  const named: (readonly [string, string])[] = [
    ...published.map(({ date, sha256 }) => [`${date}.json`, sha256] as const),
    ['manifest.json', record.manifests[manifestPath(genre, chain)]?.sha256 ?? ''],
  ];
  return Object.fromEntries(
    await Promise.all(
      named.map(async ([name, sha256]) => {
        const object = await store.get(objectKey(sha256));
        if (object === undefined) throw new Error(`the store has no object for ${name}`);
        return [name, Buffer.from(object.bytes).toString('latin1')] as const;
      }),
    ),
  );
}

/** Returns the files of a folder without its subfolders; none if the folder does not exist. */
export async function readFiles(folder: string): Promise<Files> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await readFile(path.join(folder, name), 'latin1')] as const),
    ),
  );
}
