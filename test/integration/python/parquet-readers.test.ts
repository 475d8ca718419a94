import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../../../infra/store/open-store.js';
import { readWith } from '../../../scripts/readers/run-kit.js';
import {
  compareCells,
  compareTables,
  readStatedVolumes,
  type StatedVolume,
} from '../../../scripts/readers/volume-cells.js';
import { installClients } from '../../support/clients/python-clients.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { publishSample } from '../../support/release/published-sample.js';

const SLOW_MS = 300_000;
const PROGRAMS = path.join(import.meta.dirname, '../../../scripts/readers/programs');

let python: string;
let folder: TemporaryFolder;
let volumes: StatedVolume[];
let files: string[];
beforeAll(async () => {
  python = installClients();
  folder = await createTemporaryFolder();
  volumes = await readStatedVolumes(await openStore(`file:${await publishSample()}`));
  files = volumes.map((_, i) => path.join(folder.path, `${i}.parquet`));
  await Promise.all(volumes.map(({ parquet }, i) => writeFile(files[i] ?? '', parquet)));
}, SLOW_MS);
afterAll(() => folder.dispose());

it.each(['pyarrow', 'polars', 'duckdb', 'hyparquet'])(
  '%s reads the same cells from every Parquet volume of the sample as its CSV states',
  async (reader) => {
    const isNode = reader === 'hyparquet';
    const command = isNode
      ? ([process.execPath, path.join(PROGRAMS, 'npm/read.mjs')] as const)
      : ([python, path.join(PROGRAMS, 'python/read.py')] as const);
    const tables = await readWith({ reader, command, folder: folder.path }, files);
    const { cells, counts, differences } = compareTables(volumes, tables);
    expect(differences).toEqual([]);
    expect(cells).toBeGreaterThan(500_000);
    const converted = isNode ? ['date as instant'] : []; // JavaScript has no date
    expect([...counts.keys()].sort()).toEqual([...converted, 'same'].sort());
  },
  SLOW_MS,
);

it.each([
  ['42', '0x4045000000000000', 'integer as double'],
  ['2023-09-26', '2023-09-26T00:00:00.000Z', 'date as instant'],
  ['2023-09-26', '2023-09-25T23:00:00.000Z', 'different'],
  ['0x3fb999999999999a', '0x3fb9999999999999', 'different'],
  ['0x4045000000000000', '42', 'different'],
  ['null', '0x7ff8000000000000', 'different'],
  ['null', '"', 'different'],
  ['true', 'false', 'different'],
  ['true', undefined, 'different'],
])('says of %s read as %s: %s', (stated, read, agreement) => {
  expect(compareCells(stated, read)).toBe(agreement);
});
