import { plural } from '../../../schemas/words.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { S3Address } from '../../../schemas/store-address.js';
import { type Engine, EngineError, type Tables } from '../../engines/engine.js';
import { parseEndpoint } from '../http-client.js';
import { type Probe, type Source, SourceError, type SourceFacts } from '../source.js';
import {
  type Bucket,
  findIncomplete,
  groupByDate,
  keysOf,
  markOf,
  type RawObject,
  withBucket,
} from './bucket.js';
import {
  AWS_CHAINS,
  describeType,
  keepsDigits,
  type RawChain,
  type RawChains,
  type RawTable,
  sonarxChain,
  type SonarxChain,
  AWS_FACTS,
  SONARX_FACTS,
} from './raw-tables.js';
import { probeTables } from './probe-tables.js';
import { addDays, toInstant } from '../../../schemas/dates.js';
import { copyColumns, copyFooters, type PartialCopy, withFolder } from './partial-copies.js';
import { fillQuery, readQuery } from '../../../schemas/queries.js';
import type { CollectedDay } from '../../core/collection/day-values.js';
import { type TextRow, toQueryDay } from '../../core/collection/query-day.js';

const BUCKET = 'aws-public-blockchain';
const REGION = 'us-east-2';
const BODY_LIMIT_MS = 60_000;
/** Beginning of the name of a complete file, in both data sets. */
const NAME_PREFIX = 'part-';

/** Options for `createAws` and `createSonarx`. */
export type AwsOptions = {
  /**
   * Opens what runs the queries, when the first one is needed: listing dates needs none. An engine with tables of its own
   * must have them on the same bucket. @throws EngineError
   */
  readonly openEngine: () => Promise<Engine>;
  /** A folder for the columns of a day while it is read. It may be shared by runs. */
  readonly cacheFolder: string;
  /** `aws-public-blockchain` by default. */
  readonly bucket?: string;
  readonly region?: string;
  /** Address of an S3 server with a mirror; by default Amazon's, whatever the environment says. */
  readonly endpoint?: string;
  /** Beginning of the names of complete files; `part-` by default. */
  readonly namePrefix?: string;
  /** Longest time for 4 MB. */
  readonly bodyLimitMs?: number;
  readonly now?: () => number;
};

/** Options for `createSonarx`. */
export type SonarxOptions = AwsOptions & {
  /** Chains of which only the blocks are read; by default both. */
  readonly blocksOnly?: { readonly [chain in SonarxChain]?: boolean };
};

/** Creates the source for bitcoin and ethereum in the AWS Public Blockchain Data. */
export function createAws(options: AwsOptions): Source {
  return createSource(AWS_FACTS, AWS_CHAINS, options);
}

/** Creates the source for arbitrum and base in the AWS Public Blockchain Data, which SonarX contributes. */
export function createSonarx({
  blocksOnly: { arbitrum = true, base = true } = {},
  ...options
}: SonarxOptions): Source {
  const chains = { arbitrum: sonarxChain('arbitrum', arbitrum), base: sonarxChain('base', base) };
  return createSource(SONARX_FACTS, chains, options);
}

function createSource(facts: SourceFacts, chains: RawChains, options: AwsOptions): Source {
  const { openEngine, cacheFolder, namePrefix = NAME_PREFIX, now = Date.now } = options;
  const source = facts.id;
  const connection = {
    source,
    address: toAddress(source, options),
    bodyLimitMs: options.bodyLimitMs ?? BODY_LIMIT_MS,
  };
  const withReading = async <T>(
    signal: AbortSignal,
    use: (reading: DayReading) => Promise<T>,
  ): Promise<T> => {
    const engine = await openEngine().catch((error: unknown) => {
      if (!(error instanceof EngineError)) throw error;
      throw new SourceError('unavailable', `${source}: ${error.message}`, { cause: error });
    });
    const tools = { source, engine, cacheFolder, namePrefix, signal };
    return withBucket(connection, signal, (bucket) => use({ ...tools, bucket }));
  };
  const find = (chain: Chain): RawChain | undefined => chains[chain];

  return {
    facts: withBucketName(facts, options),
    async days(chain, span, signal) {
      signal.throwIfAborted();
      const raw = find(chain);
      if (raw === undefined || span.first > span.last) return new Map();
      const dates = await withBucket(connection, signal, (bucket) =>
        listDates(raw, span, { bucket, namePrefix }),
      );
      const complete = [...dates].filter(([, { incomplete }]) => incomplete === undefined).sort();
      return new Map(
        complete.map(([date, { tables }]) => [date, markOf(tables.flatMap(([, objects]) => objects))]),
      );
    },
    async day(chain, date, signal) {
      signal.throwIfAborted();
      const raw = find(chain);
      if (raw === undefined) throw new SourceError('not-yet', `${source}: has no data of ${chain}.`);
      return withReading(signal, (reading) => readDay(chain, raw, date, reading));
    },
    async probe(chain, signal) {
      signal.throwIfAborted();
      const raw = find(chain);
      return raw === undefined ? [] : withReading(signal, (reading) => probeChain(raw, reading, now()));
    },
  };
}

/** Names another bucket, because what it contains is its owner's word. */
function withBucketName(facts: SourceFacts, { bucket = BUCKET }: AwsOptions): SourceFacts {
  return bucket === BUCKET ? facts : { ...facts, name: `${facts.name}, from the bucket ${bucket}` };
}

