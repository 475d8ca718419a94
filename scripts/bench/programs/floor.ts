/**
 * Measures the floor of a cold publish: hashing the same bytes and writing them to the same number of files, with the same
 * durability. `node dist/scripts/bench/programs/floor.js <source> <target>` reads the files of the folder `source`, then
 * starts its clock, writes them to the new folder `target` under their digests, and prints one JSON document.
 */
import pMap from 'p-map';
import path from 'node:path';
import { mkdir, open, readFile, readdir, rename } from 'node:fs/promises';
import { sha256Hex } from '../../../schemas/digest.js';

/** Number of concurrent writes, as in the generator. */
const CONCURRENCY = 64;
/** Number of folders for temporary files, as in the directory store. */
const TEMPORARY_FOLDERS = 16;

async function writeFloor(bodies: readonly Buffer[], target: string): Promise<void> {
  const folders = Array.from({ length: TEMPORARY_FOLDERS }, (_, i) => path.join(target, '.tmp', String(i)));
  const final = path.join(target, 'sha256');
  for (const folder of [...folders, final]) await mkdir(folder, { recursive: true });
  await pMap(
    bodies,
    async (body, i) => {
      const temporary = path.join(folders[i % TEMPORARY_FOLDERS] ?? target, String(i));
      const file = await open(temporary, 'wx');
      try {
        await file.writeFile(body);
        await file.datasync();
      } finally {
        await file.close();
      }
      await rename(temporary, path.join(final, sha256Hex(body)));
    },
    { concurrency: CONCURRENCY },
  );
  for (const folder of [final, target, path.dirname(target)]) await flushFolder(folder);
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const [source, target] = process.argv.slice(2);
if (source === undefined || target === undefined) throw new TypeError('usage: floor.js <source> <target>');
const names = await readdir(source);
const bodies = await pMap(names, (name) => readFile(path.join(source, name)), { concurrency: CONCURRENCY });
const startedMs = performance.now();
await writeFloor(bodies, target);
const elapsedMs = performance.now() - startedMs;
const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
process.stdout.write(`${JSON.stringify({ elapsed_ms: elapsedMs, files: bodies.length, bytes })}\n`);
