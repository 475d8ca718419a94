import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CellType } from '../../../generator/core/text/csv.js';
import { toCsv } from '../../../generator/core/volumes/volume-files.js';
import { openStore } from '../../../infra/store/open-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { CHAIN_IDS, VOLUME_GENRES } from '../../../schemas/catalog.js';
import { calendarPath, objectKey, PUBLIC_PATHS, volumeSchemaPath } from '../../../schemas/paths.js';
import type { FeatureSchema } from '../../../schemas/types.generated.js';
import { installClients } from '../../support/clients/python-clients.js';
import { assertSuccess, runProgram } from '../../support/process/run-program.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { createRandom } from '../../support/random/seeded.js';
import { publishSample } from '../../support/release/published-sample.js';
import { readCurrent, readManifests } from '../../support/release/read-release.js';
import { readVolume } from '../../support/release/read-volume.js';

const SLOW_MS = 600_000;
const PROGRAM = path.join(import.meta.dirname, '../../python/clients/read_csv.py');

/** A table: the fields of its Table Schema, and its CSV files. */
type Table = { readonly fields: readonly Field[]; readonly files: readonly string[] };
type Field = { readonly name: string; readonly type: CellType };

let python: string;
let folder: TemporaryFolder;
beforeAll(async () => {
  python = installClients();
  folder = await createTemporaryFolder();
}, SLOW_MS);
afterAll(() => folder.dispose());

async function save(urlPath: string, content: string | Uint8Array): Promise<string> {
  const file = path.join(folder.path, urlPath);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
  return file;
}

/** Saves every CSV file of the current release, and checks that those of volumes equal their Parquet files. */
async function saveTables(store: ObjectStore): Promise<Table[]> {
  const record = await readCurrent(store);
  const manifests = await readManifests(store, record);
  const read = async (digest: string | undefined): Promise<Uint8Array> =>
    (await store.get(objectKey(digest ?? '')))?.bytes ?? new Uint8Array();
  const fieldsOf = async (file: string): Promise<readonly Field[]> => {
    const text = Buffer.from(await read(record.public[file]?.sha256)).toString();
    return (JSON.parse(text) as FeatureSchema).fields; // a file of this schema
  };
  const tables: Table[] = [];
  for (const chain of CHAIN_IDS) {
    const calendar = calendarPath(chain);
    const file = await save(`${calendar}.csv`, await read(record.public[calendar]?.sha256));
    tables.push({ fields: await fieldsOf(PUBLIC_PATHS.featureSchema), files: [file] });
    for (const genre of VOLUME_GENRES) {
      const files: string[] = [];
      for (const volume of manifests.get(`${genre} ${chain}`)?.volumes ?? []) {
        await readVolume(store, volume);
        files.push(await save(volume.csv.path, await read(volume.csv.sha256)));
      }
      tables.push({ fields: await fieldsOf(volumeSchemaPath(genre, chain)), files });
    }
  }
  return tables;
}

/** Saves a table of doubles of every size, and of integers. */
async function saveNumbers(): Promise<Table> {
  const random = createRandom(1);
  const view = new DataView(new ArrayBuffer(8));
  const doubles = Array.from({ length: 4_000 }, () => {
    view.setUint32(0, random() * 2 ** 32);
    view.setUint32(4, random() * 2 ** 32);
    return view.getFloat64(0);
  }).filter(Number.isFinite);
  const values = [100, 0, -1, 1e21, 1.5e-7, 5e-324, Number.MAX_VALUE, 2 ** 53, ...doubles];
  const columns = [
    { name: 'value', type: 'number', cells: values },
    { name: 'whole', type: 'number', cells: values.map((_, i) => i) },
    { name: 'days', type: 'integer', cells: values.map((_, i) => i) },
  ] as const;
  return {
    fields: columns.map(({ name, type }) => ({ name, type })),
    files: [await save('numbers.csv', toCsv({ columns }))],
  };
}

it(
  'pandas, Polars, DuckDB and PyArrow read every CSV file to the types and values of its Table Schema, also all years together',
  async () => {
    const tables = [
      await saveNumbers(),
      ...(await saveTables(await openStore(`file:${await publishSample()}`))),
    ];
    const list = await save('tables.json', JSON.stringify(tables));
    const { stdout } = assertSuccess(
      await runProgram(python, [PROGRAM, list], { PATH: process.env['PATH'] ?? '' }),
    );
    const { cells, differences } = JSON.parse(stdout) as { cells: number; differences: readonly string[] }; // output of the program
    expect(differences).toEqual([]);
    expect(tables.map(({ files }) => files.length).reduce((sum, count) => sum + count)).toBeGreaterThan(100);
    expect(cells).toBeGreaterThan(1_000_000);
  },
  SLOW_MS,
);
