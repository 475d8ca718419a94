import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { addDays } from '../../schemas/dates.js';
import { fillQuery, readQuery } from '../../schemas/queries.js';
import type { Chain } from '../../schemas/types.generated.js';
import type { TextRow } from '../../generator/core/collection/query-day.js';
import { createDuckDbEngine } from '../../generator/engines/duckdb-engine.js';
import type { Engine, TableDay, Tables } from '../../generator/engines/engine.js';
import { createTrinoEngine } from '../../generator/engines/trino-engine.js';
import { bitcoinDay } from '../support/collection/bitcoin-days.js';
import { writeBitcoinDay, writeEvmDay, type FileForm } from '../support/collection/day-tables.js';
import { bitcoinEdges, evmEdges } from '../support/collection/edge-days.js';
import { evmDay } from '../support/collection/evm-days.js';
import { writeParquet } from '../support/collection/parquet.js';
import { startTrino, type TrinoServer } from '../support/engines/start-trino.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';
import { SYSTEM_TOOLS } from '../../generator/engines/engine.js';
import { createTrinoHttp } from '../../generator/engines/trino-engine.js';
import { parsePage } from '../../generator/engines/trino-engine.js';
import { readTableStatements } from '../support/engines/table-statements.js';

const HEADERS = { 'X-Trino-User': 'test', 'X-Trino-Catalog': 'hive', 'X-Trino-Schema': 'raw' };
const { signal } = new AbortController();

/** Creates all tables on a Trino server, over partitions below `root`, with the statements of `schemas/sql/tables`. */
async function createTrinoTables(endpoint: string, root: string): Promise<void> {
  await execute(endpoint, 'CREATE SCHEMA raw');
  for (const { table, sql, folder } of readTableStatements('trino', `file://${root}/`)) {
    if (folder !== undefined) await mkdir(path.join(root, folder), { recursive: true });
    await execute(endpoint, sql);
    if (folder !== undefined)
      await execute(endpoint, `CALL system.sync_partition_metadata('raw', '${table}', 'FULL')`);
  }
}

/** Moves the files of a day into the partition of a table below `root`. */
async function moveToPartition(root: string, table: string, { date, paths }: TableDay): Promise<TableDay> {
  const partition = await makePartition(root, table, date);
  const moved = paths.map((file) => path.join(partition, path.basename(file)));
  for (const [i, file] of paths.entries()) await rename(file, moved[i] ?? '');
  return { date, paths: moved };
}

/** Adds a file that is not Parquet to a partition of each table. */
async function breakPartitions(root: string, date: string): Promise<void> {
  for (const { table, folder } of readTableStatements('trino')) {
    if (folder === undefined) continue;
    await writeFile(path.join(await makePartition(root, table, date), 'broken.parquet'), 'not Parquet');
  }
}

async function makePartition(root: string, table: string, date: string): Promise<string> {
  const folder = readTableStatements('trino').find((each) => each.table === table)?.folder;
  if (folder === undefined) throw new Error(`no table ${table}`);
  const partition = path.join(root, folder, `date=${date}`);
  await mkdir(partition, { recursive: true });
  return partition;
}

/** Runs a statement to its end, and ignores the rows of its result. */
async function execute(endpoint: string, sql: string): Promise<void> {
  const http = createTrinoHttp({ headers: HEADERS, tools: SYSTEM_TOOLS });
  let page = parsePage(await http.request(new URL(`${endpoint}/v1/statement`), signal, sql), endpoint);
  while (page.next !== undefined) page = parsePage(await http.request(page.next, signal), endpoint);
}

/** Random days of each chain. */
const RANDOM_DAYS = Number(process.env['CRD_SEEDS'] ?? '200');
const FIRST = '2024-01-01';
/** A date with a file that is not Parquet in each table. */
const BROKEN = '2023-12-31';
/** A date with structs of more fields than the table has. */
const STRUCTS = '2023-12-30';
/** Days of one query. */
const SPAN_DAYS = 50;
const PREFIXES = { bitcoin: 'btc', ethereum: 'eth', arbitrum: 'arbitrum', base: 'base' } as const;

