import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeWheel } from '../../../generator/core/artifacts/python-wheel.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { CHAIN_IDS, LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { calendarPath, manifestPath, wheelPath, objectKey } from '../../../schemas/paths.js';
import type { Chain } from '../../../schemas/types.generated.js';
import {
  startNotebookRunner,
  printedBy,
  tablesOf,
  type NotebookRun,
  type NotebookRunner,
} from '../../support/clients/notebook-runner.js';
import {
  runGatewayProcess,
  startGatewayProcess,
  type GatewayProcess,
} from '../../support/gateway/gateway-process.js';
import { hasSecret, startObjectHost, type ObjectHost } from '../../support/s3/object-host.js';
import {
  digestOf,
  prepareServedRelease,
  serveStore,
  type ServedRelease,
} from '../../support/gateway/served-release.js';
import { publishSample } from '../../support/release/published-sample.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { metricsCsv, sourcesJson, writeInput } from '../../support/release/small-input.js';

/** A release with its gateway and the host of its files. */
type NotebookScene = {
  readonly release: ServedRelease;
  readonly host: ObjectHost;
  readonly gateway: GatewayProcess;
  readonly dispose: () => Promise<void>;
};

/** The columns of a calendar that the notebook uses. */
type CalendarRow = {
  readonly date: string;
  readonly regime: string;
  readonly since: string;
  readonly status: string;
  readonly costScore: string;
};

/** Starts a gateway on a release, and a host of its files. */
async function startNotebookScene(release: ServedRelease): Promise<NotebookScene> {
  const host = await startObjectHost(release.store);
  const gateway = await startGatewayProcess({ ...release.env, CRD_PUBLIC_BASE_URL: host.endpoint });
  return {
    release,
    host,
    gateway,
    async dispose() {
      await Promise.all([gateway.stop(), host.dispose()]);
    },
  };
}

/** Writes an input of one day, of three days, and of 240 days with missing rows and cells. */
function writeIrregularInput(folder: string): Promise<string> {
  const rows = metricsCsv('base', 240).replace(/^2025-05-(0[3-9]|1\d),.*\n/gm, '');
  return writeInput(folder, {
    'bitcoin.csv': metricsCsv('bitcoin', 1),
    'arbitrum.csv': metricsCsv('arbitrum', 3),
    'base.csv': rows.replace(/^(2025-07-\d\d),.*$/gm, '$1,,,,'),
    'sources.json': sourcesJson(['bitcoin', 'arbitrum', 'base']),
  });
}

/** Returns the rows of a chain's calendar. */
async function calendarOf({ release }: NotebookScene, chain: Chain): Promise<CalendarRow[]> {
  const object = await release.store.get(objectKey(await digestOf(release, calendarPath(chain))));
  const [header = '', ...lines] = Buffer.from(object?.bytes ?? [])
    .toString()
    .trim()
    .split('\n');
  const columns = header.split(',');
  return lines.map((line) => {
    const cell = (name: string): string => line.split(',')[columns.indexOf(name)] ?? '';
    return {
      date: cell('date'),
      regime: cell('regime'),
      since: cell('regime_since'),
      status: cell('status'),
      costScore: cell('cost_score'),
    };
  });
}

/** A run of a label: its first date, its length, and the label of the run after it. */
type LabelRun = {
  readonly since: string;
  readonly regime: string;
  readonly days: number;
  readonly next: string | undefined;
};

/** Returns the runs of a calendar. */
function runsOf(rows: readonly CalendarRow[]): LabelRun[] {
  const starts = rows.filter(({ date, since }) => date === since);
  return starts.map(({ since, regime }, i) => ({
    since,
    regime,
    days: rows.filter((row) => row.since === since).length,
    next: starts[i + 1]?.regime,
  }));
}

const INSTALL_MS = 300_000;
const SLOW_MS = 300_000;
/** Number of missing days of the irregular input. */
const MISSING_DAYS = 17;
/** Number of runs from which on a mean has an interval. */
const LEAST_RUNS = 5;
const LABELS = Object.keys(LABEL_MEANINGS).filter((label) => label !== 'indeterminate');

