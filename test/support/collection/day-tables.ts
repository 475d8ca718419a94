import path from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { TableDay } from '../../../generator/engines/engine.js';
import type { BitcoinDay } from './bitcoin-days.js';
import type { EvmChain, EvmDay } from './evm-days.js';
import { toLiteral, writeParquet, type ParquetColumn } from './parquet.js';

/** The ways in which a source may write the same rows. */
export type FileForm = {
  /** Type of the columns of integers. */
  readonly numbers: 'BIGINT' | 'DECIMAL(38,0)' | 'DOUBLE';
  readonly isUpperCase: boolean;
  /** Type of a column `date` in the file. */
  readonly date: 'VARCHAR' | 'DATE' | null;
  readonly files: number;
};

/** The day of a table, and the folder and form of its files. */
export type DayWriter = {
  readonly connection: DuckDBConnection;
  readonly folder: string;
  readonly date: string;
  readonly form: FileForm;
};

type Value = string | bigint | number | boolean | null;
type Columns<Row> = Readonly<Record<string, readonly [type: string, value: (row: Row) => Value]>>;

/** Writes the days' blocks and transactions as the source of `chain` names and types them. */
export async function writeEvmDay(
  chain: EvmChain,
  { blocks, transactions }: EvmDay,
  writer: DayWriter,
): Promise<{ blocks: TableDay; transactions: TableDay }> {
  const { numbers } = writer.form;
  const number = chain === 'ethereum' ? 'number' : 'block_number';
  return {
    blocks: await writeTable(writer, 'blocks', blocks, {
      [number]: [numbers, (row) => row.number],
      transaction_count: [numbers, (row) => row.transactions],
      gas_used: [numbers, (row) => row.gasUsed],
      gas_limit: [numbers, (row) => row.gasLimit],
    }),
    transactions: await writeTable(writer, 'transactions', transactions, {
      from_address: ['VARCHAR', (row) => row.from],
      to_address: ['VARCHAR', (row) => row.to],
      ...(chain === 'ethereum'
        ? {
            receipt_status: [numbers, (row) => row.status],
            receipt_gas_used: [numbers, (row) => row.gas],
            receipt_effective_gas_price: [numbers, (row) => row.price],
          }
        : {
            status: [numbers, (row) => row.status],
            transaction_type: [numbers, (row) => row.type],
            gas_used: [numbers, (row) => row.gas],
            effective_gas_price_gwei: ['DOUBLE', (row) => row.price],
            transaction_fee: ['DOUBLE', (row) => row.statedFee],
          }),
      ...(chain === 'base' ? { l1_fee: ['DOUBLE', (row) => row.l1Fee] } : {}),
    }),
  };
}

export async function writeBitcoinDay(
  { blocks, transactions }: BitcoinDay,
  writer: DayWriter,
): Promise<{ blocks: TableDay; transactions: TableDay }> {
  const { numbers } = writer.form;
  return {
    blocks: await writeTable(writer, 'blocks', blocks, {
      number: [numbers, (row) => row.number],
      bits: ['VARCHAR', (row) => row.bits],
      transaction_count: [numbers, (row) => row.transactions],
      size: [numbers, (row) => row.size],
      weight: [numbers, (row) => row.weight],
    }),
    transactions: await writeTable(writer, 'transactions', transactions, {
      is_coinbase: ['BOOLEAN', (row) => row.isCoinbase],
      fee: ['DOUBLE', (row) => row.fee],
      output_value: ['DOUBLE', (row) => row.output],
      inputs: ['STRUCT(address VARCHAR, "value" DOUBLE)[]', (row) => toStructs(row.inputs)],
      outputs: ['STRUCT(address VARCHAR, "value" DOUBLE)[]', (row) => toStructs(row.outputs)],
    }),
  };
}

/** Writes the rows into the files of a table: every second file has the columns in reverse order. */
async function writeTable<Row>(
  { connection, folder, date, form }: DayWriter,
  table: string,
  rows: readonly Row[],
  columns: Columns<Row>,
): Promise<TableDay> {
  const paths: string[] = [];
  for (let i = 0; i < form.files; i += 1) {
    const own = rows.filter((_, r) => r % form.files === i);
    const list: ParquetColumn[] = Object.entries(columns).map(([name, [type, value]]) => ({
      name: form.isUpperCase ? name.toUpperCase() : name,
      type,
      literals: own.map((row) => toLiteral(value(row))),
    }));
    const dates = { name: 'date', type: form.date ?? '', literals: own.map(() => "'1999-12-31'") };
    const all = form.date === null ? list : [...list, dates];
    const file = path.join(folder, `${date}-${table}-${i}.parquet`);
    await writeParquet(connection, file, i % 2 === 0 ? all : all.toReversed());
    paths.push(file);
  }
  return { date, paths };
}

/** Returns the text of a list of structs, as DuckDB casts it. */
function toStructs(addresses: readonly (string | null)[] | null): string | null {
  if (addresses === null) return null;
  return `[${addresses.map((address) => `{'address': ${address ?? 'NULL'}, 'value': 0.1}`).join(', ')}]`;
}
