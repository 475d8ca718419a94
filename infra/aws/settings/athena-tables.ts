import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.join(import.meta.dirname, '../../../schemas/sql/tables/athena');

/** A column with its type in Hive. */
export type Column = { readonly name: string; readonly type: string };

/** An external table of Parquet files. */
export type AthenaTable = {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly partitions: readonly Column[];
  readonly location: string;
  readonly properties: Readonly<Record<string, string>>;
};

export type AthenaView = { readonly name: string; readonly sql: string };

/** Reads the statements of `schemas/sql/tables/athena`: each creates an external table or a view. */
export function readAthenaTables(): {
  readonly tables: readonly AthenaTable[];
  readonly views: readonly AthenaView[];
} {
  const files = readdirSync(FOLDER).sort();
  const statements = files.map((file) => readFileSync(path.join(FOLDER, file), 'utf8').trim());
  const views = statements.flatMap(parseView);
  const tables = statements.flatMap(parseTable);
  if (views.length + tables.length !== statements.length) throw new Error(`unknown statement in ${FOLDER}`);
  return { tables, views };
}

function parseView(statement: string): AthenaView[] {
  const [, name, sql] = /^CREATE OR REPLACE VIEW (\w+) AS\s+(SELECT .*)$/s.exec(statement) ?? [];
  return name === undefined || sql === undefined ? [] : [{ name, sql }];
}

const TABLE =
  /^CREATE EXTERNAL TABLE IF NOT EXISTS (\w+) \((.*)\)\s+PARTITIONED BY \((.*)\)\s+STORED AS PARQUET\s+LOCATION '([^']+)'\s+TBLPROPERTIES \((.*)\)$/s;

function parseTable(statement: string): AthenaTable[] {
  const [, name, columns, partitions, location, properties] = TABLE.exec(statement) ?? [];
  if (name === undefined || location === undefined) return [];
  return [
    {
      name,
      columns: parseColumns(columns),
      partitions: parseColumns(partitions),
      location,
      properties: Object.fromEntries(
        [...(properties ?? '').matchAll(/'([^']+)' = '([^']+)'/g)].map(([, key = '', value = '']) => [
          key,
          value,
        ]),
      ),
    },
  ];
}

/** Parses names in backquotes, each with a type. */
function parseColumns(text = ''): Column[] {
  return [...text.matchAll(/`(\w+)` ([^`]+?)(?=,?\s*(?:`|$))/g)].map(([, name = '', type = '']) => ({
    name,
    type,
  }));
}
