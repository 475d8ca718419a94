import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS, LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import { bundlePath, calendarPath, OBJECTS_PATH } from '../../../schemas/paths.js';
import type { Chain } from '../../../schemas/types.generated.js';
import {
  countsIn,
  startNotebookRunner,
  printedBy,
  tablesOf,
  type NotebookRun,
  type NotebookRunner,
} from '../../support/clients/notebook-runner.js';
import {
  calendarOf,
  countsOf,
  inBundle,
  inCalendar,
  startNotebookScene,
  startRedirector,
  writeIrregularInput,
  type Damage,
  type NotebookScene,
} from '../../support/clients/notebook-scene.js';
import { hasSecret } from '../../support/s3/object-host.js';
import { digestOf, prepareServedRelease, serveStore } from '../../support/gateway/served-release.js';
import { publishSample } from '../../support/release/published-sample.js';
import { FIRST_DATE } from '../../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 120_000;
/** Number of missing days of the irregular input. */
const MISSING_DAYS = 17;
const LABELS = Object.keys(LABEL_MEANINGS);

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
afterEach(() => {
  for (const { host, damage } of [sample, irregular]) {
    damage((bytes) => bytes);
    host.takeRequests();
  }
});
afterAll(async () => {
  await Promise.all([sample.dispose(), irregular.dispose(), runner.dispose()]);
  await folder.dispose();
}, SLOW_MS);

/** Runs the notebook with a key and without; on the sample of ethereum, the default chain, in a new kernel each. */
async function runBoth(scene: NotebookScene, chain: Chain): Promise<[NotebookRun, NotebookRun]> {
  const run = scene === sample && chain === 'ethereum' ? runner.runFresh : runner.run;
  const settings = { GATEWAY: scene.gateway.url, CHAIN: chain };
  return [await run({ ...settings, API_KEY: scene.release.key }), await run(settings)];
}

/** Asserts that all cells ran without errors and warnings, drew one picture, and did not output the key. */
function expectGood(run: NotebookRun, { release }: NotebookScene): void {
  expect(run.error).toBeNull();
  expect(run.cells.map(({ execution_count }) => execution_count)).toEqual(run.cells.map((_, i) => i + 1));
  const outputs = run.cells.flatMap((cell) => cell.outputs);
  const kinds = outputs.map(({ output_type, name }) => name ?? output_type);
  expect(new Set(kinds)).toEqual(new Set(['stdout', 'display_data']));
  expect(outputs.filter(({ data }) => data?.['image/png'] !== undefined)).toHaveLength(1);
  expect(run.text).not.toContain(release.key);
}

/** Asserts that a run failed in a cell with that error, and ran no cell after it. */
function expectStop(run: NotebookRun, id: string, message: RegExp): void {
  expect(run.error).toMatch(message);
  const ended = run.cells.findIndex((cell) => cell.id === id);
  expect(run.cells[ended]?.outputs.map(({ output_type }) => output_type)).toContain('error');
  expect(run.cells.slice(ended + 1).flatMap(({ outputs }) => outputs)).toEqual([]);
}

describe('the starter notebook', () => {
  it.each(CHAIN_IDS)(
    'runs on the sample of %s, with a key and without',
    async (chain) => {
      const [withKey, without] = await runBoth(sample, chain);
      const requests = sample.host.takeRequests();
      const rows = await calendarOf(sample, chain);
      const digest = await digestOf(sample.release, calendarPath(chain));
      for (const run of [withKey, without]) {
        expectGood(run, sample);
        expect(countsIn(run)).toEqual(countsOf(rows));
        expect(printedBy(run)).toContain(`SHA-256 of the calendar: ${digest}\n`);
      }
      const bundle = await digestOf(sample.release, bundlePath('gold', chain, '90d'));
      expect(printedBy(withKey)).toContain(`SHA-256 from the gateway: ${bundle}\n90 days of `);
      const [gold] = tablesOf(withKey, 'subscriber');
      const shown = [...(gold?.values() ?? [])].map(({ date, regime }) => ({ date, regime }));
      expect(shown).toEqual(rows.slice(-7).map(({ date, regime }) => ({ date, regime })));
      expect(printedBy(without)).toContain('With API_KEY set, ');
      expect(requests.filter(({ url }) => url.startsWith(OBJECTS_PATH))).toHaveLength(1);
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
      const [withKey, without] = await runBoth(irregular, chain);
      const rows = await calendarOf(irregular, chain);
      expect(rows).toHaveLength(days);
      for (const run of [withKey, without]) {
        expectGood(run, irregular);
        expect(countsIn(run)).toEqual(countsOf(rows));
      }
      const missing = rows.filter(({ status }) => status === 'missing').length;
      expect(missing).toBe(chain === 'base' ? MISSING_DAYS : 0);
      if (missing > 0) expect(printedBy(without)).toContain(`'missing': ${missing}`);
    },
    SLOW_MS,
  );
});

