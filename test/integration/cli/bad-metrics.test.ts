import { CHAIN_IDS, CHAINS, metricsOf } from '../../../schemas/catalog.js';
import { bundlePath } from '../../../schemas/paths.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { toSentence } from '../../support/bad-input/to-sentence.js';
import { createStoreEditor, readListed } from '../../support/release/edit-store.js';
import { runInProcess } from '../../support/process/generator-run.js';
import {
  expectNothingPublished,
  expectRefused,
  usePublishBatch,
  type Publish,
  type PublishOutcome,
} from '../../support/bad-input/publish-batch.js';
import { sourcesJson } from '../../support/release/small-input.js';

/** A metrics file with one fault: its text, and the position (`:line:column`), description and remedy of the fault. */
type BadMetrics = {
  readonly name: string;
  readonly csv: (chain: Chain) => string | Uint8Array;
  readonly at: string;
  readonly what: (chain: Chain) => string;
  readonly remedy: (chain: Chain) => string;
  /** True if the description ends with the words of the parser, which are not compared. */
  readonly endsWithParserMessage?: true;
};

const HEADER = 'date,tx_count,fee_median\n';
const VALID = '2025-01-01,300000,0.00005\n';
const has = (chain: Chain): string => `${CHAINS[chain].name} has ${metricsOf(chain).join(', ')}`;
/** A metric that the chain does not support. */
const foreign = (chain: Chain): string => (chain === 'bitcoin' ? 'gas_used' : 'hash_rate');
const badMetrics =
  (csv: string | Uint8Array) =>
  (name: string, at: string, what: string, remedy: string): BadMetrics => ({
    name,
    csv: () => csv,
    at,
    what: () => what,
    remedy: () => remedy,
  });

/** Names of the variants in `MORE_BAD_METRICS`, which are tested without a process. */
const EXTRA: ReadonlySet<string> = new Set([
  'a column without a name',
  'the price or fiat column CapMrktCurUSD',
  'the price or fiat column fees_total_eur',
  'the date twice',
  'a comma within an unquoted number',
  ...['01/02/2025', '2025-01-02T00:00:00Z', ' 2025-01-02'].map((date) => `the date "${date}"`),
  ...['-0.5', '-1e3', 'NaN', '-Infinity'].map((text) => `the number ${text}`),
  ...['1 000', ' 1', '1e', '1_000', '+1', '1.2.3', 'null', 'true', '½'].map((text) => `the number ${text}`),
  ...['1e16', '9007199254740992.5'].map((text) => `the number ${text}`),
  'a last byte that is not UTF-8',
  'text after a closing quote',
]);

const COLUMN_FAULTS: readonly BadMetrics[] = [
  {
    name: 'an unknown column',
    csv: () => 'date,tx_cout\n2025-01-01,1\n',
    at: ':1:2',
    what: () => 'column "tx_cout" is unknown',
    remedy: (chain) => `remove or rename it; ${has(chain)}`,
  },
  {
    name: 'a column without a name',
    csv: () => 'date,tx_count,\n2025-01-01,1,1\n',
    at: ':1:3',
    what: () => 'column "" is unknown',
    remedy: (chain) => `remove or rename it; ${has(chain)}`,
  },
  {
    name: 'a metric that the chain does not support',
    csv: (chain) => `date,tx_count,${foreign(chain)}\n2025-01-01,1,1\n`,
    at: ':1:3',
    what: (chain) => `column "${foreign(chain)}" is not supported on ${chain}`,
    remedy: (chain) => `remove it; ${has(chain)}`,
  },
  ...['PriceUSD', 'CapMrktCurUSD', 'fees_total_eur'].map((column) =>
    badMetrics(`date,${column},tx_count\n2025-01-01,1,1\n`)(
      `the price or fiat column ${column}`,
      ':1:2',
      `column "${column}" looks like a price or a fiat value, and this service carries neither (product boundary)`,
      'remove the column',
    ),
  ),
  badMetrics('date,tx_count,fee_median,tx_count\n2025-01-01,1,1,1\n')(
    'a metric twice',
    ':1:4',
    'column "tx_count" appears twice',
    'keep one of them',
  ),
  badMetrics('date,tx_count,date\n2025-01-01,1,2025-01-01\n')(
    'the date twice',
    ':1:3',
    'column "date" appears twice',
    'keep one of them',
  ),
  ...[
    [';', 'semicolons'],
    ['\t', 'tabs'],
    ['|', 'vertical bars'],
  ].map(([sign = '', name = '']) =>
    badMetrics(`date${sign}tx_count\n2025-01-01${sign}1\n`)(
      `columns separated by ${name}`,
      ':1',
      `its columns are separated by ${name}`,
      'separate them by commas',
    ),
  ),
  badMetrics('tx_count,fee_median\n300000,0.00005\n')(
    'no date',
    ':1:1',
    'no column "date"',
    'start the file with a header row: date, then metrics',
  ),
];