let runner: NotebookRunner;
let folder: TemporaryFolder;
let sample: NotebookScene;
let irregular: NotebookScene;
beforeAll(async () => {
  runner = await startNotebookRunner();
  folder = await createTemporaryFolder();
  const inFolder = (name: string): string => path.join(folder.path, name);
  const accounts = (name: string): string => `file:${inFolder(`accounts-${name}`)}`;
  sample = await startNotebookScene(
    await serveStore({ store: `file:${await publishSample()}`, accounts: accounts('sample') }),
  );
  irregular = await startNotebookScene(
    await prepareServedRelease({
      store: `file:${inFolder('store')}`,
      accounts: accounts('irregular'),
      folder: await writeIrregularInput(inFolder('input')),
      asOf: '2025-09-01T00:00:00Z',
    }),
  );
}, INSTALL_MS);
afterEach(() => [sample, irregular].forEach(({ host }) => host.takeRequests()));
afterAll(async () => {
  await Promise.all([sample.dispose(), irregular.dispose(), runner.dispose()]);
  await folder.dispose();
}, SLOW_MS);

/** Runs the notebook with a key and without; on the sample of ethereum, the default chain, in a new kernel each. */
async function runBoth(scene: NotebookScene, chain: Chain): Promise<[NotebookRun, NotebookRun]> {
  const run = scene === sample && chain === 'ethereum' ? runner.runFresh : runner.run;
  const settings = { CRD_BASE_URL: scene.gateway.url, CHAIN: chain };
  return [await run({ ...settings, CRD_API_KEY: scene.release.key }), await run(settings)];
}

/** Asserts that all cells ran without errors and warnings, drew two pictures, and did not output the key. */
function expectGood(run: NotebookRun, { release }: NotebookScene): void {
  expect(run.error).toBeNull();
  expect(run.cells.map(({ execution_count }) => execution_count)).toEqual(run.cells.map((_, i) => i + 1));
  const outputs = run.cells.flatMap((cell) => cell.outputs);
  const kinds = outputs.map(({ output_type, name }) => name ?? output_type);
  expect(new Set(kinds)).toEqual(new Set(['stdout', 'display_data', 'execute_result']));
  expect(outputs.filter(({ data }) => data?.['image/png'] !== undefined)).toHaveLength(2);
  expect(run.text).not.toContain(release.key);
}

/** Asserts that the lengths and successors of runs are those of the calendar. */
function expectRuns(run: NotebookRun, rows: readonly CalendarRow[]): void {
  const runs = runsOf(rows);
  const [lengths] = tablesOf(run, 'lengths');
  const [transitions] = tablesOf(run, 'transitions');
  for (const label of LABELS) {
    const days = runs.slice(1, -1).flatMap((each) => (each.regime === label ? [each.days] : []));
    const row = lengths?.get(label);
    expect([label, row?.['runs']]).toEqual([label, String(days.length)]);
    expectMean(row, days);
    if (days.length > 0) expect(Number(row?.['longest'])).toBe(Math.max(...days));
    const next = runs.flatMap((each) =>
      each.regime === label && each.next !== undefined ? [each.next] : [],
    );
    const { runs: count, ...shares } = transitions?.get(label) ?? {};
    expect([label, count]).toEqual([label, String(next.length)]);
    for (const [name, text] of Object.entries(shares)) {
      const share = (100 * next.filter((each) => each === name).length) / next.length || 0;
      expect(Math.abs(share - Number.parseFloat(text === '' ? '0' : text))).toBeLessThanOrEqual(0.5);
      expect([label, name, text.includes('(')]).toEqual([
        label,
        name,
        share > 0 && next.length >= LEAST_RUNS,
      ]);
    }
  }
}

