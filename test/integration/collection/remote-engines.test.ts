import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import { fillQuery, readQuery } from '../../../schemas/queries.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { createAthenaEngine } from '../../../generator/engines/athena-engine.js';
import { createDuckDbEngine } from '../../../generator/engines/duckdb-engine.js';
import { EngineError, type Engine, type TableDay, type Tables } from '../../../generator/engines/engine.js';
import { createTrinoEngine } from '../../../generator/engines/trino-engine.js';
import { bitcoinDay } from '../../support/collection/bitcoin-days.js';
import { writeBitcoinDay, writeEvmDay, type DayWriter } from '../../support/collection/day-tables.js';
import { evmDay } from '../../support/collection/evm-days.js';
import { writeParquet } from '../../support/collection/parquet.js';
import { startFakeAthena, type FakeAthena } from '../../support/engines/fake-athena.js';
import { startFakeTrino, type FakeResult, type FakeTrino } from '../../support/engines/fake-trino.js';
import { createInstantTools } from '../../support/engines/instant-tools.js';
import { readTableStatements } from '../../support/engines/table-statements.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const DAYS = 5;
const FIRST = '2026-01-01';
const LAST = addDays(FIRST, DAYS - 1);
const PREFIXES = { bitcoin: 'btc', ethereum: 'eth', arbitrum: 'arbitrum', base: 'base' } as const;
const { signal } = new AbortController();

let folder: TemporaryFolder;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
let duckDb: Engine;
let servers: [FakeAthena, FakeTrino];
let remote: Engine[];
/** The tables of the servers. */
let tables: Tables = {};
beforeAll(async () => {
  folder = await createTemporaryFolder();
  duckDb = await createDuckDbEngine({ folder: folder.path });
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  servers = [await startFakeAthena(runOnDuckDb), await startFakeTrino(runOnDuckDb)];
  const tools = createInstantTools();
  const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' };
  const athena = { region: 'us-east-2', workgroup: 'daily', database: 'raw', credentials, tools };
  const trino = { catalog: 'hive', schema: 'raw', tools };
  remote = [
    await createAthenaEngine({ ...athena, endpoint: servers[0].endpoint }, signal),
    await createTrinoEngine({ ...trino, endpoint: servers[1].endpoint }, signal),
  ];
});
afterAll(async () => {
  for (const server of servers) await server.dispose();
  connection.closeSync();
  instance.closeSync();
  await folder.dispose();
});

/** Runs the SQL of a client on the tables of the servers. */
async function runOnDuckDb(sql: string): Promise<FakeResult> {
  try {
    return await duckDb.run({ sql, tables }, signal);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { errorName: error.code === 'shape' ? 'COLUMN_NOT_FOUND' : 'INTERNAL', message: error.message };
  }
}

async function writeDays(chain: Chain): Promise<Tables> {
  const blocks: TableDay[] = [];
  const transactions: TableDay[] = [];
  const sample = { numRuns: DAYS, seed: 7 };
  const writer = (i: number): DayWriter => ({
    connection,
    folder: folder.path,
    date: addDays(FIRST, i),
    form: { numbers: 'BIGINT', isUpperCase: i % 2 === 0, date: null, files: 1 },
  });
  for (let i = 0; i < DAYS; i += 1) {
    const written =
      chain === 'bitcoin'
        ? await writeBitcoinDay(
            fc.sample(bitcoinDay, sample)[i] ?? { blocks: [], transactions: [] },
            writer(i),
          )
        : await writeEvmDay(
            chain,
            fc.sample(evmDay(chain), sample)[i] ?? { blocks: [], transactions: [] },
            writer(i),
          );
    blocks.push(written.blocks);
    transactions.push(written.transactions);
  }
  return { [`${PREFIXES[chain]}_blocks`]: blocks, [`${PREFIXES[chain]}_transactions`]: transactions };
}

it.each(CHAIN_IDS)('the query of %s gives the rows of DuckDB through each remote engine', async (chain) => {
  tables = await writeDays(chain);
  const sql = fillQuery((await readQuery(chain)).text, { first: FIRST, last: LAST });
  const expected = await duckDb.run({ sql, tables }, signal);
  expect(expected.length).toBeGreaterThan(2); // more than one page
  for (const engine of remote) expect(await engine.run({ sql, tables: {} }, signal)).toEqual(expected);
});

it('a query that does not fit the tables has an error about the shape through each remote engine', async () => {
  for (const engine of remote) {
    const run = engine.run({ sql: 'SELECT no_such FROM base_blocks', tables: {} }, signal);
    await expect(run).rejects.toMatchObject({ code: 'shape' });
  }
});

it.each(CHAIN_IDS)(
  'the tables of Athena and Trino have all columns that the query of %s needs',
  async (chain) => {
    const own = readTableStatements('trino').filter(({ table }) => table.startsWith(PREFIXES[chain]));
    const bare: Record<string, TableDay[]> = {};
    for (const { table, columns } of own.filter((each) => each.folder !== undefined)) {
      const file = path.join(folder.path, `bare-${table}.parquet`);
      const toColumn = (name: string, type: string): Parameters<typeof writeParquet>[2][number] => ({
        name,
        type: type.replace('array(row(address varchar))', 'STRUCT(address VARCHAR)[]'),
        literals: [],
      });
      await writeParquet(
        connection,
        file,
        columns.map(({ name, type }) => toColumn(name, type)),
      );
      bare[table] = [{ date: FIRST, paths: [file] }];
    }
    const sql = fillQuery((await readQuery(chain)).text, { first: FIRST, last: LAST });
    expect(await duckDb.run({ sql, tables: bare }, signal)).toEqual([]);
  },
);
