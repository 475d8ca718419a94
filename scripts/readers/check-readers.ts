/**
 * Reads every Parquet volume of a store with libraries of other projects, and compares each cell with the CSV of the volume:
 * npm run test:readers -- FOLDER [READER...]
 * FOLDER is a directory store, such as that of `npm run demo`. Without a name, all readers run. They need Python 3.11,
 * Node.js, Go 1.25, Rust 1.85, and Java 17 with Maven. The libraries stay in .ci/out/readers. Exits with 1 if a reader
 * fails or reads another value.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Table from 'cli-table3';
import { openStore } from '../../infra/store/open-store.js';
import { type Kit, KITS } from './readers.js';
import { installKit, readWith } from './run-kit.js';
import { compareTables, readStatedVolumes } from './volume-cells.js';

const INSTALLED = path.join(import.meta.dirname, '../../.ci/out/readers');
/** Differences of one reader that are printed. */
const SHOWN = 3;

const [folder, ...only] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder of a store: npm run test:readers -- FOLDER');
const names = KITS.flatMap(({ readers }) => Object.keys(readers));
const unknown = only.find((each) => !names.includes(each));
if (unknown !== undefined)
  throw new Error(`There is no reader ${unknown}. The readers are: ${names.join(', ')}`);
const volumes = await readStatedVolumes(await openStore(`file:${path.resolve(folder)}`));
const files = await writeVolumes(path.join(INSTALLED, 'volumes'));
const table = new Table({
  head: ['reader', 'version', 'cells', 'of another type', 'different'],
  style: { head: [], border: [] },
});
for (const kit of KITS) {
  const chosen = Object.keys(kit.readers).filter((each) => only.length === 0 || only.includes(each));
  if (chosen.length === 0) continue;
  for (const reader of chosen) table.push([reader, kit.readers[reader], ...(await check(kit, reader))]);
}
process.stdout.write(`${volumes.length} volumes\n${table.toString()}\n`);

async function writeVolumes(into: string): Promise<string[]> {
  await rm(into, { recursive: true, force: true });
  await mkdir(into, { recursive: true });
  return Promise.all(
    volumes.map(async ({ parquet }, i) => {
      const file = path.join(into, `${i}.parquet`);
      await writeFile(file, parquet);
      return file;
    }),
  );
}

/** Returns the numbers of a reader for the table. */
async function check(
  kit: Kit,
  reader: string,
): Promise<[cells: string, converted: string, different: string]> {
  try {
    const own = await installKit(kit, INSTALLED);
    const tables = await readWith({ reader, command: kit.read, folder: own }, files);
    const { cells, counts, differences } = compareTables(volumes, tables);
    if (differences.length > 0) fail(reader, differences.slice(0, SHOWN).join('\n'));
    const converted = [...counts].filter(([agreement]) => agreement !== 'same' && agreement !== 'different');
    return [
      cells.toLocaleString('en'),
      converted.map(([agreement, count]) => `${agreement}: ${count.toLocaleString('en')}`).join('\n'),
      differences.length.toLocaleString('en'),
    ];
  } catch (error) {
    fail(reader, String(error));
    return ['', '', 'failed'];
  }
}

function fail(reader: string, words: string): void {
  process.stderr.write(`${reader}: ${words}\n`);
  process.exitCode = 1;
}
