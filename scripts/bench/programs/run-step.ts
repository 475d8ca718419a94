/**
 * A step of the bench in a process of its own: its name, a folder, and for `write` a number of transactions, for
 * `write-ledger` the sample of bitcoin. Prints the milliseconds that it took; for `bytes` a ratio.
 */
import path from 'node:path';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Collection,
  commitCollection,
  readCollection,
} from '../../../generator/collect/collection-store.js';
import { createDuckDbEngine, toLiteral } from '../../../generator/engines/duckdb-engine.js';
import type { Engine, Tables } from '../../../generator/engines/engine.js';
import { createSonarx } from '../../../generator/sources/aws/aws.js';
import { sonarxChain } from '../../../generator/sources/aws/raw-tables.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { openStore } from '../../../infra/store/open-store.js';
import { addDays } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { fillQuery, readQuery } from '../../../schemas/queries.js';
import type { LedgerLine } from '../../../schemas/types.generated.js';
import { createFolderBucket } from '../../s3/folder-bucket.js';

/** Reads the columns of the query, and does next to nothing with them. */
const FLOOR = `SELECT
    CAST(max(FROM_ADDRESS) AS VARCHAR) AS a, CAST(max(TO_ADDRESS) AS VARCHAR) AS b,
    CAST(sum(TRANSACTION_FEE) AS VARCHAR) AS c, CAST(sum(EFFECTIVE_GAS_PRICE_GWEI) AS VARCHAR) AS d,
    CAST(sum(GAS_USED) AS VARCHAR) AS e, CAST(sum(TRANSACTION_TYPE) AS VARCHAR) AS f,
    CAST(sum(STATUS) AS VARCHAR) AS g, CAST(sum(L1_FEE) AS VARCHAR) AS h
  FROM base_transactions`;

/** Runs SQL on the made-up day, whose result has one row. */
async function runSql(folder: string, sql: string): Promise<void> {
  const engine = await createDuckDbEngine({ folder });
  const rows = await engine.run({ sql, tables: tablesIn(folder) }, new AbortController().signal);
  if (rows.length !== 1) throw new Error(`${rows.length} rows instead of one`);
}

/** The steps by name. A step that measures something else than its time resolves to it. */
const STEPS: { readonly [step: string]: (folder: string, argument: string) => Promise<unknown> } = {
  write: (folder, transactions) => writeMadeUpDay(folder, Number(transactions)),
  floor: (folder) => runSql(folder, FLOOR),
  async query(folder) {
    const { text } = await readQuery('base');
    await runSql(folder, fillQuery(text, { first: MADE_UP_DATE, last: MADE_UP_DATE }));
  },
  bytes: measureBytesRead,
  'write-ledger': writeLedger,
  ledger: rewriteLedger,
};

const [name = '', folder = '.', argument = ''] = process.argv.slice(2);
const step = STEPS[name];
if (step === undefined) throw new RangeError(`no step ${name}`);
const startedMs = performance.now();
const measured = await step(folder, argument);
process.stdout.write(String(typeof measured === 'number' ? measured : performance.now() - startedMs));