let folder: TemporaryFolder;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
let server: TrinoServer | undefined;
let duckDb: Engine;
let trino: Engine;
/** The tables of all days of each chain. */
const written = {} as Record<Chain, { blocks: TableDay; transactions: TableDay }[]>;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  duckDb = await createDuckDbEngine({ folder: folder.path });
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  for (const chain of CHAIN_IDS) written[chain] = await writeChain(chain);
  await writeStructs();
  await breakPartitions(folder.path, BROKEN);
  server = await startTrino();
  await createTrinoTables(server.endpoint, folder.path);
  trino = await createTrinoEngine({ endpoint: server.endpoint, catalog: 'hive', schema: 'raw' }, signal);
}, 3_600_000);
afterAll(async () => {
  await server?.stop();
  connection.closeSync();
  instance.closeSync();
  await folder.dispose();
}, 60_000);

/** Writes edges and random days in the partitions of a chain's tables. Numbers have the types of the public files. */
async function writeChain(chain: Chain): Promise<{ blocks: TableDay; transactions: TableDay }[]> {
  const forms = fc.sample(formOf(chain), { numRuns: RANDOM_DAYS + 20, seed: 2 }); // enough for the edges too
  const raw = path.join(folder.path, 'raw', chain);
  await mkdir(raw, { recursive: true });
  const writer = (i: number): Parameters<typeof writeBitcoinDay>[1] => {
    const form = forms[i] ?? { numbers: 'BIGINT', isUpperCase: false, date: null, files: 1 };
    return { connection, folder: raw, date: addDays(FIRST, i), form };
  };
  const sample = { numRuns: RANDOM_DAYS, seed: 1 };
  const pending =
    chain === 'bitcoin'
      ? [...bitcoinEdges(), ...fc.sample(bitcoinDay, sample)].map(
          (day, i) => () => writeBitcoinDay(day, writer(i)),
        )
      : [...evmEdges(chain), ...fc.sample(evmDay(chain), sample)].map(
          (day, i) => () => writeEvmDay(chain, day, writer(i)),
        );
  const days: { blocks: TableDay; transactions: TableDay }[] = [];
  for (const write of pending) {
    const { blocks, transactions } = await write();
    days.push({
      blocks: await moveToPartition(folder.path, `${PREFIXES[chain]}_blocks`, blocks),
      transactions: await moveToPartition(folder.path, `${PREFIXES[chain]}_transactions`, transactions),
    });
  }
  return days;
}

function formOf(chain: Chain): fc.Arbitrary<FileForm> {
  return fc.record({
    numbers: fc.constant(chain === 'bitcoin' || chain === 'ethereum' ? 'BIGINT' : 'DECIMAL(38,0)'),
    isUpperCase: fc.boolean(),
    date: fc.constantFrom('VARCHAR', 'DATE', null),
    files: fc.integer({ min: 1, max: 3 }),
  });
}

/** Writes a day of bitcoin whose inputs have more fields than the table, in another order, as the public files have. */
async function writeStructs(): Promise<void> {
  const file = path.join(folder.path, 'raw', 'structs.parquet');
  const type = 'STRUCT("index" BIGINT, "value" DOUBLE, type VARCHAR, address VARCHAR)[]';
  const literal = `[{'index': 0, 'value': 1.5, 'type': 'p2pkh', 'address': 'bc1qx'}]`;
  const literals = [literal.replaceAll("'", "''")].map((text) => `'${text}'`);
  await writeParquet(connection, file, [
    { name: 'outputs', type, literals },
    { name: 'inputs', type, literals: ['NULL'] },
  ]);
  await moveToPartition(folder.path, 'btc_transactions', { date: STRUCTS, paths: [file] });
}

