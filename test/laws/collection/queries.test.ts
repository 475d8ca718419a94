import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import type { Chain } from '../../../schemas/types.generated.js';
import { fillQuery, readQuery } from '../../../schemas/queries.js';
import type { TextRow } from '../../../generator/core/collection/query-day.js';
import { createDuckDbEngine } from '../../../generator/engines/duckdb-engine.js';
import type { Engine, TableDay } from '../../../generator/engines/engine.js';
import { writeParquet, type ParquetColumn } from '../../support/collection/parquet.js';
import { bitcoinDay, naiveBitcoinDay } from '../../support/collection/bitcoin-days.js';
import {
  writeBitcoinDay,
  writeEvmDay,
  type DayWriter,
  type FileForm,
} from '../../support/collection/day-tables.js';
import { evmDay, naiveEvmDay, toSmallest } from '../../support/collection/evm-days.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const RUNS = Number(process.env['CRD_SEEDS'] ?? '20');
/** The day of Byzantium, before which receipts of ethereum have no status, and the next. */
const DATES = ['2017-10-16', '2017-10-17'];
const { signal } = new AbortController();

let folder: TemporaryFolder;
let engine: Engine;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  engine = await createDuckDbEngine({ folder: folder.path });
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
});
afterAll(async () => {
  connection.closeSync();
  instance.closeSync();
  await folder.dispose();
});

const form: fc.Arbitrary<FileForm> = fc.record({
  numbers: fc.constantFrom('BIGINT', 'DECIMAL(38,0)', 'DOUBLE'),
  isUpperCase: fc.boolean(),
  date: fc.constantFrom('VARCHAR', 'DATE', null),
  files: fc.integer({ min: 1, max: 3 }),
});

type WrittenDay = { blocks: TableDay; transactions: TableDay };

/** Runs the query of a chain on two days, each written by `write`. */
async function runOn<Day>(
  chain: Chain,
  { prefix, days, form: own }: { prefix: string; days: readonly Day[]; form: FileForm },
  write: (day: Day, writer: DayWriter) => Promise<WrittenDay>,
): Promise<readonly TextRow[]> {
  const place = await mkdtemp(path.join(folder.path, 'day-'));
  try {
    const written: WrittenDay[] = [];
    for (const [i, day] of days.entries()) {
      written.push(await write(day, { connection, folder: place, date: DATES[i] ?? '', form: own }));
    }
    const tables = {
      [`${prefix}_blocks`]: written.map(({ blocks }) => blocks),
      [`${prefix}_transactions`]: written.map(({ transactions }) => transactions),
    };
    const { text } = await readQuery(chain);
    const sql = fillQuery(text, { first: '2017-10-16', last: '2017-10-17' });
    return await engine.run({ sql, tables }, signal);
  } finally {
    await rm(place, { recursive: true });
  }
}

describe.each([
  ['ethereum', 'eth'],
  ['arbitrum', 'arbitrum'],
  ['base', 'base'],
] as const)('the query of %s', (chain, prefix) => {
  it('gives the integers of each day, however the source writes its rows', async () => {
    const days = fc.array(evmDay(chain), { minLength: 2, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(days, form, async (each, own) => {
        const rows = await runOn(chain, { prefix, days: each, form: own }, (day, writer) =>
          writeEvmDay(chain, day, writer),
        );
        const expected = each.flatMap((day, i) => {
          const date = DATES[i] ?? '';
          const integers = naiveEvmDay(chain, date, day);
          return integers === undefined ? [] : [{ date, ...integers }];
        });
        expect(rows).toEqual(expected);
      }),
      { numRuns: RUNS, seed: 1 },
    );
  }, 600_000);
});

it('the query of bitcoin gives the integers of each day and difficulty, however the source writes its rows', async () => {
  const days = fc.array(bitcoinDay, { minLength: 2, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(days, form, async (each, own) => {
      const rows = await runOn('bitcoin', { prefix: 'btc', days: each, form: own }, writeBitcoinDay);
      const expected = each.flatMap((day, i) =>
        naiveBitcoinDay(day).map((row) => ({ date: DATES[i], ...row })),
      );
      expect(rows).toEqual(expected);
    }),
    { numRuns: RUNS, seed: 1 },
  );
}, 600_000);

describe('an amount in wei below 2^53', () => {
  /** Two amounts may have the same double only above this. */
  const DISTINCT = 10n ** 18n / 128n;
  const nearPowers = fc.tuple(fc.nat(53), fc.integer({ min: -3, max: 3 })).map(([power, offset]) => {
    const amount = 2n ** BigInt(power) + BigInt(offset);
    return amount < 0n ? 0n : amount;
  });
  const amount = fc
    .oneof(
      nearPowers,
      fc.bigInt({ min: 0n, max: 2n ** 53n - 1n }),
      fc.bigInt({ min: 2n ** 51n, max: 2n ** 53n - 1n }),
      fc.nat(9_007).map((n) => BigInt(n) * 10n ** 12n),
    )
    .filter((wei) => wei < 2n ** 53n);

  it.each([
    ['base', 'l1_fee', 18],
    ['base', 'gas_price', 9],
    ['arbitrum', 'gas_price', 9],
  ] as const)(
    'is read from a double of %s without an error (%s)',
    async (chain, column, decimals) => {
      const { text } = await readQuery(chain);
      const amounts = /stated AS \([\s\S]*?(?=,\s+exact_fees AS)/.exec(text)?.[0] ?? '';
      const sql = `WITH ${amounts} SELECT CAST(${column} AS VARCHAR) AS found FROM amounts ORDER BY gas`;
      const drawn = fc.array(amount, { minLength: 1, maxLength: 2_000, size: 'max' });
      await fc.assert(
        fc.asyncProperty(drawn, async (all) => {
          const doubles = all.map((wei) => Number(wei) / 10 ** decimals);
          const found = await readAmounts(chain, sql, doubles);
          for (const [i, wei] of all.entries()) {
            const double = doubles[i] ?? 0;
            expect(found[i]).toBe(toSmallest(double, decimals));
            expect(Number(found[i]) / 10 ** decimals).toBe(double);
            if (decimals === 18 && wei < DISTINCT) expect(found[i]).toBe(wei);
          }
        }),
        { numRuns: RUNS, seed: 1, examples: [[[9_000_000_000_000_000n, 4_000_000_000_000_001n]]] },
      );
    },
    600_000,
  );

  /** Runs a query on rows whose price and fee are the doubles, and whose gas is the number of the row. */
  async function readAmounts(chain: Chain, sql: string, doubles: readonly number[]): Promise<bigint[]> {
    const column = (
      name: string,
      type: string,
      value: (double: number, i: number) => string,
    ): ParquetColumn => ({
      name,
      type,
      literals: doubles.map(value),
    });
    const file = path.join(folder.path, 'amounts.parquet');
    const quoted = (double: number): string => `'${double}'`;
    await writeParquet(connection, file, [
      ...['transaction_type', 'status'].map((name) => column(name, 'BIGINT', () => '1')),
      column('gas_used', 'BIGINT', (_, i) => String(i)),
      ...['effective_gas_price_gwei', 'l1_fee', 'transaction_fee'].map((name) =>
        column(name, 'DOUBLE', quoted),
      ),
    ]);
    const tables = { [`${chain}_transactions`]: [{ date: '2026-01-01', paths: [file] }] };
    const filled = fillQuery(sql, { first: '2026-01-01', last: '2026-01-01' });
    const rows = await engine.run({ sql: filled, tables }, signal);
    return rows.map(({ found }) => BigInt(found ?? -1));
  }
});
