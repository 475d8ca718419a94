/**
 * Runs the SQL of each chain, unchanged, on engines of other projects, and compares every cell with a computation row by row:
 * npm run test:engines -- [ENGINE...]
 * Then prints what each engine does in its own way. Without a name, all engines run. They need Python 3.11, Node.js and, for
 * Spark, Java 17. They stay in .ci/out/engines. Exits with 1 if an engine refuses a query or gives another cell.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import Table from 'cli-table3';
import { toTableStatements } from '../../generator/engines/duckdb-engine.js';
import type { Kit } from '../readers/readers.js';
import { installKit, run } from '../readers/run-kit.js';
import { ENGINE_KITS, HABITS, HABITS_ROW } from './engines.js';
import { drawQueries, type ExpectedQuery } from './expected-queries.js';

const INSTALLED = path.join(import.meta.dirname, '../../.ci/out/engines');
const PROGRAMS = path.join(import.meta.dirname, 'programs');
/** Differences of one engine that are printed. */
const SHOWN = 3;

/** A table as two files, and the types of its columns in DuckDB's words. */
type WrittenTable = {
  readonly parquet: string;
  readonly csv: string;
  readonly columns: Readonly<Record<string, string>>;
};

type Answer = { readonly rows: readonly (readonly (string | null)[])[] } | { readonly error: string };

const only = process.argv.slice(2);
const names = ENGINE_KITS.flatMap(({ readers }) => Object.keys(readers));
const unknown = only.find((each) => !names.includes(each));
if (unknown !== undefined)
  throw new Error(`There is no engine ${unknown}. The engines are: ${names.join(', ')}`);

const data = path.join(INSTALLED, 'data');
await rm(data, { recursive: true, force: true });
await mkdir(data, { recursive: true });
const { queries, tables } = await writeData();
const request = path.join(data, 'request.json');
const sql = [...queries.map((query) => query.sql), ...HABITS.map((habit) => habit.sql)];
await writeFile(request, JSON.stringify({ tables, queries: sql }));

const results = new Table({
  head: ['engine', 'version', 'cells', 'different'],
  style: { head: [], border: [] },
});
const habits: [engine: string, answers: readonly Answer[]][] = [];
for (const kit of ENGINE_KITS) {
  for (const engine of Object.keys(kit.readers)) {
    if (only.length > 0 && !only.includes(engine)) continue;
    results.push([engine, kit.readers[engine], ...(await check(kit, engine))]);
  }
}
const own = new Table({
  head: ['', ...habits.map(([engine]) => engine)],
  style: { head: [], border: [] },
  colWidths: [27, ...habits.map(() => 27)],
  wordWrap: true,
  wrapOnWordBoundary: false,
});
for (const [i, { habit }] of HABITS.entries())
  own.push([habit, ...habits.map(([, answers]) => describe(answers[i]))]);
process.stdout.write(`${results.toString()}\n${own.toString()}\n`);

async function writeData(): Promise<{
  queries: ExpectedQuery[];
  tables: Readonly<Record<string, WrittenTable>>;
}> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const drawn = await drawQueries(connection, path.join(data, 'raw'));
    await connection.run(`CREATE TABLE habits AS ${HABITS_ROW}`);
    for (const statement of drawn.tables.flatMap(toTableStatements)) await connection.run(statement);
    const views = [...drawn.tables.flatMap((each) => Object.keys(each)), 'btc_addresses', 'habits'];
    const written: Record<string, WrittenTable> = {};
    for (const view of views) {
      const [parquet, csv] = ['parquet', 'csv'].map((ending) => path.join(data, `${view}.${ending}`));
      if (parquet === undefined || csv === undefined) continue;
      const flat = `SELECT * FROM ${view}`.replace(
        '* FROM btc_transactions',
        '* EXCLUDE (inputs, outputs) FROM btc_transactions',
      );
      await connection.run(`COPY (${flat}) TO '${parquet}' (FORMAT parquet)`);
      await connection.run(`COPY (${flat}) TO '${csv}' (FORMAT csv)`);
      const described = await connection.runAndReadAll(`DESCRIBE ${flat}`);
      const columns = described
        .getRowObjects()
        .map((row) => [row['column_name'], row['column_type']] as const);
      written[view] = { parquet, csv, columns: Object.fromEntries(columns) as Record<string, string> }; // both are text
    }
    return { queries: drawn.queries, tables: written };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Returns the numbers of an engine for the table. */
async function check(kit: Kit, engine: string): Promise<[cells: string, different: string]> {
  try {
    const folder = await installKit(kit, INSTALLED, PROGRAMS);
    const printed = path.join(folder, `${engine.replaceAll('/', '-')}.json`);
    await run([...kit.read, engine, request], folder, printed);
    const answers = JSON.parse(await readFile(printed, 'utf8')) as Answer[]; // our own program
    habits.push([engine, answers.slice(queries.length)]);
    let cells = 0;
    const differences: string[] = [];
    for (const [i, query] of queries.entries()) {
      const found = compare(query, answers[i]);
      cells += found.cells;
      differences.push(...found.differences);
    }
    if (differences.length > 0) fail(engine, differences.slice(0, SHOWN).join('\n'));
    return [cells.toLocaleString('en'), differences.length.toLocaleString('en')];
  } catch (error) {
    fail(engine, String(error));
    return ['', 'failed'];
  }
}

function compare(
  { name, rows }: ExpectedQuery,
  answer: Answer | undefined,
): { cells: number; differences: string[] } {
  if (answer === undefined || 'error' in answer)
    return { cells: 0, differences: [`${name}: ${answer?.error ?? 'no answer'}`] };
  const differences =
    answer.rows.length === rows.length ? [] : [`${name}: ${answer.rows.length} rows, not ${rows.length}`];
  let cells = 0;
  for (const [r, row] of rows.entries()) {
    for (const [c, [column, stated]] of row.entries()) {
      const found = answer.rows[r]?.[c];
      cells += 1;
      if (found !== stated)
        differences.push(`${name} ${row[0]?.[1] ?? ''} ${column}: ${String(found)}, not ${String(stated)}`);
    }
  }
  return { cells, differences };
}

function describe(answer: Answer | undefined): string {
  if (answer === undefined) return '';
  return 'error' in answer ? `error: ${answer.error.slice(0, 60)}` : String(answer.rows[0]?.[0] ?? null);
}

function fail(engine: string, words: string): void {
  process.stderr.write(`${engine}: ${words}\n`);
  process.exitCode = 1;
}
