import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS, LABEL_MEANINGS } from '../../schemas/catalog.js';
import { addDays } from '../../schemas/dates.js';
import { bundlePath, calendarPath } from '../../schemas/paths.js';
import type { Chain } from '../../schemas/types.generated.js';
import { OBJECTS_PATH } from '../../gateway/core/object-link.js';
import {
  countsIn,
  installNotebookRunner,
  printedBy,
  tablesOf,
  type NotebookRun,
  type NotebookRunner,
} from '../fixtures/notebook-runner.js';
import {
  calendarOf,
  countsOf,
  inBundle,
  inCalendar,
  prepareNotebookScene,
  startRedirector,
  writeHardInput,
  type Damage,
  type NotebookScene,
} from '../fixtures/notebook-scene.js';
import { isTold } from '../fixtures/object-host.js';
import { digestOf } from '../fixtures/served-release.js';
import { FIRST_DATE } from '../fixtures/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 120_000;
const SAMPLE = path.join(import.meta.dirname, '../../scripts/sample');
/** Of the hard input. */
const MISSING_DAYS = 17;
const LABELS = Object.keys(LABEL_MEANINGS);

let runNotebook: NotebookRunner;
let folder: TemporaryFolder;
let sample: NotebookScene;
let hard: NotebookScene;
beforeAll(async () => {
  runNotebook = await installNotebookRunner();
  folder = await createTemporaryFolder();
  const below = (name: string): string => path.join(folder.path, name);
  const hardInput = await writeHardInput(below('input'));
  sample = await prepareNotebookScene(below('sample'), { folder: SAMPLE, asOf: '2023-09-27T06:00:00Z' });
  hard = await prepareNotebookScene(below('hard'), { folder: hardInput, asOf: '2025-09-01T00:00:00Z' });
}, INSTALL_MS);
afterEach(() => {
  for (const { host, damage } of [sample, hard]) {
    damage((bytes) => bytes);
    host.takeVisits();
  }
});
afterAll(async () => {
  await Promise.all([sample.dispose(), hard.dispose()]);
  await folder.dispose();
}, SLOW_MS);

/** Runs it with and without a key at once. */
function runBoth({ gateway, release }: NotebookScene, chain: Chain): Promise<[NotebookRun, NotebookRun]> {
  const settings = { GATEWAY: gateway.url, CHAIN: chain };
  return Promise.all([runNotebook({ ...settings, API_KEY: release.key }), runNotebook(settings)]);
}

/** Holds a run to what every good one is: complete, silent on stderr, with one picture, and without the key. */
function expectGood(run: NotebookRun, { release }: NotebookScene): void {
  expect([run.code, run.stderr]).toEqual([0, '']);
  expect(run.cells.map(({ execution_count }) => execution_count)).toEqual(run.cells.map((_, i) => i + 1));
  const outputs = run.cells.flatMap((cell) => cell.outputs);
  const kinds = outputs.map(({ output_type, name }) => name ?? output_type);
  expect(new Set(kinds)).toEqual(new Set(['stdout', 'display_data']));
  expect(outputs.filter(({ data }) => data?.['image/png'] !== undefined)).toHaveLength(1);
  expect(run.text).not.toContain(release.key);
}

/** Holds a run to have ended at a cell, with that error and nothing after it. */
function expectStop(run: NotebookRun, id: string, message: RegExp): void {
  expect([run.code, run.stderr]).toEqual([1, expect.stringMatching(message)]);
  const ended = run.cells.findIndex((cell) => cell.id === id);
  expect(run.cells[ended]?.outputs.map(({ output_type }) => output_type)).toContain('error');
  expect(run.cells.slice(ended + 1).flatMap(({ outputs }) => outputs)).toEqual([]);
}

