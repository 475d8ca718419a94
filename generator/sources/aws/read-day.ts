import { fillQuery, readQuery } from '../../../schemas/queries.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { CollectedDay } from '../../core/collection/values/collected-day.js';
import { toQueryDay, type TextRow } from '../../core/collection/values/query-day.js';
import { plural } from '../../core/text/number-words.js';
import { EngineError, type Tables } from '../../engines/engine.js';
import { SourceError } from '../source.js';
import type { DayReading } from './day-reading.js';
import { listDates, type TableObjects } from './list-dates.js';
import { copyColumns, copyFooters, withFolder, type PartialCopy } from './partial-copies.js';
import { markOf, type RawObject } from './raw-objects.js';
import type { RawChain } from './raw-tables.js';

/**
 * Computes a day from the objects of its date, which must be complete, and the same after the query as before.
 * @throws SourceError; the reason of `signal`.
 */
export async function readDay(
  chain: Chain,
  raw: RawChain,
  date: string,
  reading: DayReading,
): Promise<CollectedDay> {
  const { engine, source } = reading;
  const query = await readQuery(raw.query);
  const listed = await listDate(raw, date, reading);
  const sql = fillQuery(query.text, { first: date, last: date });
  const objects = allObjects(listed);
  const mark = markOf(objects);
  const rows = await runQuery({ sql, mark, date }, listed, reading);
  if (markOf(allObjects(await listDate(raw, date, reading))) !== mark) {
    throw new SourceError(
      'not-yet',
      `${source}: the objects of ${chain} on ${date} changed while they were read.`,
    );
  }
  return {
    chain,
    date,
    ...toDay(chain, date, rows, source),
    evidence: {
      kind: 'objects',
      objects: objects.map(({ uri, etag, bytes, lastModified }) => ({
        ...{ uri, etag, bytes, last_modified: lastModified },
      })),
      sql_sha256: query.sha256,
      engine: engine.name,
    },
  };
}

/** Lists the objects of each table on a date. @throws SourceError 'not-yet' if a table is not complete. */
async function listDate(raw: RawChain, date: string, reading: DayReading): Promise<TableObjects> {
  const { source, namePrefix } = reading;
  const listing = (await listDates(raw, { first: date, last: date }, reading)).get(date);
  if (listing !== undefined && listing.incomplete === undefined) return listing.tables;
  const expected = `complete files of ${date} (${namePrefix}*.parquet)`;
  throw new SourceError(
    'not-yet',
    `${source}: expected ${expected}, found ${listing?.incomplete ?? 'no objects'}.`,
  );
}

async function runQuery(
  { sql, mark, date }: { readonly sql: string; readonly mark: string; readonly date: string },
  listed: TableObjects,
  reading: DayReading,
): Promise<readonly TextRow[]> {
  const { engine, signal, source, cacheFolder } = reading;
  const run = (tables: Tables): Promise<readonly TextRow[]> =>
    engine.run({ sql, tables, mark }, signal).catch((error: unknown) => {
      if (!(error instanceof EngineError)) throw error;
      const code = error.code === 'shape' ? 'shape' : 'unavailable';
      throw new SourceError(code, `${source}: ${date}: ${error.message}`, { cause: error });
    });
  if (engine.ownTables) return run({});
  return withFolder(cacheFolder, async (folder) => {
    const copies = await copyFooters(allObjects(listed), folder, reading);
    const tables = listed.map(([table, objects]) => ({
      table,
      copies: copies.filter((copy) => objects.includes(copy.object)),
    }));
    const wanted = tables.flatMap(({ table, copies: own }) =>
      own.map((copy) => [copy, assertColumns(copy, Object.keys(table.columns), source)] as const),
    );
    await copyColumns(wanted, reading);
    return run(
      Object.fromEntries(
        tables.map(({ table, copies: own }) => [table.name, [{ date, paths: own.map((copy) => copy.path) }]]),
      ),
    );
  });
}

/** Passes columns that a file has. A column that only some files of a table have would be null in the others. */
function assertColumns(
  { object, columns }: PartialCopy,
  wanted: readonly string[],
  source: string,
): readonly string[] {
  const missing = wanted.filter((name) => !columns.has(name));
  if (missing.length === 0) return wanted;
  const found = [...columns.keys()].join(', ').replace(/\p{C}/gu, '?').slice(0, 600);
  const expected = plural(missing.length, 'column');
  throw new SourceError(
    'shape',
    `${source}: ${object.uri}: expected the ${expected} ${missing.join(', ')}, found the columns ${found}.`,
  );
}

function toDay(
  chain: Chain,
  date: string,
  rows: readonly TextRow[],
  source: string,
): Pick<CollectedDay, 'values' | 'counts'> {
  const where = `${source}: ${chain} ${date}`;
  const other = rows.find((row) => row['date'] !== date);
  if (other !== undefined) {
    throw new SourceError(
      'shape',
      `${where}: expected rows of this date, got ${other['date'] ?? 'no date'}.`,
    );
  }
  try {
    return toQueryDay(chain, rows);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SourceError('shape', `${where}: ${error.message}.`, { cause: error });
  }
}

function allObjects(listed: TableObjects): RawObject[] {
  return listed.flatMap(([, objects]) => objects);
}