function toAddress(source: string, { bucket = BUCKET, region = REGION, endpoint }: AwsOptions): S3Address {
  const amazon = `https://s3.${region}.amazonaws.com`; // else the SDK takes the endpoint of the environment
  const { base } = parseEndpoint(source, endpoint ?? amazon);
  return { bucket, region, prefix: '', endpoint: base, pathStyle: endpoint !== undefined };
}

/** Greatest age of the newest complete date. */
const PROBED_DAYS = 30;

/** Compares the files of the newest complete date with what the query expects, column by column. @throws SourceError */
async function probeChain(raw: RawChain, reading: DayReading, nowMs: number): Promise<readonly Probe[]> {
  const { source, engine } = reading;
  if (engine.ownTables) {
    const remedy = 'Use the engine duckdb for this check.';
    throw new SourceError('unavailable', `${source}: ${engine.name} cannot read the files. ${remedy}`);
  }
  const today = toInstant(nowMs).slice(0, 10);
  const span = { first: addDays(today, -PROBED_DAYS), last: today };
  const dates = await listDates(raw, span, reading);
  const complete = [...dates].filter(([, listing]) => listing.incomplete === undefined);
  const newest = complete
    .map(([date]) => date)
    .sort()
    .at(-1);
  const listing = newest === undefined ? undefined : dates.get(newest);
  if (listing === undefined) return [probeDates(dates, span.first)];
  return [
    { item: 'newest complete date', expected: `since ${span.first}`, found: newest ?? '', agrees: true },
    ...(await probeTables(listing.tables, reading)),
  ];
}

function probeDates(dates: ReadonlyMap<string, DateListing>, since: string): Probe {
  const [newest, listing] = [...dates].sort(([a], [b]) => (a < b ? -1 : 1)).at(-1) ?? [];
  const found = newest === undefined ? 'no objects' : `${newest} with ${listing?.incomplete ?? ''}`;
  return { item: 'newest complete date', expected: `since ${since}`, found, agrees: false };
}

/**
 * Computes a day from the objects of its date, which must be complete, and the same after the query as before.
 * @throws SourceError; the reason of `signal`.
 */
async function readDay(
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
        uri,
        etag,
        bytes,
        last_modified: lastModified,
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
      own.map((copy) => [copy, assertColumns(copy, table, source)] as const),
    );
    await copyColumns(wanted, reading);
    return run(
      Object.fromEntries(
        tables.map(({ table, copies: own }) => [table.name, [{ date, paths: own.map((copy) => copy.path) }]]),
      ),
    );
  });
}

/**
 * Returns the names of a table's columns, which a file must have. A column that only some files of a table have would be null
 * in the others, and one that some have as doubles would be one in all.
 */
function assertColumns({ object, columns }: PartialCopy, table: RawTable, source: string): readonly string[] {
  const refuse = (expected: string, found: string): SourceError =>
    new SourceError(
      'shape',
      `${source}: ${object.uri}: expected ${expected}, found ${found.replace(/\p{C}/gu, '?').slice(0, 600)}.`,
    );
  const wanted = Object.keys(table.columns);
  const missing = wanted.filter((name) => !columns.has(name));
  if (missing.length > 0)
    throw refuse(
      `the ${plural(missing.length, 'column')} ${missing.join(', ')}`,
      `the columns ${[...columns.keys()].join(', ')}`,
    );
  for (const [name, expected] of Object.entries(table.columns)) {
    const { type = '' } = columns.get(name) ?? {};
    if (!keepsDigits(type, expected)) throw refuse(`the column ${name} as ${describeType(expected)}`, type);
  }
  return wanted;
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

/** The objects of a date. */
type DateListing = {
  readonly tables: TableObjects;
  /** Why the date is not complete. */
  readonly incomplete?: string;
};

type TableObjects = readonly (readonly [table: RawTable, objects: readonly RawObject[]])[];

/** Lists the dates of a span that have objects in any table: one request for each table and 1,000 objects. */
async function listDates(
  { tables }: RawChain,
  span: { readonly first: string; readonly last: string },
  { bucket, namePrefix }: Pick<DayReading, 'bucket' | 'namePrefix'>,
): Promise<ReadonlyMap<string, DateListing>> {
  const listed = await Promise.all(
    tables.map(async (table) => {
      const { prefix } = table;
      const objects = await bucket.list(...keysOf(prefix, span));
      return [table, groupByDate(prefix, objects)] as const;
    }),
  );
  const dates = new Set(listed.flatMap(([, byDate]) => [...byDate.keys()]));
  return new Map(
    [...dates].map((date) => {
      const own = listed.map(([table, byDate]) => [table, byDate.get(date) ?? []] as const);
      return [date, toListing(own, namePrefix)];
    }),
  );
}

function toListing(tables: TableObjects, namePrefix: string): DateListing {
  for (const [{ prefix }, objects] of tables) {
    const found = findIncomplete(prefix, objects, namePrefix);
    if (found !== undefined) return { tables, incomplete: `${found} in ${prefix}` };
  }
  return { tables };
}

/** Tools for the reading of a day. */
type DayReading = {
  /** Id of the source, for messages. */
  readonly source: string;
  readonly bucket: Bucket;
  readonly engine: Engine;
  readonly cacheFolder: string;
  /** Beginning of the names of complete files. */
  readonly namePrefix: string;
  readonly signal: AbortSignal;
};
