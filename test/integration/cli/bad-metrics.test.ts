import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { bundlePath } from '../../../schemas/paths.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { BAD_METRICS, MORE_BAD_METRICS, type BadMetrics } from '../../support/bad-input/bad-metrics.js';
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
  { name: 'exponents', csv: 'date,tx_count\n2025-01-01,9.44e-07\n2025-01-02,1E3\n', values: [9.44e-7, 1000] },
  {
    name: 'decimals',
    csv: 'date,tx_count\n2025-01-01,.5\n2025-01-02,2.\n2025-01-03,007\n',
    values: [0.5, 2, 7],
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
