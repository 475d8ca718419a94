import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SYSTEM_TOOLS, type TableDay } from '../../../generator/engines/engine.js';
import { createTrinoHttp, parsePage } from '../../../generator/engines/trino-engine.js';
import { readTableStatements } from './table-statements.js';

const HEADERS = { 'X-Trino-User': 'test', 'X-Trino-Catalog': 'hive', 'X-Trino-Schema': 'raw' };
const { signal } = new AbortController();

/** Creates all tables on a Trino server, over partitions below `root`, with the statements of `schemas/sql/tables`. */
export async function createTrinoTables(endpoint: string, root: string): Promise<void> {
  await execute(endpoint, 'CREATE SCHEMA raw');
  for (const { table, sql, folder } of readTableStatements('trino', `file://${root}/`)) {
    if (folder !== undefined) await mkdir(path.join(root, folder), { recursive: true });
    await execute(endpoint, sql);
    if (folder !== undefined)
      await execute(endpoint, `CALL system.sync_partition_metadata('raw', '${table}', 'FULL')`);
  }
}

/** Moves the files of a day into the partition of a table below `root`. */
export async function moveToPartition(
  root: string,
  table: string,
  { date, paths }: TableDay,
): Promise<TableDay> {
  const partition = await makePartition(root, table, date);
  const moved = paths.map((file) => path.join(partition, path.basename(file)));
  for (const [i, file] of paths.entries()) await rename(file, moved[i] ?? '');
  return { date, paths: moved };
}

/** Adds a file that is not Parquet to a partition of each table. */
export async function breakPartitions(root: string, date: string): Promise<void> {
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
