import { readdir, readFile } from 'node:fs/promises';
import type { PythonClient } from '../core/artifacts/python-wheel.js';

/** Reads the texts of the Python client in `folder`, without what Python leaves there when it runs. */
export async function readPythonClient(folder: URL): Promise<PythonClient> {
  const read = (name: string): Promise<string> => readFile(new URL(name, folder), 'utf8');
  const found = await readdir(new URL('src/', folder), { recursive: true });
  const names = found
    .filter((name) => /\.py$|^crd.py\.typed$/.test(name))
    .map((name) => name.replaceAll('\\', '/'));
  const sources = names.map(async (name) => [name, await read(`src/${name}`)] as const);
  return {
    metadata: await read('METADATA'),
    readme: await read('README.md'),
    licence: await read('LICENSE'),
    sources: Object.fromEntries(await Promise.all(sources)),
  };
}