const ROW_FAULTS: readonly BadMetrics[] = [
  ...[
    ['a short row', '2025-01-02,1', 'short row: 2 cells where the header has 3'],
    ['a long row', '2025-01-02,1,1,', 'long row: 4 cells where the header has 3'],
    ['a comma within an unquoted number', '2025-01-02,1,000,1', 'long row: 4 cells where the header has 3'],
  ].map(([name = '', row = '', what = '']) =>
    badMetrics(`${HEADER}${VALID}${row}\n`)(
      name,
      ':3',
      what,
      'give the row one cell per column; an empty cell means missing',
    ),
  ),
  ...['301000.5', '1.0000000000000000001', '5e-1', '3010005e-1', '.5'].map((count) =>
    badMetrics(`${HEADER}${VALID}2025-01-02,${count},1\n`)(
      `the count ${count}`,
      ':3:2',
      `tx_count "${count}" is not a whole number`,
      'write a whole number of transactions, or leave the cell empty when the value is missing',
    ),
  ),
  ...['2025-02-30', '2025-2-3', '', '01/02/2025', '2025-01-02T00:00:00Z', ' 2025-01-02'].map((date) =>
    badMetrics(`${HEADER}${VALID}${date},1,1\n`)(
      `the date "${date}"`,
      ':3:1',
      `date "${date}" does not exist`,
      'write a UTC day as YYYY-MM-DD',
    ),
  ),
  badMetrics(`${HEADER}${VALID}${VALID}`)(
    'a date twice',
    ':3:1',
    'date 2025-01-01 appears twice',
    'list each date once, in ascending order',
  ),
  badMetrics(`${HEADER}2025-01-02,1,1\n${VALID}`)(
    'a date that descends',
    ':3:1',
    'date 2025-01-01 comes after 2025-01-02',
    'list each date once, in ascending order',
  ),
  badMetrics(`${HEADER}${VALID}2025-03-10,1,1\n`)(
    'a day that has not ended at the as-of',
    ':3:1',
    'date 2025-03-10 has not ended at 2025-03-10T00:00:00Z',
    'remove the row, or run with a later --as-of',
  ),
];

const EMPTY = 'or leave the cell empty when the value is missing';
const NUMBER_FAULTS: readonly BadMetrics[] = [
  ...['-1', '-0.5', '-1e3'].map((text) => [
    text,
    'is negative',
    `metrics are never negative: correct it, ${EMPTY}`,
  ]),
  ...['nan', 'NaN', 'inf', '-Infinity', '1e999'].map((text) => [
    text,
    'is not finite',
    `write a finite number, ${EMPTY}`,
  ]),
  ...['abc', '0x10', '1 000', ' 1', '1e', '1_000', '+1', '1.2.3', 'null', 'true', '½'].map((text) => [
    text,
    'is not a number',
    `write a decimal such as 12.5 or 9.44e-07, ${EMPTY}`,
  ]),
  ...['9007199254740993', '9.007199254740993e15', '1e16', '9007199254740992.5'].map((text) => [
    text,
    'is above 2^53 and cannot be read exactly',
    'check the unit of the column',
  ]),
].map(([text = '', what = '', remedy = '']) =>
  badMetrics(`${HEADER}${VALID}2025-01-02,${text},1\n`)(
    `the number ${text}`,
    ':3:2',
    `tx_count "${text.replace('½', '?')}" ${what}`, // faults quote input in ASCII
    remedy,
  ),
);