describe('a calendar without rows for some dates', () => {
  it(
    'is read, and its gaps are counted',
    async () => {
      irregular.damage(inCalendar((text) => text.replace(/^2025-06-1\d,.*\n/gm, '')));
      const run = await runner.run({ GATEWAY: irregular.proxy.endpoint, CHAIN: 'base' });
      expectGood(run, irregular);
      expect(printedBy(run)).toContain('dates without a row: 10\n');
      expect(printedBy(run)).toMatch(/^230 rows,/m);
    },
    SLOW_MS,
  );
});

describe('a metric of the reader', () => {
  const own = Array.from({ length: 260 }, (_, t) => ({
    date: addDays(FIRST_DATE, t - 5),
    value: (t * 37) % 101,
  }));
  const given = own.filter((_, t) => t % 9 !== 0);
  const write = async (lines: readonly string[]): Promise<string> => {
    const file = path.join(folder.path, 'own.csv');
    await writeFile(file, ['date,chain,my_metric', ...lines, ''].join('\n'));
    return file;
  };
  const line = ({ date, value }: { date: string; value: number }): string => `${date},base,${value}`;

  it(
    'is joined and summarised by regime, without missing values and other chains',
    async () => {
      const rest = [`2025-02-01,bitcoin,1e9`, `${own[9]?.date},base,`];
      const METRIC_CSV = await write([...given.map(line), ...rest]);
      const run = await runner.run({ GATEWAY: irregular.gateway.url, CHAIN: 'base', METRIC_CSV });
      expectGood(run, irregular);
      const rows = await calendarOf(irregular, 'base');
      const [summary] = tablesOf(run, 'summary');
      const joined = rows.flatMap(({ date, regime }) => {
        const value = given.find((each) => each.date === date)?.value;
        return value === undefined ? [] : [{ regime, value }];
      });
      expect(printedBy(run)).toContain(
        `my_metric: ${joined.length} of 240 days of the calendar have a value\n`,
      );
      expect(printedBy(run)).toContain(`${given.length - joined.length} of its ${given.length} values`);
      for (const label of LABELS.filter((each) => each !== 'indeterminate')) {
        const values = joined.filter(({ regime }) => regime === label).map(({ value }) => value);
        const row = summary?.get(label);
        expect([label, row?.['values']]).toEqual([label, String(values.length)]);
        if (values.length === 0) continue;
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        expect([label, Number(row?.['mean'])]).toEqual([label, Number(mean.toPrecision(4))]);
      }
      expect(summary?.get('indeterminate')?.['values']).toBe('0');
      expect(joined.some(({ regime }) => regime === 'indeterminate')).toBe(true);
    },
    SLOW_MS,
  );

  it(
    'stops the notebook if it has a date twice',
    async () => {
      const METRIC_CSV = await write([...given, ...given.slice(0, 1)].map(line));
      const run = await runner.run({ GATEWAY: irregular.gateway.url, CHAIN: 'base', METRIC_CSV });
      expectStop(run, 'metric', /MergeError: .*not a one-to-one merge/);
    },
    SLOW_MS,
  );
});

