/**
 * A step of the bench in a process of its own: `write`, `floor` or `query`, a folder, and for `write` a number of
 * transactions. Prints the milliseconds that it took.
 */
import { fillQuery, readQuery } from '../../../schemas/queries.js';
import { createDuckDbEngine } from '../../../generator/engines/duckdb-engine.js';
import { MADE_UP_DATE, tablesIn, writeMadeUpDay } from './made-up-day.js';

/** Reads the columns of the query, and does next to nothing with them. */
const FLOOR = `SELECT
    CAST(max(FROM_ADDRESS) AS VARCHAR) AS a, CAST(max(TO_ADDRESS) AS VARCHAR) AS b,
    CAST(sum(TRANSACTION_FEE) AS VARCHAR) AS c, CAST(sum(EFFECTIVE_GAS_PRICE_GWEI) AS VARCHAR) AS d,
    CAST(sum(GAS_USED) AS VARCHAR) AS e, CAST(sum(TRANSACTION_TYPE) AS VARCHAR) AS f,
    CAST(sum(STATUS) AS VARCHAR) AS g, CAST(sum(L1_FEE) AS VARCHAR) AS h
  FROM base_transactions`;

const [step, folder = '.', transactions = '0'] = process.argv.slice(2);
const startedMs = performance.now();
if (step === 'write') await writeMadeUpDay(folder, Number(transactions));
else {
  const { text } = await readQuery('base');
  const sql = step === 'floor' ? FLOOR : fillQuery(text, { first: MADE_UP_DATE, last: MADE_UP_DATE });
  const engine = await createDuckDbEngine({ folder });
  const rows = await engine.run({ sql, tables: tablesIn(folder) }, new AbortController().signal);
  if (rows.length !== 1) throw new Error(`${rows.length} rows instead of one`);
}
process.stdout.write(String(performance.now() - startedMs));
