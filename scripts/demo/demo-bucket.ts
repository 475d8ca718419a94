import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { addDays } from '../../schemas/dates.js';
import type { MetricName } from '../../schemas/types.generated.js';
import { AWS_CHAINS } from '../../generator/sources/aws/raw-tables.js';

/** The metrics of ethereum that the bucket gives: those that do not depend on the number of transactions, which is small. */
export const BUCKET_METRICS: readonly MetricName[] = ['block_count', 'gas_limit_mean', 'gas_price_mean'];
/** The dates of the bucket: the last ones of the sample. */
export const BUCKET_DATES: readonly string[] = Array.from({ length: 7 }, (_, i) => addDays('2023-09-20', i));

const FIRST_BLOCK = 18_170_000;
const FEWEST_BLOCKS = 7_110;
const TRANSACTIONS = 300;

/** A day of the bucket. `index` counts from 0. */
type Day = {
  readonly date: string;
  readonly index: number;
  readonly first: number;
  readonly blocks: number;
};

/**
 * Writes made-up days of ethereum, always the same, into a folder with the layout of the AWS Public Blockchain Data. Resolves
 * to false if DuckDB is not installed.
 */
export async function writeDemoBucket(folder: string): Promise<boolean> {
  const duckDb = await import('@duckdb/node-api').catch(() => undefined); // optional
  if (duckDb === undefined) return false;
  const instance = await duckDb.DuckDBInstance.create(':memory:', { threads: '1' }); // one: the same bytes each time
  const connection = await instance.connect();
  try {
    const [blocks, transactions] = AWS_CHAINS.ethereum.tables.map(({ prefix }) => prefix);
    for (const day of listDays()) {
      await connection.run(`CREATE OR REPLACE TABLE transactions AS ${transactionsSql(day)}`);
      for (const [prefix = '', sql] of [
        [blocks, blocksSql(day)],
        [transactions, 'SELECT * FROM transactions'],
      ] as const) {
        const place = path.join(folder, `${prefix}date=${day.date}`);
        await mkdir(place, { recursive: true });
        const file = path.join(place, 'part-00000.snappy.parquet').replaceAll("'", "''");
        await connection.run(`COPY (${sql}) TO '${file}' (FORMAT parquet)`);
      }
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  return true;
}

function listDays(): Day[] {
  let next = FIRST_BLOCK;
  return BUCKET_DATES.map((date, index) => {
    const blocks = FEWEST_BLOCKS + ((index * 17) % 40);
    const first = next;
    next += blocks;
    return { date, index, first, blocks };
  });
}

function transactionsSql({ index, first, blocks }: Day): string {
  const draw = (factor: number, below: number): string => `(i * ${factor} + ${index * 104_729}) % ${below}`;
  const price = 6_000_000_000 + ((index * 5) % 7) * 700_000_000; // in wei
  return `SELECT
      CAST(${first} + ${draw(7_919, blocks)} AS BIGINT) AS block_number,
      '0x' || substr(md5(CAST(${draw(31, 211)} AS VARCHAR)) || md5('from'), 1, 40) AS from_address,
      '0x' || substr(md5(CAST(${draw(37, 97)} AS VARCHAR)) || md5('to'), 1, 40) AS to_address,
      CAST(CASE WHEN i % 41 = 0 THEN 0 ELSE 1 END AS BIGINT) AS receipt_status,
      CAST(21000 + ${draw(6_151, 160_000)} AS BIGINT) AS receipt_gas_used,
      CAST(${price} + ${draw(1_258_291_711, 6_000_000_000)} AS BIGINT) AS receipt_effective_gas_price
    FROM range(${TRANSACTIONS}) numbers(i)`;
}

function blocksSql({ first, blocks }: Day): string {
  return `SELECT
      CAST(number AS BIGINT) AS number,
      CAST(count(receipt_gas_used) AS BIGINT) AS transaction_count,
      CAST(coalesce(sum(receipt_gas_used), 0) AS BIGINT) AS gas_used,
      CAST(29970000 + (number * 7919) % 60000 AS BIGINT) AS gas_limit
    FROM range(${first}, ${first + blocks}) numbers(number)
    LEFT JOIN transactions ON block_number = number
    GROUP BY number ORDER BY number`;
}
