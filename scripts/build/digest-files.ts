import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '../../schemas/digest.js';

/** Returns the SHA-256 of each file below a folder, by its relative path, in order. */
export async function digestFiles(folder: string): Promise<Map<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .sort();
  const digests = files.map(async (file): Promise<[string, string]> => {
    const name = path.relative(folder, file).replaceAll('\\', '/');
    return [name, sha256Hex(await readFile(file))];
  });
  return new Map(await Promise.all(digests));
}

/** Returns the files that only one of two folders has, or that differ, each with how. */
export function findDifferences(
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): string[] {
  const names = [...new Set([...one.keys(), ...other.keys()])].sort();
  return names.flatMap((name) => {
    if (!other.has(name)) return [`${name} is only in the first build`];
    if (!one.has(name)) return [`${name} is only in the second build`];
    return one.get(name) === other.get(name) ? [] : [`${name} differs`];
  });
}