const CSV = 'fix the row: RFC 4180, comma-separated, quotes only around a whole cell';
const FILE_FAULTS: readonly BadMetrics[] = [
  badMetrics(`${HEADER}${VALID}2025-01-02,"1,000",1\n`)(
    'a quoted number with a comma',
    ':3:2',
    'tx_count "1,000" is not a number',
    `write a decimal such as 12.5 or 9.44e-07, ${EMPTY}`,
  ),
  badMetrics(HEADER)(
    'a header and no row',
    '',
    'the file has no rows',
    'add at least one date, or remove the file to keep the published state',
  ),
  badMetrics('')(
    'nothing',
    '',
    'the file is empty',
    'start the file with the header row: date, then metrics',
  ),
  badMetrics(Buffer.from(`${HEADER}${VALID}2025-01-02,1\xe9,1\n`, 'latin1'))(
    'a byte that is not UTF-8',
    ':3',
    'the text is not UTF-8',
    'save the file as UTF-8',
  ),
  badMetrics(Buffer.from(`${HEADER}${VALID}2025-01-02,1,1\xe9`, 'latin1'))(
    'a last byte that is not UTF-8',
    ':3',
    'the text is not UTF-8',
    'save the file as UTF-8',
  ),
  badMetrics(`${HEADER}${VALID}2025-01-02,300000,19.09317960129`)(
    'a last cell that was cut',
    ':3',
    'the last line has no line end, so the file may be cut off',
    'copy the whole file again, or end the line with a line break',
  ),
  ...[
    ['a quote that is not closed', '"1,1'],
    ['text after a closing quote', '"1"x,1'],
  ].map(([name = '', cells = '']) => ({
    ...badMetrics(`${HEADER}${VALID}2025-01-02,${cells}\n2025-01-03,1,1\n`)(name, ':3', 'not CSV', CSV),
    endsWithParserMessage: true as const,
  })),
];

const ALL_BAD_METRICS: readonly BadMetrics[] = [
  ...COLUMN_FAULTS,
  ...ROW_FAULTS,
  ...NUMBER_FAULTS,
  ...FILE_FAULTS,
];

/** Every kind of bad metrics file. For valid ones see "Input" in generator/README.md. */
const BAD_METRICS: readonly BadMetrics[] = ALL_BAD_METRICS.filter(({ name }) => !EXTRA.has(name));

/** More variants of the same kinds. */
const MORE_BAD_METRICS: readonly BadMetrics[] = ALL_BAD_METRICS.filter(({ name }) => EXTRA.has(name));

const publishWithBuiltProgram = usePublishBatch();
/** Runs the additional cases within this process, which is faster than a new process for each. */
const publishInThisProcess = usePublishBatch(runInProcess);

/** Publishes the cases in groups of four: each run has one case for each chain. */
function publishInFours<T>(
  name: string,
  cases: readonly T[],
  csv: (each: T, chain: Chain) => string | Uint8Array,
  publish: Publish = publishWithBuiltProgram,
): (i: number) => { readonly chain: Chain; readonly outcome: PublishOutcome } {
  const chainOf = (i: number): Chain => CHAIN_IDS[i % 4] ?? 'bitcoin';
  const runs = Array.from({ length: Math.ceil(cases.length / 4) }, (_, run) => {
    const four = cases.slice(4 * run, 4 * run + 4);
    const files = four.map((each, i) => [`${chainOf(i)}.csv`, csv(each, chainOf(i))] as const);
    const sources = { 'sources.json': sourcesJson(CHAIN_IDS) };
    return publish(`${name}-${run}`, [{ files: { ...Object.fromEntries(files), ...sources } }]);
  });
  return (i) => {
    const outcome = runs[Math.floor(i / 4)]?.()[0];
    if (outcome === undefined) throw new Error(`case ${i} of ${name} did not run`);
    return { chain: chainOf(i), outcome };
  };
}