describe('the starter notebook', () => {
  it.each(CHAIN_IDS)(
    'runs on the sample of %s, with a key and without',
    async (chain) => {
      const [withKey, without] = await runBoth(sample, chain);
      const visits = sample.host.takeVisits();
      const rows = await calendarOf(sample, chain);
      const digest = await digestOf(sample.release, calendarPath(chain));
      for (const run of [withKey, without]) {
        expectGood(run, sample);
        expect(countsIn(run)).toEqual(countsOf(rows));
        expect(printedBy(run)).toContain(`SHA-256 of the calendar: ${digest}\n`);
      }
      const bundle = await digestOf(sample.release, bundlePath('gold', chain, '90d'));
      expect(printedBy(withKey)).toContain(`SHA-256 as the gateway says: ${bundle}\n90 days of `);
      const [gold] = tablesOf(withKey, 'subscriber');
      const shown = [...(gold?.values() ?? [])].map(({ date, regime }) => ({ date, regime }));
      expect(shown).toEqual(rows.slice(-7).map(({ date, regime }) => ({ date, regime })));
      expect(printedBy(without)).toContain('With API_KEY set, ');
      expect(visits.filter(({ url }) => url.startsWith(OBJECTS_PATH))).toHaveLength(1);
      expect(visits.filter((visit) => isTold(visit, sample.release.key))).toEqual([]);
    },
    SLOW_MS,
  );

  it.each([
    ['one day', 'bitcoin', 1],
    ['three days', 'arbitrum', 3],
    ['days that are missing or indeterminate', 'base', 240],
  ] as const)(
    'runs on a calendar of %s',
    async (_what, chain, days) => {
      const [withKey, without] = await runBoth(hard, chain);
      const rows = await calendarOf(hard, chain);
      expect(rows).toHaveLength(days);
      for (const run of [withKey, without]) {
        expectGood(run, hard);
        expect(countsIn(run)).toEqual(countsOf(rows));
      }
      const missing = rows.filter(({ status }) => status === 'missing').length;
      expect(missing).toBe(chain === 'base' ? MISSING_DAYS : 0);
      if (missing > 0) expect(printedBy(without)).toContain(`'missing': ${missing}`);
    },
    SLOW_MS,
  );
});

