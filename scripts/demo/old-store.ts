import { readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { STORE_KEY } from '../../schemas/paths.js';
import { STORE_FORMAT } from '../../generator/state/store-mark.js';

/**
 * Moves a store of an older format aside, so that the demo can publish to a new one. Returns its format and new folder;
 * `undefined` if there is no such store.
 */
export async function moveOldStore(
  folder: string,
): Promise<{ readonly format: number; readonly folder: string } | undefined> {
  const mark = await readFile(path.join(folder, STORE_KEY), 'utf8').catch(() => '');
  const format = Number(/^\{"format":(\d+)\}$/.exec(mark)?.[1] ?? STORE_FORMAT);
  if (format >= STORE_FORMAT) return undefined;
  const aside = await findFreeName(`${folder}.format-${format}`);
  await rename(folder, aside);
  return { format, folder: aside };
}

/** Returns the name, with a number appended if it is taken. */
async function findFreeName(name: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? name : `${name}-${n}`;
    if ((await stat(candidate).catch(() => undefined)) === undefined) return candidate;
  }
}
