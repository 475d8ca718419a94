import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { addDays } from '../../schemas/dates.js';
import { BLOCKS_QUERIES, fillQuery, type QueryName, readQuery } from '../../schemas/queries.js';
import type { Chain } from '../../schemas/types.generated.js';
import type { TableDay, Tables } from '../../generator/engines/engine.js';
import { bitcoinDay, naiveBitcoinDay } from '../../test/support/collection/bitcoin-days.js';
import { writeBitcoinDay, writeEvmDay, type DayWriter } from '../../test/support/collection/day-tables.js';
import { bitcoinEdges, evmEdges } from '../../test/support/collection/edge-days.js';
import { evmDay, naiveEvmDay } from '../../test/support/collection/evm-days.js';

/** A query on drawn days, and what a computation row by row gives. */
export type ExpectedQuery = {
  readonly name: QueryName;
  readonly sql: string;
  /** Columns in the order of the query. */
  readonly rows: readonly (readonly (readonly [column: string, value: string | null])[])[];
};

const RANDOM_DAYS = 40;
const FIRST = '2024-01-01';
const PREFIXES = { bitcoin: 'btc', ethereum: 'eth', arbitrum: 'arbitrum', base: 'base' } as const;

/** A row of integers as text. */
type Integers = Readonly<Record<string, string | null>>;
type DrawnDay = {
  readonly write: (writer: DayWriter) => Promise<{ blocks: TableDay; transactions: TableDay }>;
  readonly expected: readonly Integers[];
};

/** Writes edges and drawn days of every chain, always the same, as files below `folder`. Returns their tables and queries. */
export async function drawQueries(
  connection: DuckDBConnection,
  folder: string,
): Promise<{ tables: Tables[]; queries: ExpectedQuery[] }> {
  const queries: ExpectedQuery[] = [];
  const tables: Tables[] = [];
  for (const chain of CHAIN_IDS) {
    const place = path.join(folder, chain);
    await mkdir(place, { recursive: true });
    const numbers = chain === 'bitcoin' || chain === 'ethereum' ? 'BIGINT' : 'DECIMAL(38,0)';
    const form = { numbers, isUpperCase: false, date: null, files: 1 } as const;
    const drawn = drawDays(chain);
    const dates = drawn.map((_, i) => addDays(FIRST, i));
    const written: { blocks: TableDay; transactions: TableDay }[] = [];
    for (const [i, day] of drawn.entries())
      written.push(await day.write({ connection, folder: place, date: dates[i] ?? '', form }));
    tables.push({
      [`${PREFIXES[chain]}_blocks`]: written.map(({ blocks }) => blocks),
      [`${PREFIXES[chain]}_transactions`]: written.map(({ transactions }) => transactions),
    });
    const ofBlocks = BLOCKS_QUERIES.filter((each) => each === `${chain}-blocks`);
    for (const name of [chain, ...ofBlocks]) {
      const { text } = await readQuery(name);
      const columns = columnsOf(text);
      const rows = drawn.flatMap(({ expected }, i) =>
        expected.map((integers) => {
          const row: Integers = { ...integers, date: dates[i] ?? '' };
          return columns.map((column) => [column, row[column] ?? null] as const);
        }),
      );
      queries.push({ name, sql: fillQuery(text, { first: FIRST, last: dates.at(-1) ?? FIRST }), rows });
    }
  }
  return { tables, queries };
}

function drawDays(chain: Chain): DrawnDay[] {
  const sample = { numRuns: RANDOM_DAYS, seed: 1 };
  if (chain === 'bitcoin') {
    return [...bitcoinEdges(), ...fc.sample(bitcoinDay, sample)].map((day) => ({
      write: (writer) => writeBitcoinDay(day, writer),
      expected: naiveBitcoinDay(day),
    }));
  }
  return [...evmEdges(chain), ...fc.sample(evmDay(chain), sample)].map((day, i) => {
    const integers = naiveEvmDay(chain, addDays(FIRST, i), day);
    return {
      write: (writer) => writeEvmDay(chain, day, writer),
      expected: integers === undefined ? [] : [integers],
    };
  });
}

/** Returns the names of the columns of a query's result. */
function columnsOf(text: string): string[] {
  const result = text.slice(text.lastIndexOf('SELECT\n'));
  return [...result.matchAll(/ AS (\w+),?$/gm)].map(([, name = '']) => name);
}