/** Asserts that a row of a table has the mean of these values, and an interval around it if there are enough. */
function expectMean(row: Readonly<Record<string, string>> | undefined, values: readonly number[]): void {
  const [mean = NaN, low = NaN, high = NaN] = ['mean', 'low_95', 'high_95'].map((name) =>
    Number(row?.[name]),
  );
  if (values.length === 0) expect(mean).toBeNaN();
  else expect(Math.abs(sum(values) / values.length - mean)).toBeLessThan(0.06);
  const hasInterval = Number(row?.['runs']) >= LEAST_RUNS;
  if (hasInterval) expect(low <= mean && mean <= high).toBe(true);
  else expect([low, high]).toEqual([NaN, NaN]);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('the starter notebook', () => {
  it(
    'installs the client from the wheel of the service',
    async () => {
      expectGood(await runner.run({ CRD_BASE_URL: sample.gateway.url, CHAIN: 'base' }), sample);
      const { name } = makeWheel((await readProductTexts()).python);
      const info = `${name.split('-').slice(0, 2).join('-')}.dist-info`;
      const source = await readFile(path.join(runner.client, info, 'direct_url.json'), 'utf8');
      expect(JSON.parse(source)).toMatchObject({ url: sample.gateway.url + wheelPath(name) });
    },
    SLOW_MS,
  );

  it.each(CHAIN_IDS)(
    'runs on the sample of %s, with a key and without',
    async (chain) => {
      const [withKey, without] = await runBoth(sample, chain);
      const requests = sample.host.takeRequests();
      const rows = await calendarOf(sample, chain);
      // Published on 2023-09-27: the last seven days were in time.
      const summary = `${chain}: ${rows.length} days, ${rows.length - 7} of them backfilled, 7 published in time\n`;
      for (const run of [withKey, without]) {
        expectGood(run, sample);
        expectRuns(run, rows);
        expect(printedBy(run)).toContain(summary);
      }
      const manifest = await digestOf(sample.release, manifestPath('meta', chain));
      expect(printedBy(withKey)).toContain(`SHA-256 ${manifest}\n`);
      expect(printedBy(without)).toContain(
        `SHA-256 ${await digestOf(sample.release, calendarPath(chain))}\n`,
      );
      expect(printedBy(without)).toContain('(api-key-missing)');
      const [fees] = tablesOf(without, 'fees');
      for (const label of LABELS) {
        const days = rows.filter(({ regime, costScore }) => regime === label && costScore !== '');
        expectMean(
          fees?.get(label),
          days.map(({ costScore }) => Number(costScore)),
        );
      }
      // The labels of the last seven days were published after the ends of the days that follow them.
      expect(printedBy(withKey)).toContain('359 of 365 rows have a regime, 359 of them backfilled\n');
      expect(printedBy(without)).toContain('365 of 365 rows have a regime, 359 of them backfilled\n');
      expect(requests.filter((request) => hasSecret(request, sample.release.key))).toEqual([]);
    },
    SLOW_MS,
  );

  it.each([
    ['one day', 'bitcoin', 1],
    ['three days', 'arbitrum', 3],
    ['missing and indeterminate days', 'base', 240],
  ] as const)(
    'runs on a calendar of %s',
    async (_what, chain, days) => {
      const runs = await runBoth(irregular, chain);
      const rows = await calendarOf(irregular, chain);
      expect(rows).toHaveLength(days);
      for (const run of runs) {
        expectGood(run, irregular);
        expectRuns(run, rows);
      }
      const missing = rows.filter(({ status }) => status === 'missing').length;
      expect(missing).toBe(chain === 'base' ? MISSING_DAYS : 0);
    },
    SLOW_MS,
  );

  it(
    'reads the public calendar with a key whose plan has no archive, and names the plan',
    async () => {
      const { env } = irregular.release;
      const account = ['--account', 'a-lesser-reader'];
      const grant = [
        '--plan',
        'single-chain',
        '--chain',
        'base',
        '--until',
        '2999-12-31',
        '--reason',
        'a test',
      ];
      await runGatewayProcess(['grant', ...account, ...grant], env);
      const key = (await runGatewayProcess(['keys', 'create', ...account], env)).stdout.trim();
      const settings = { CRD_BASE_URL: irregular.gateway.url, CHAIN: 'base', CRD_API_KEY: key };
      const run = await runner.run(settings);
      expectGood(run, irregular);
      expect(printedBy(run)).toMatch(/^Without the archive, .*Research.* \(not-entitled\)\n/);
    },
    SLOW_MS,
  );
});

it(
  'a warning stops a notebook in these tests',
  async () => {
    // So a run without an error had no warning.
    const cell = { cell_type: 'code', execution_count: null, id: 'warn', metadata: {}, outputs: [] };
    const source = ['import warnings\n', "warnings.warn('beware', DeprecationWarning)"];
    const file = path.join(folder.path, 'warning.ipynb');
    const notebook = { cells: [{ ...cell, source }], metadata: {}, nbformat: 4, nbformat_minor: 5 };
    await writeFile(file, JSON.stringify(notebook));
    expect((await runner.run({}, file)).error).toMatch(/DeprecationWarning: beware/);
  },
  SLOW_MS,
);