describe('a calendar without the rows of some dates', () => {
  it(
    'is read, and its holes are counted',
    async () => {
      hard.damage(inCalendar((text) => text.replace(/^2025-06-1\d,.*\n/gm, '')));
      const run = await runNotebook({ GATEWAY: hard.proxy.endpoint, CHAIN: 'base' });
      expectGood(run, hard);
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
    'is joined and summarised by regime, missing values and other chains left out',
    async () => {
      const rest = [`2025-02-01,bitcoin,1e9`, `${own[9]?.date},base,`];
      const METRIC_CSV = await write([...given.map(line), ...rest]);
      const run = await runNotebook({ GATEWAY: hard.gateway.url, CHAIN: 'base', METRIC_CSV });
      expectGood(run, hard);
      const rows = await calendarOf(hard, 'base');
      const [summary] = tablesOf(run, 'summary');
      const joined = rows.flatMap(({ date, regime }) => {
        const value = given.find((each) => each.date === date)?.value;
        return value === undefined ? [] : [{ regime, value }];
      });
      expect(printedBy(run)).toContain(
        `my_metric: ${joined.length} of 240 days of the calendar have a value\n`,
      );
      expect(printedBy(run)).toContain(`${given.length - joined.length} of its ${given.length} values`);
      for (const label of LABELS.slice(0, -1)) {
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
    'with a date that is there twice stops it',
    async () => {
      const METRIC_CSV = await write([...given, ...given.slice(0, 1)].map(line));
      const run = await runNotebook({ GATEWAY: hard.gateway.url, CHAIN: 'base', METRIC_CSV });
      expectStop(run, 'metric', /MergeError: .*not a one-to-one merge/);
    },
    SLOW_MS,
  );
});

describe('what is damaged or refused stops the notebook by name', () => {
  const runDamaged = async (change: Damage): Promise<NotebookRun> => {
    const { proxy, damage, host, release } = sample;
    damage(change);
    const run = await runNotebook({ GATEWAY: proxy.endpoint, CHAIN: 'base', API_KEY: release.key });
    expect(run.text).not.toContain(release.key);
    expect(host.takeVisits().filter((visit) => isTold(visit, release.key))).toEqual([]);
    return run;
  };

  it.each([
    ['cut short', (text: string) => text.slice(0, -400), /was damaged: \d+ bytes of \d+/],
    ['altered', (text: string) => text.replace('0', '1'), /was damaged: (\d+) bytes of \1,/],
  ])(
    'a bundle that is %s',
    async (_what, change, message) => {
      expectStop(await runDamaged(inBundle(change)), 'subscriber', message);
    },
    SLOW_MS,
  );

  it.each([
    ['a line cut short', /.{80}\n$/, '', /lines with more or fewer cells than 14: \[666\]/],
    ['a date that is there twice', '\n2023-09-25,', '\n2023-09-24,', /line 665: .* is there before/],
    ['a date that is none', '\n2023-09-25,', '\n2023-09-31,', /line 665: date 2023-09-31 breaks type/],
    ['an empty date', '\n2023-09-25,', '\n,', /line 665: date <NA> breaks required/],
    ['a hash that is none', /\w+\n$/, 'calm\n', /line 666: determinism_hash calm breaks pattern/],
    ['an unknown status', ',available,', ',usable,', /status usable breaks enum/],
    ['a confidence above 1', /(?<=,steady,)[\d.]+/, '1.5', /confidence 1.5 breaks maximum/],
    ['a number that is text', /(?<=,steady,)[\d.]+/, 'high', /confidence high breaks type/],
    ['another chain', /,base,/g, ',bitcoin,', /not of base alone/],
    ['a column less', /,[a-z_]+\n/, '\n', /the columns are/],
  ])(
    'a calendar with %s',
    async (_what, part, instead, message) => {
      const change = inCalendar((text) => text.replace(part, instead));
      expectStop(await runDamaged(change), 'calendar', message);
    },
    SLOW_MS,
  );

  it.each([
    ['a key that is none', 'subscriber', { API_KEY: 'crd_test_none' }, /refused with 401: .*api-key-invalid/],
    ['a chain that is none', 'calendar', { CHAIN: 'nochain' }, /refused with 404: .*not-found/],
    [
      'a key over plain http',
      'settings',
      { GATEWAY: 'http://gateway.example', API_KEY: 'crd_test_none' },
      /https only/,
    ],
    [
      'a gateway that is not there',
      'calendar',
      { GATEWAY: 'http://127.0.0.1:9' },
      /127.0.0.1:9 does not answer/,
    ],
  ])(
    '%s',
    async (_what, cell, settings, message) => {
      const run = await runNotebook({ GATEWAY: sample.gateway.url, CHAIN: 'base', ...settings });
      expectStop(run, cell, message);
    },
    SLOW_MS,
  );

  it(
    'and so does a gateway that leads a key elsewhere',
    async () => {
      const { host, gateway, release } = sample;
      const elsewhere = await startRedirector(gateway.url, host.endpoint);
      const run = await runNotebook({ GATEWAY: elsewhere.endpoint, CHAIN: 'base', API_KEY: release.key });
      await elsewhere.dispose();
      expectStop(run, 'subscriber', /refused with 307/);
      expect(host.takeVisits().filter((visit) => isTold(visit, release.key))).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    'and so does a warning, where we run it',
    async () => {
      const cell = { cell_type: 'code', execution_count: null, id: 'warn', metadata: {}, outputs: [] };
      const source = ['import warnings\n', "warnings.warn('beware', DeprecationWarning)"];
      const file = path.join(folder.path, 'warning.ipynb');
      const notebook = { cells: [{ ...cell, source }], metadata: {}, nbformat: 4, nbformat_minor: 5 };
      await writeFile(file, JSON.stringify(notebook));
      expectStop(await runNotebook({}, file), 'warn', /DeprecationWarning: beware/);
    },
    SLOW_MS,
  );
});