describe('the notebook stops with a clear error for', () => {
  const runDamaged = async (change: Damage): Promise<NotebookRun> => {
    const { proxy, damage, host, release } = sample;
    damage(change);
    const run = await runner.run({ GATEWAY: proxy.endpoint, CHAIN: 'base', API_KEY: release.key });
    expect(run.text).not.toContain(release.key);
    expect(host.takeRequests().filter((request) => hasSecret(request, release.key))).toEqual([]);
    return run;
  };

  it.each([
    ['truncated', (text: string) => text.slice(0, -400), /was damaged: \d+ bytes of \d+/],
    ['altered', (text: string) => text.replace('0', '1'), /was damaged: (\d+) bytes of \1,/],
  ])(
    'a bundle that is %s',
    async (_what, change, message) => {
      expectStop(await runDamaged(inBundle(change)), 'subscriber', message);
    },
    SLOW_MS,
  );

  it.each([
    ['a truncated line', /.{80}\n$/, '', /these lines do not have 14 cells: \[666\]/],
    ['a duplicate date', '\n2023-09-25,', '\n2023-09-24,', /line 665: .* is a duplicate/],
    ['an invalid date', '\n2023-09-25,', '\n2023-09-31,', /line 665: date 2023-09-31 breaks type/],
    ['an empty date', '\n2023-09-25,', '\n,', /line 665: date <NA> breaks required/],
    ['an invalid hash', /\w+\n$/, 'calm\n', /line 666: determinism_hash calm breaks pattern/],
    ['an unknown status', ',available,', ',usable,', /status usable breaks enum/],
    ['a confidence above 1', /(?<=,steady,)[\d.]+/, '1.5', /confidence 1.5 breaks maximum/],
    ['text instead of a number', /(?<=,steady,)[\d.]+/, 'high', /confidence high breaks type/],
    ['another chain', /,base,/g, ',bitcoin,', /contains other chains than base/],
    ['a missing column', /,[a-z_]+\n/, '\n', /the columns are/],
  ])(
    'a calendar with %s',
    async (_what, part, instead, message) => {
      const change = inCalendar((text) => text.replace(part, instead));
      expectStop(await runDamaged(change), 'calendar', message);
    },
    SLOW_MS,
  );

  it.each([
    [
      'an invalid key',
      'subscriber',
      { API_KEY: 'crd_test_none' },
      /refused with status 401: .*api-key-invalid/,
    ],
    ['an unknown chain', 'calendar', { CHAIN: 'nochain' }, /refused with status 404: .*not-found/],
    [
      'a key over plain http',
      'settings',
      { GATEWAY: 'http://gateway.example', API_KEY: 'crd_test_none' },
      /only sent over https/,
    ],
    ['an unreachable gateway', 'calendar', { GATEWAY: 'http://127.0.0.1:9' }, /127.0.0.1:9 does not answer/],
  ])(
    '%s',
    async (_what, cell, settings, message) => {
      const run = await runner.run({ GATEWAY: sample.gateway.url, CHAIN: 'base', ...settings });
      expectStop(run, cell, message);
    },
    SLOW_MS,
  );

  it(
    'a gateway that redirects requests with a key',
    async () => {
      const { host, gateway, release } = sample;
      const elsewhere = await startRedirector(gateway.url, host.endpoint);
      const run = await runner.run({ GATEWAY: elsewhere.endpoint, CHAIN: 'base', API_KEY: release.key });
      await elsewhere.dispose();
      expectStop(run, 'subscriber', /refused with status 307/);
      expect(host.takeRequests().filter((request) => hasSecret(request, release.key))).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    'a warning, in these tests',
    async () => {
      // So a run without an error had no warning.
      const cell = { cell_type: 'code', execution_count: null, id: 'warn', metadata: {}, outputs: [] };
      const source = ['import warnings\n', "warnings.warn('beware', DeprecationWarning)"];
      const file = path.join(folder.path, 'warning.ipynb');
      const notebook = { cells: [{ ...cell, source }], metadata: {}, nbformat: 4, nbformat_minor: 5 };
      await writeFile(file, JSON.stringify(notebook));
      expectStop(await runner.run({}, file), 'warn', /DeprecationWarning: beware/);
    },
    SLOW_MS,
  );
});
