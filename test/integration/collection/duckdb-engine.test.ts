import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { createDuckDbEngine } from '../../../generator/engines/duckdb-engine.js';
import type { Engine, TableDay } from '../../../generator/engines/engine.js';
import { writeParquet, type ParquetColumn } from '../../support/collection/parquet.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const { signal } = new AbortController();
const LONG =
  'SELECT CAST(count(*) AS VARCHAR) AS n FROM range(10000000) a, range(10000000) b WHERE a.range < b.range';

let folder: TemporaryFolder;
let engine: Engine;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  engine = await createDuckDbEngine({ folder: folder.path });
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
});
afterAll(async () => {
  connection.closeSync();
  instance.closeSync();
  await folder.dispose();
});

async function write(
  name: string,
  columns: readonly ParquetColumn[],
  date = '2026-01-01',
): Promise<TableDay> {
  const file = path.join(folder.path, name);
  await writeParquet(connection, file.replaceAll("'", "''"), columns);
  return { date, paths: [file] };
}

const numbers = (name: string, ...literals: string[]): ParquetColumn => ({ name, type: 'BIGINT', literals });

describe('a query', () => {
  it('reads the files of several days, with the date of each', async () => {
    const one = await write('one.parquet', [numbers('n', '1', '2')]);
    const two = await write("t'wo.parquet", [numbers('n', '3')], '2026-01-02');
    const sql = 'SELECT date, CAST(sum(n) AS VARCHAR) AS total FROM base_blocks GROUP BY date ORDER BY date';
    expect(await engine.run({ sql, tables: { base_blocks: [one, two] } }, signal)).toEqual([
      { date: '2026-01-01', total: '3' },
      { date: '2026-01-02', total: '3' },
    ]);
  });

  it('takes the date of the day, not that of a column in the file', async () => {
    const day = await write('date.parquet', [
      numbers('n', '1'),
      { name: 'DATE', type: 'DATE', literals: ["'1999-12-31'"] },
    ]);
    const sql = 'SELECT date, CAST(n AS VARCHAR) AS n FROM base_blocks';
    expect(await engine.run({ sql, tables: { base_blocks: [day] } }, signal)).toEqual([
      { date: '2026-01-01', n: '1' },
    ]);
  });

  it('reads files of a day that differ in their columns, and in the case of names', async () => {
    const one = await write('upper.parquet', [numbers('A', '1'), numbers('B', '2')]);
    const other = await write('lower.parquet', [numbers('b', '3'), numbers('c', '4')]);
    const days = [{ date: '2026-01-01', paths: [...one.paths, ...other.paths] }];
    const sql =
      'SELECT CAST(sum(a) AS VARCHAR) AS a, CAST(sum(b) AS VARCHAR) AS b, CAST(max(c) AS VARCHAR) AS c FROM base_blocks';
    expect(await engine.run({ sql, tables: { base_blocks: days } }, signal)).toEqual([
      { a: '1', b: '5', c: '4' },
    ]);
  });

  it('keeps every digit of a number, and null', async () => {
    const sql = "SELECT '123456789012345678901234567890' AS a, CAST(NULL AS VARCHAR) AS b";
    expect(await engine.run({ sql, tables: {} }, signal)).toEqual([
      { a: '123456789012345678901234567890', b: null },
    ]);
  });

  it('has 1 GB of memory, two threads and a folder of its own, which is gone at the end', async () => {
    const sql = `SELECT current_setting('memory_limit') AS memory, CAST(current_setting('threads') AS VARCHAR) AS threads,
      current_setting('temp_directory') AS folder`;
    const [row] = await engine.run({ sql, tables: {} }, signal);
    expect(row).toMatchObject({ memory: '953.6 MiB', threads: '2' });
    expect(path.dirname(row?.['folder'] ?? '')).toBe(folder.path);
    expect((await readdir(folder.path)).filter((name) => name.startsWith('spill'))).toEqual([]);
  });
});

describe('a query that cannot be answered', () => {
  it.each([
    ['a column is missing', 'SELECT no_such FROM base_blocks'],
    ['a table is missing', 'SELECT 1 FROM no_such'],
    ['a text is not a number', 'SELECT CAST(text AS BIGINT) FROM base_blocks'],
    ['a number is too large', 'SELECT CAST(n * 1000000000000 AS VARCHAR) FROM base_blocks'],
    ['a column of the result is not text', 'SELECT n FROM base_blocks'],
  ])('has an error about the shape if %s', async (_what, sql) => {
    const day = await write('shape.parquet', [
      numbers('n', '9000000000'),
      { name: 'text', type: 'VARCHAR', literals: ["'x'"] },
    ]);
    const run = engine.run({ sql, tables: { base_blocks: [day] } }, signal);
    await expect(run).rejects.toMatchObject({ name: 'EngineError', code: 'shape' });
  });

  it('has an error to try again if a file is not there', async () => {
    const days = [{ date: '2026-01-01', paths: [path.join(folder.path, 'absent.parquet')] }];
    const run = engine.run({ sql: 'SELECT 1 FROM base_blocks', tables: { base_blocks: days } }, signal);
    await expect(run).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('absent.parquet'),
    });
  });
});

describe('an abort', () => {
  it('stops a running query, with its reason', async () => {
    const abort = new AbortController();
    const run = engine.run({ sql: LONG, tables: {} }, abort.signal);
    const reason = new Error('stop');
    setTimeout(() => abort.abort(reason), 200);
    const startedMs = performance.now();
    await expect(run).rejects.toBe(reason);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it('before the query starts nothing', async () => {
    const reason = new Error('stop');
    await expect(engine.run({ sql: 'SELECT 1', tables: {} }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

it('installs and loads no extension', async () => {
  const sql = "SELECT * FROM read_csv('https://127.0.0.1:1/a.csv')";
  await expect(engine.run({ sql, tables: {} }, signal)).rejects.toMatchObject({ name: 'EngineError' });
  const loaded = `SELECT extension_name AS name FROM duckdb_extensions() WHERE installed AND install_mode <> 'STATICALLY_LINKED'`;
  expect(await engine.run({ sql: loaded, tables: {} }, signal)).toEqual([]);
});

it('names its version', () => {
  expect(engine.name).toMatch(/^duckdb v\d+\.\d+\.\d+$/);
});

it('says how to install DuckDB where it is not installed', async () => {
  const load = (): Promise<never> => Promise.reject(new Error("Cannot find package '@duckdb/node-api'"));
  await expect(createDuckDbEngine({ folder: folder.path, load })).rejects.toMatchObject({
    code: 'not-installed',
    message: expect.stringContaining('npm install @duckdb/node-api'),
  });
});
