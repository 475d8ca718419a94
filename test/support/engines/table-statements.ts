import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.join(import.meta.dirname, '../../../schemas/sql/tables');
const BUCKET = 's3://aws-public-blockchain/';

/** The statement that creates a table or view. */
export type TableStatement = {
  readonly table: string;
  readonly sql: string;
  /** Folder of the table's partitions, below its bucket; absent for a view. */
  readonly folder: string | undefined;
  /** Columns without the date. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
};

/** Returns the statements of an engine, tables before views. Tables are below `root` instead of the public bucket. */
export function readTableStatements(engine: 'athena' | 'trino', root = BUCKET): TableStatement[] {
  const folder = path.join(FOLDER, engine);
  const statements = readdirSync(folder).map((file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    const columns = [...text.matchAll(/^ {2}["`](\w+)["`] (.+?),?$/gm)];
    return {
      table: path.basename(file, '.sql'),
      sql: text.replace(BUCKET, root),
      folder: /'s3:\/\/aws-public-blockchain\/(.+)\/'/.exec(text)?.[1],
      columns: columns
        .map(([, name = '', type = '']) => ({ name, type }))
        .filter(({ name }) => name !== 'date'),
    };
  });
  return statements.sort(
    (one, other) => Number(one.folder === undefined) - Number(other.folder === undefined),
  );
}

/** Returns Trino's name of one of Athena's types. */
export function toTrinoType(type: string): string {
  return type
    .replace('array<struct<address:string>>', 'array(row(address varchar))')
    .replace(/^string$/, 'varchar');
}