/** Reads the made-up day from a bucket, and returns the bytes of its objects that were read, relative to those of the columns. */
async function measureBytesRead(folder: string): Promise<number> {
  const { signal } = new AbortController();
  const engine = await createDuckDbEngine({ folder });
  const answer = createFolderBucket(folder);
  let bytes = 0;
  const server = createServer((req, res) => {
    const isList = req.url?.includes('list-type=2') === true;
    void answer(req, res).then((sent) => (bytes += isList ? 0 : sent));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on a port
    const openEngine = (): Promise<Engine> => Promise.resolve(engine);
    const options = { openEngine, cacheFolder: path.join(folder, 'cache'), bucket: 'made-up', endpoint };
    await createSonarx({ ...options, blocksOnly: { base: false } }).day('base', MADE_UP_DATE, signal);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return bytes / (await bytesOfColumns(folder, engine, signal));
}

/** Returns the stored bytes of the columns that the query needs. */
async function bytesOfColumns(folder: string, engine: Engine, signal: AbortSignal): Promise<number> {
  const parts = madeUpTables(folder).map(({ file, columns }) => {
    const names = columns.map((column) => `'${column}'`).join(', ');
    return `SELECT total_compressed_size FROM parquet_metadata(${toLiteral(file)})
      WHERE lower(path_in_schema) IN (${names})`;
  });
  const sql = `SELECT CAST(sum(total_compressed_size) AS VARCHAR) AS bytes FROM (${parts.join(' UNION ALL ')})`;
  const [row] = await engine.run({ sql, tables: {} }, signal);
  return Number(row?.['bytes']);
}

/** The dates of bitcoin from the first days until today, 17 years later. */
const LEDGER_DATES = 6_437;

const FIRST_DATE = '2009-01-09';
/** Number of dates before a change of source. */
const EARLY_DATES = 3_000;
const COMMIT = {
  asOfMs: Date.parse('2026-09-01T06:00:00Z'),
  sources: {
    early: { name: 'Files of the bench', licence: 'CC0 1.0' },
    late: { name: 'Bucket of the bench', licence: 'CC0 1.0', url: 'https://example.org/' },
  },
};

/** Writes a collection with all these dates but the last one. Each has all metrics of bitcoin, from the sample. */
async function writeLedger(folder: string, sample: string): Promise<void> {
  const [header = '', ...rows] = (await readFile(sample, 'utf8')).trim().split('\n');
  const [, ...metrics] = header.split(','); // without the date
  const lines = Array.from({ length: LEDGER_DATES - 1 }, (_, i) => {
    const cells = rows[i % rows.length]?.split(',') ?? [];
    const values = Object.fromEntries(metrics.map((metric, column) => [metric, cells[column + 1] ?? '']));
    return toLine(addDays(FIRST_DATE, i), values, i < EARLY_DATES ? 'early' : 'late');
  });
  const store = await storeIn(folder);
  await append(store, await readCollection(store), lines);
}

/** Does what each collection of a new date does: reads the collection, adds a line, and writes everything again. */
async function rewriteLedger(folder: string): Promise<void> {
  const store = await storeIn(folder);
  const collection = await readCollection(store);
  const last = collection.ledgers.get('bitcoin')?.at(-1);
  if (last === undefined) throw new Error('the collection is empty');
  await append(store, collection, [toLine(addDays(last.date, 1), last.values, last.source)]);
}

async function append(store: ObjectStore, before: Collection, lines: readonly LedgerLine[]): Promise<void> {
  const change = { lines: new Map([['bitcoin', lines] as const]), lineages: [], states: new Map() };
  await commitCollection(store, before, change, COMMIT);
}

function toLine(date: string, values: LedgerLine['values'], source: string): LedgerLine {
  const [rule, reason] = ['day', null] as const;
  return {
    chain: 'bitcoin',
    date,
    values,
    source,
    rule,
    reason,
    lineage: sha256Hex(date),
    accepted_at: `${addDays(date, 1)}T06:00:00Z`,
  };
}

function storeIn(folder: string): Promise<ObjectStore> {
  return openStore(`file:${path.join(folder, 'collected')}`);
}

/** Date of the day. */
const MADE_UP_DATE = '2026-01-01';

const BLOCKS = 43_200;

/** A table of the day: its file and the columns that the query needs. */
type MadeUpTable = {
  readonly name: string;
  readonly file: string;
  readonly columns: readonly string[];
};

/** Returns the tables of the day in `folder`, which has the layout of the public bucket. */
function madeUpTables(folder: string): MadeUpTable[] {
  return sonarxChain('base', false).tables.map(({ name, prefix, columns }) => ({
    name,
    file: path.join(folder, `${prefix}date=${MADE_UP_DATE}`, 'part-00000.snappy.parquet'),
    columns: Object.keys(columns),
  }));
}

/** Returns the tables of the day for an engine. */
function tablesIn(folder: string): Tables {
  return Object.fromEntries(
    madeUpTables(folder).map(({ name, file }) => [name, [{ date: MADE_UP_DATE, paths: [file] }]]),
  );
}

/** Writes a day of base with the column types of its public tables: these transactions, and one of the protocol per block. */
async function writeMadeUpDay(folder: string, transactions: number): Promise<void> {
  const { DuckDBInstance } = await import('@duckdb/node-api'); // optional, and only this bench needs it
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GB' });
  const connection = await instance.connect();
  try {
    for (const { name, file } of madeUpTables(folder)) {
      await mkdir(path.dirname(file), { recursive: true });
      const sql = name === 'base_blocks' ? blocksSql(transactions) : transactionsSql(transactions);
      await connection.run(copy(sql, file));
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function copy(sql: string, file: string): string {
  return `COPY (${sql}) TO '${file.replaceAll("'", "''")}' (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 500000)`;
}

function blocksSql(transactions: number): string {
  const perBlock = Math.floor(transactions / BLOCKS);
  return `SELECT
      CAST(1000000 + i AS DECIMAL(38,0)) AS BLOCK_NUMBER,
      CAST(${1 + perBlock} + CASE WHEN i < ${transactions % BLOCKS} THEN 1 ELSE 0 END AS DECIMAL(38,0)) AS TRANSACTION_COUNT,
      CAST(30000000 + i AS DECIMAL(38,0)) AS GAS_USED,
      CAST(140000000 AS DECIMAL(38,0)) AS GAS_LIMIT
    FROM range(${BLOCKS}) numbers(i)`;
}

/** Hardly two fees are equal. An address has 3 transactions on average. */
function transactionsSql(transactions: number): string {
  const price = '(10000000 + hash(i * 17) % 90000000)';
  const gas = '(21000 + hash(i) % 2000000)';
  const l1Fee = '(hash(i * 23) % 900000000000 + 1)';
  return `SELECT
      md5(CAST(i AS VARCHAR)) AS TRANSACTION_HASH,
      CASE WHEN is_system THEN '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001'
        ELSE ${address(`hash(i * 3) % ${Math.ceil(transactions / 3)}`)} END AS FROM_ADDRESS,
      CASE WHEN i % 97 <> 0 THEN ${address(`hash(i * 5) % ${Math.ceil(transactions / 4)}`)} END AS TO_ADDRESS,
      CAST(CASE WHEN is_system THEN 0 ELSE (${price} * CAST(${gas} AS HUGEINT) + ${l1Fee}) / 1e18 END AS DOUBLE)
        AS TRANSACTION_FEE,
      CAST(CASE WHEN is_system THEN 0 ELSE ${price} / 1e9 END AS DOUBLE) AS EFFECTIVE_GAS_PRICE_GWEI,
      CAST(${gas} AS DECIMAL(38,0)) AS GAS_USED,
      CAST(CASE WHEN is_system THEN 126 ELSE 2 END AS DECIMAL(38,0)) AS TRANSACTION_TYPE,
      CAST(CASE WHEN i % 29 = 0 AND NOT is_system THEN 0 ELSE 1 END AS DECIMAL(38,0)) AS STATUS,
      CAST(CASE WHEN NOT is_system THEN ${l1Fee} / 1e18 END AS DOUBLE) AS L1_FEE
    FROM (SELECT i, i >= ${transactions} AS is_system FROM range(${transactions + BLOCKS}) numbers(i))`;
}

function address(number: string): string {
  return `('0x' || substr(md5(CAST(${number} AS VARCHAR)) || md5(CAST(${number} + 7 AS VARCHAR)), 1, 40))`;
}
