import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Tables } from '../../../generator/engines/engine.js';
import { sonarxChain } from '../../../generator/sources/aws/raw-tables.js';

/** Date of the day. */
export const MADE_UP_DATE = '2026-01-01';

const BLOCKS = 43_200;

/** A table of the day: its file and the columns that the query needs. */
export type MadeUpTable = {
  readonly name: string;
  readonly file: string;
  readonly columns: readonly string[];
};

/** Returns the tables of the day in `folder`, which has the layout of the public bucket. */
export function madeUpTables(folder: string): MadeUpTable[] {
  return sonarxChain('base', false).tables.map(({ name, prefix, columns }) => ({
    name,
    file: path.join(folder, `${prefix}date=${MADE_UP_DATE}`, 'part-00000.snappy.parquet'),
    columns: Object.keys(columns),
  }));
}

/** Returns the tables of the day for an engine. */
export function tablesIn(folder: string): Tables {
  return Object.fromEntries(
    madeUpTables(folder).map(({ name, file }) => [name, [{ date: MADE_UP_DATE, paths: [file] }]]),
  );
}

/** Writes a day of base with the column types of its public tables: these transactions, and one of the protocol per block. */
export async function writeMadeUpDay(folder: string, transactions: number): Promise<void> {
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