async function runOn(engine: Engine, chain: Chain, from: number): Promise<readonly TextRow[]> {
  const days = written[chain].slice(from, from + SPAN_DAYS);
  const tables: Tables = {
    [`${PREFIXES[chain]}_blocks`]: days.map(({ blocks }) => blocks),
    [`${PREFIXES[chain]}_transactions`]: days.map(({ transactions }) => transactions),
  };
  const { text } = await readQuery(chain);
  const first = days[0]?.blocks.date ?? '';
  const sql = fillQuery(text, { first, last: days.at(-1)?.blocks.date ?? '' });
  return engine.run({ sql, tables }, signal);
}

it.each(CHAIN_IDS)(
  'the query of %s gives the same bytes on Trino and DuckDB',
  async (chain) => {
    let rows = 0;
    const startedMs = performance.now();
    for (let from = 0; from < written[chain].length; from += SPAN_DAYS) {
      const expected = await runOn(duckDb, chain, from);
      expect(JSON.stringify(await runOn(trino, chain, from))).toBe(JSON.stringify(expected));
      rows += expected.length;
    }
    expect(rows).toBeGreaterThan(RANDOM_DAYS / 2);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    const figures = `${chain}: ${written[chain].length} days, ${rows} rows, ${seconds} s`;
    process.stderr.write(`${figures} (${trino.name}, ${duckDb.name})\n`);
  },
  1_200_000,
);

it('reads the addresses of structs by their names', async () => {
  const sql = `SELECT address FROM btc_addresses WHERE date = '${STRUCTS}'`;
  expect(await trino.run({ sql, tables: {} }, signal)).toEqual([{ address: 'bc1qx' }]);
}, 60_000);

it('reads no other day than those asked for: a broken file of another breaks only its own', async () => {
  const sql = (table: string): string =>
    `SELECT CAST(count(*) AS VARCHAR) AS n FROM ${table} WHERE date = '${BROKEN}'`;
  for (const table of ['btc_blocks', 'btc_addresses', 'base_transactions']) {
    await expect(trino.run({ sql: sql(table), tables: {} }, signal)).rejects.toThrow('broken.parquet');
  }
}, 60_000);

it.each([
  ['a column is missing', 'SELECT no_such FROM base_blocks'],
  ['a table is missing', 'SELECT 1 FROM no_such'],
  [
    'a text is not a number',
    "SELECT CAST(from_address AS BIGINT) FROM base_transactions WHERE from_address <> ''",
  ],
  ['a number is too large', 'SELECT CAST(9000000000 * 1000000000000 AS VARCHAR) AS n'],
  ['a column of the result is not text', 'SELECT 1 AS n'],
])(
  'has an error about the shape if %s',
  async (_what, sql) => {
    // One date with rows, because the broken file of another would be the error.
    const where = `${sql}${sql.includes('FROM base_transactions') ? ` AND date = '${addDays(FIRST, 9)}'` : ''}`;
    await expect(trino.run({ sql: where, tables: {} }, signal)).rejects.toMatchObject({ code: 'shape' });
  },
  60_000,
);

it('ends a query on the server when it is aborted', async () => {
  const long =
    'SELECT CAST(count(*) AS VARCHAR) AS n FROM UNNEST(sequence(1, 10000)) a, UNNEST(sequence(1, 10000)) b, UNNEST(sequence(1, 10000)) c WHERE random() > 2';
  const abort = new AbortController();
  const run = trino.run({ sql: long, tables: {} }, abort.signal);
  setTimeout(() => abort.abort(new Error('stop')), 2_000);
  await expect(run).rejects.toThrow('stop');
  const sql = `SELECT state, error_code AS code FROM system.runtime.queries WHERE query LIKE '%random() > 2' AND query NOT LIKE '%runtime%'`;
  expect(await trino.run({ sql, tables: {} }, signal)).toEqual([{ state: 'FAILED', code: 'USER_CANCELED' }]);
}, 60_000);
