import type { Kit } from '../readers/readers.js';

/** Engines with packages, by the program that runs them. PGlite is PostgreSQL 18 in WebAssembly; chdb is ClickHouse 26.9. */
export const ENGINE_KITS: readonly Kit[] = [
  {
    name: 'python',
    readers: { duckdb: '2.0.1', polars: '2.1.0', datafusion: '55.0.0', chdb: '4.4.0', pyspark: '4.1.4' },
    install: (pins) => [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/pip', 'install', '--quiet', '--prefer-binary', ...pins.map((pin) => pin.join('=='))],
    ],
    read: ['venv/bin/python', 'run.py'],
  },
  {
    name: 'npm',
    readers: { '@electric-sql/pglite': '0.5.17' },
    install: (pins) => {
      const options = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', '.'];
      return [['npm', 'install', ...options, ...pins.map((pin) => pin.join('@'))]];
    },
    read: ['node', 'run.mjs'],
  },
];

/** The row of the table `habits`, as DuckDB writes it. */
export const HABITS_ROW = `SELECT 1e23::DOUBLE AS huge, 9.3e18::DOUBLE AS large, 2.5::DOUBLE AS half, 1e-7::DOUBLE AS small, 9223372036854775807 AS most, 7 AS seven,
  CAST('90000000000000000000' AS DECIMAL(38,0)) AS wide`;

/** What engines do in different ways, and most of them without a word. `sql` gives one text or null. */
export const HABITS: readonly { readonly habit: string; readonly sql: string }[] = [
  ['sum of no rows', 'SELECT CAST(sum(seven) AS VARCHAR(100)) AS v FROM habits WHERE seven = 8'],
  [
    'left join without a match',
    'SELECT CAST(b.seven AS VARCHAR(100)) AS v FROM habits LEFT JOIN (SELECT seven FROM habits WHERE seven = 8) b ON b.seven = habits.seven',
  ],
  ['wide * wide, 40 digits', 'SELECT CAST(wide * wide AS VARCHAR(100)) AS v FROM habits'],
  ['2^63 - 1, plus 1', 'SELECT CAST(most + 1 AS VARCHAR(100)) AS v FROM habits'],
  ['9.3e18 as BIGINT', 'SELECT CAST(CAST(large AS BIGINT) AS VARCHAR(100)) AS v FROM habits'],
  ['1e23 as DECIMAL(38,0)', 'SELECT CAST(CAST(huge AS DECIMAL(38,0)) AS VARCHAR(100)) AS v FROM habits'],
  ['2.5 as BIGINT', 'SELECT CAST(CAST(half AS BIGINT) AS VARCHAR(100)) AS v FROM habits'],
  ['round(2.5)', 'SELECT CAST(CAST(round(half) AS BIGINT) AS VARCHAR(100)) AS v FROM habits'],
  ['7 / 2', 'SELECT CAST(seven / 2 AS VARCHAR(100)) AS v FROM habits'],
  ['1e-7 as text', 'SELECT CAST(small AS VARCHAR(100)) AS v FROM habits'],
  ["'ab' as VARCHAR(1)", "SELECT CAST('ab' AS VARCHAR(1)) AS v FROM habits"],
].map(([habit = '', sql = '']) => ({ habit, sql }));