/** Asserts that the file of the chain has only this fault. */
function expectFault(outcome: PublishOutcome, bad: BadMetrics, chain: Chain): void {
  const lines = outcome.faults.filter((line) => line.startsWith(`${chain}.csv`));
  const shown = bad.endsWithParserMessage
    ? lines.map((line) => line.replace(/(?<=: not CSV).*(?=\. Fix the row)/, ''))
    : lines;
  expect(shown).toEqual([`${chain}.csv${bad.at}: ${bad.what(chain)}. ${toSentence(bad.remedy(chain))}`]);
  expectRefused(outcome, chain);
}

describe('publish refuses, with place, fault and remedy, a metrics file with', () => {
  const run = publishInFours('bad', BAD_METRICS, ({ csv }, chain) => csv(chain));

  it.each(BAD_METRICS.map((bad, i) => [bad.name, i, bad] as const))('%s', (_name, i, bad) => {
    const { chain, outcome } = run(i);
    expectFault(outcome, bad, chain);
    expectNothingPublished(outcome);
  });

  const runWithin = publishInFours(
    'more',
    MORE_BAD_METRICS,
    ({ csv }, chain) => csv(chain),
    publishInThisProcess,
  );

  it.each(MORE_BAD_METRICS.map((bad, i) => [bad.name, i, bad] as const))('%s', (_name, i, bad) => {
    const { chain, outcome } = runWithin(i);
    expectFault(outcome, bad, chain);
  });
});

type GoodMetrics = {
  readonly name: string;
  readonly csv: string;
  readonly values: readonly (number | null)[];
};

const GOOD_METRICS: readonly GoodMetrics[] = [
  { name: 'CRLF line ends', csv: 'date,tx_count\r\n2025-01-01,1\r\n2025-01-02,2\r\n', values: [1, 2] },
  { name: 'quoted cells', csv: '"date","tx_count"\n"2025-01-01","1"\n2025-01-02,"2"\n', values: [1, 2] },
  {
    name: 'exponents',
    csv: 'date,tx_count\n2025-01-01,9.440e+02\n2025-01-02,1E3\n2025-01-03,0.00e9\n',
    values: [944, 1000, 0],
  },
  {
    name: 'decimals',
    csv: 'date,tx_count\n2025-01-01,.5e1\n2025-01-02,2.\n2025-01-03,007\n2025-01-04,5.00\n',
    values: [5, 2, 7, 5],
  },
  {
    name: 'an empty cell',
    csv: 'date,tx_count,fee_median\n2025-01-01,,1\n2025-01-02,2,1\n',
    values: [null, 2],
  },
  {
    name: 'a row of empty cells',
    csv: 'date,tx_count,fee_median\n2025-01-01,1,1\n2025-01-02,,\n',
    values: [1, null],
  },
  { name: 'a byte order mark', csv: '\ufeffdate,tx_count\n2025-01-01,1\n', values: [1] },
  { name: 'columns in any order', csv: 'tx_count,date,fee_median\n1,2025-01-01,9\n', values: [1] },
  {
    name: 'exactly 2^53, and zero',
    csv: 'date,tx_count\n2025-01-01,9007199254740992\n2025-01-02,9.007199254740992e15\n2025-01-03,0\n',
    values: [2 ** 53, 2 ** 53, 0],
  },
  { name: 'a date without a row', csv: 'date,tx_count\n2025-01-01,1\n2025-01-03,3\n', values: [1, null, 3] },
  { name: 'the day that ended at the as-of', csv: 'date,tx_count\n2025-03-09,1\n', values: [1] },
];

describe('publish accepts, and publishes unchanged, a metrics file with', () => {
  const run = publishInFours('good', GOOD_METRICS, ({ csv }) => csv, publishInThisProcess);

  it.each(GOOD_METRICS.map((good, i) => [good.name, i, good] as const))(
    '%s',
    async (_name, i, { values }) => {
      const { chain, outcome } = run(i);
      const { code, stdout, stderr, root } = outcome;
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
      const bundle = await readListed(createStoreEditor(root), bundlePath('gold', chain, '365d'), 'bundle');
      expect(bundle.days).toMatchObject(values.map((tx_count) => ({ metrics: { tx_count } })));
      expect(bundle.days).toHaveLength(values.length);
    },
  );
});
