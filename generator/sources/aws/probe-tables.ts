import { type Engine, EngineError } from '../../engines/engine.js';
import { toLiteral } from '../../engines/duckdb-engine.js';
import { type Probe, SourceError } from '../source.js';
import type { Bucket, RawObject } from './bucket.js';
import { copyColumns, copyFooters, type PartialCopy, withFolder } from './partial-copies.js';
import { describeType, isDocumentedType, type RawTable } from './raw-tables.js';

/** Tools for reading the files of a date. */
type Reading = {
  /** Id of the source, for messages. */
  readonly source: string;
  readonly bucket: Bucket;
  readonly engine: Engine;
  readonly cacheFolder: string;
  readonly signal: AbortSignal;
};

/**
 * Compares the files of tables with what the query expects, column by column: its type in every file, and whether the engine
 * can read a value of it in one. @throws SourceError
 */
export async function probeTables(
  tables: readonly (readonly [table: RawTable, objects: readonly RawObject[]])[],
  reading: Reading,
): Promise<Probe[]> {
  return withFolder(reading.cacheFolder, async (folder) => {
    const objects = tables.flatMap(([, own]) => own);
    const copies = await copyFooters(objects, folder, reading);
    const probes: Probe[] = [];
    for (const [table, own] of tables) {
      const files = copies.filter(({ object }) => own.includes(object));
      probes.push(...(await probeTable(table, files, reading)));
    }
    return probes;
  });
}

async function probeTable(
  { prefix, columns }: RawTable,
  copies: readonly PartialCopy[],
  reading: Reading,
): Promise<Probe[]> {
  const table = prefix.split('/').slice(-3, -1).join('/');
  const faults = await findUnreadable(Object.keys(columns), copies, reading);
  return Object.entries(columns).map(([column, expected]) => {
    const types = copies.map((copy) => copy.columns.get(column)?.type);
    const found = [...new Set(types)].map((type) => shorten(type ?? 'no such column')).join(' and ');
    const agrees =
      types.length > 0 && types.every((type) => type !== undefined && isDocumentedType(type, expected));
    const fault = faults.get(column);
    return {
      item: `column ${column} of ${table}`,
      expected: describeType(expected),
      found: fault === undefined ? found : `${found}, not readable: ${shorten(fault)}`,
      agrees: agrees && fault === undefined,
    };
  });
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}

/**
 * Reads the first value of columns in the first file that has rows. Returns the engine's words about each that it cannot read.
 * @throws SourceError 'unavailable' if it may succeed later
 */
async function findUnreadable(
  wanted: readonly string[],
  copies: readonly PartialCopy[],
  reading: Reading,
): Promise<ReadonlyMap<string, string>> {
  const faults = new Map<string, string>();
  const hasRows = ({ columns }: PartialCopy): boolean =>
    [...columns.values()].some(({ chunks }) => chunks.length > 0);
  const copy = copies.find(hasRows);
  if (copy === undefined) return faults;
  const own = wanted.filter((name) => copy.columns.has(name));
  await copyColumns([[copy, own]], reading, (group) => group === 0);
  for (const name of own) {
    // With more threads, the engine would also begin with groups of rows that are not copied.
    const sql = `SET threads = 1; SELECT CAST("${name}" AS VARCHAR) AS value
      FROM read_parquet(${toLiteral(copy.path)}, hive_partitioning = false) LIMIT 1`;
    try {
      await reading.engine.run({ sql, tables: {} }, reading.signal);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.code !== 'shape')
        throw new SourceError('unavailable', `${reading.source}: ${error.message}`, { cause: error });
      faults.set(name, error.message);
    }
  }
  return faults;
}
