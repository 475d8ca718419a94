/**
 * A step of the bench in a process of its own: its name, a folder, and for `write` a number of transactions, for
 * `write-ledger` the sample of bitcoin. Prints the milliseconds that it took; for `bytes` a ratio.
 */
import { fillQuery, readQuery } from '../../../schemas/queries.js';
import { createDuckDbEngine } from '../../../generator/engines/duckdb-engine.js';
import { measureBytesRead } from './bytes-read.js';
import { rewriteLedger, writeLedger } from './ledger-rewrite.js';
import { MADE_UP_DATE, tablesIn, writeMadeUpDay } from './made-up-day.js';

/** Reads the columns of the query, and does next to nothing with them. */
const FLOOR = `SELECT
    CAST(max(FROM_ADDRESS) AS VARCHAR) AS a, CAST(max(TO_ADDRESS) AS VARCHAR) AS b,
    CAST(sum(TRANSACTION_FEE) AS VARCHAR) AS c, CAST(sum(EFFECTIVE_GAS_PRICE_GWEI) AS VARCHAR) AS d,
    CAST(sum(GAS_USED) AS VARCHAR) AS e, CAST(sum(TRANSACTION_TYPE) AS VARCHAR) AS f,
    CAST(sum(STATUS) AS VARCHAR) AS g, CAST(sum(L1_FEE) AS VARCHAR) AS h
  FROM base_transactions`;

/** Runs SQL on the made-up day, whose result has one row. */
async function runSql(folder: string, sql: string): Promise<void> {
  const engine = await createDuckDbEngine({ folder });
  const rows = await engine.run({ sql, tables: tablesIn(folder) }, new AbortController().signal);
  if (rows.length !== 1) throw new Error(`${rows.length} rows instead of one`);
}

/** The steps by name. A step that measures something else than its time resolves to it. */
const STEPS: { readonly [step: string]: (folder: string, argument: string) => Promise<unknown> } = {
  write: (folder, transactions) => writeMadeUpDay(folder, Number(transactions)),
  floor: (folder) => runSql(folder, FLOOR),
  async query(folder) {
    const { text } = await readQuery('base');
    await runSql(folder, fillQuery(text, { first: MADE_UP_DATE, last: MADE_UP_DATE }));
  },
  bytes: measureBytesRead,
  'write-ledger': writeLedger,
  ledger: rewriteLedger,
};

const [name = '', folder = '.', argument = ''] = process.argv.slice(2);
const step = STEPS[name];
if (step === undefined) throw new RangeError(`no step ${name}`);
const startedMs = performance.now();
const measured = await step(folder, argument);
process.stdout.write(String(typeof measured === 'number' ? measured : performance.now() - startedMs));
