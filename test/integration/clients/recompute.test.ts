import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { openStore } from '../../../infra/store/open-store.js';
import { publishSample } from '../../support/release/published-sample.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import {
  argumentsFor,
  changeDigit,
  copyGold,
  downloadRelease,
  regimeRows,
  runRecompute,
  type Download,
  type RegimeRow,
} from '../../support/clients/recompute-run.js';
import { assertSuccess } from '../../support/process/run-program.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 300_000;
/** Number of dates that `inputs_sha256` covers. */
const INPUT_DAYS = 385;

let folder: TemporaryFolder;
let sample: Download;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  const store = await openStore(`file:${await publishSample()}`);
  sample = await downloadRelease(store, path.join(folder.path, 'sample'));
}, INSTALL_MS);
afterAll(() => folder.dispose(), SLOW_MS);

/** Returns the rows that crd recompute prints. @throws Error if it fails. */
async function recomputed(...args: readonly string[]): Promise<RegimeRow[]> {
  return regimeRows(assertSuccess(await runRecompute(args)).stdout);
}

/** Returns the rows of the published calendar. */
async function published(download: Download, chain: Chain): Promise<RegimeRow[]> {
  return regimeRows(await readFile(download.calendar(chain), 'utf8'));
}

describe('crd recompute on the sample', () => {
  it.each(CHAIN_IDS)(
    'computes regime, confidence and hash of every date of %s from gold days, as in the calendar',
    async (chain) => {
      const calendar = await published(sample, chain);
      expect(calendar.length).toBeGreaterThan(600);
      expect(new Set(calendar.map(({ regime }) => regime)).size).toBeGreaterThan(4);
      expect(await recomputed(...argumentsFor(sample, [sample.days('gold', chain)]))).toEqual(calendar);
    },
    SLOW_MS,
  );

  it.each(CHAIN_IDS)(
    'compares all dates of %s with the calendar and finds no difference',
    async (chain) => {
      const { length } = await published(sample, chain);
      const gold = [sample.days('gold', chain)];
      expect(await runRecompute(argumentsFor(sample, gold, '--compare', sample.calendar(chain)))).toEqual({
        code: 0,
        stdout: `${length} dates compared, 0 differ\n`,
        stderr: '',
      });
    },
    SLOW_MS,
  );

  it(
    'compares with meta days, and with a bundle of them for its dates',
    async () => {
      const { length } = await published(sample, 'base');
      const compare = ['--compare', sample.days('meta', 'base')];
      const gold = [sample.days('gold', 'base')];
      const run = await runRecompute(argumentsFor(sample, gold, ...compare));
      expect(run).toEqual({ code: 0, stdout: `${length} dates compared, 0 differ\n`, stderr: '' });
      const bundle = sample.bundle('meta', 'base', '365d');
      expect(await runRecompute(argumentsFor(sample, gold, '--compare', bundle))).toEqual({
        code: 0,
        stdout: '365 dates compared, 0 differ\n',
        stderr: `${length - 365} gold days were not compared: ${bundle} has no such dates\n`,
      });
    },
    SLOW_MS,
  );
});

describe('crd recompute on series with missing days and values', () => {
  const series = CHAIN_IDS.map((chain, seed) =>
    randomSeries({ chain, seed, days: 700, missingCells: 0.25, missingRows: 0.15 }),
  );
  let ragged: Download;
  beforeAll(async () => {
    const store = createMemoryStore();
    await publishSeries(store, { inputs: series, asOf: '2024-01-01' });
    ragged = await downloadRelease(store, path.join(folder.path, 'ragged'));
  }, SLOW_MS);

  it.each(CHAIN_IDS)(
    'computes every date of %s as published, including dates without a row',
    async (chain) => {
      const calendar = await published(ragged, chain);
      const rows = await recomputed(...argumentsFor(sample, [ragged.days('gold', chain)]));
      expect(rows).toHaveLength(700);
      expect(rows).toEqual(calendar);
      const { present = [] } = series.find((each) => each.chain === chain) ?? {};
      expect(present.filter((each) => !each).length).toBeGreaterThan(50);
    },
    SLOW_MS,
  );
});

describe('crd recompute on bundles', () => {
  it(
    'computes a chain with less than a year of history from one bundle',
    async () => {
      const store = createMemoryStore();
      const series = randomSeries({ chain: 'base', seed: 9, days: 300, missingCells: 0.02 });
      await publishSeries(store, { inputs: [series], asOf: '2024-01-01' });
      const young = await downloadRelease(store, path.join(folder.path, 'young'));
      const rows = await recomputed(...argumentsFor(sample, [young.bundle('gold', 'base', '365d')]));
      expect(rows).toHaveLength(300);
      expect(rows).toEqual(await published(young, 'base'));
    },
    SLOW_MS,
  );

  it(
    'continues from a published record, with the days before the bundle',
    async () => {
      const gold = await copyGold(sample, 'bitcoin');
      const dates = (await published(sample, 'bitcoin')).map(({ date }) => date);
      const from = dates.length - 400;
      await Promise.all(dates.slice(0, from).map((date) => rm(path.join(gold, `${date}.json`))));
      const start = (index: number): string =>
        path.join(sample.days('meta', 'bitcoin'), `${dates[index]}.json`);
      const paths = [gold, sample.bundle('gold', 'bitcoin', '365d')];
      const last = from + INPUT_DAYS - 2;
      const args = argumentsFor(sample, paths, '--compare', sample.calendar('bitcoin'), '--start');
      expect(await runRecompute([...args, start(last)])).toEqual({
        code: 0,
        stdout: `${400 - INPUT_DAYS + 1} dates compared, 0 differ\n`,
        stderr: '',
      });
      const early = await runRecompute([...args, start(last - 1)]);
      expect([early.code, early.stdout]).toEqual([2, '']);
      expect(early.stderr).toContain(`add the gold days from ${dates[from - 1]} on`);
    },
    SLOW_MS,
  );
});

describe('crd recompute notices one altered digit', () => {
  it.each(CHAIN_IDS)(
    'in a gold file of %s on its date and all dependent dates, and on no earlier date',
    async (chain) => {
      const gold = await copyGold(sample, chain);
      const calendar = await published(sample, chain);
      const touched = calendar[150]?.date ?? '';
      await changeDigit(path.join(gold, `${touched}.json`), 'tx_count');
      const rows = await recomputed(...argumentsFor(sample, [gold]));
      const differing = rows.filter((row, t) => canonicalJson(row) !== canonicalJson(calendar[t]));
      const dates = differing.map(({ date }) => date);
      expect(dates.slice(0, INPUT_DAYS)).toEqual(
        Array.from({ length: INPUT_DAYS }, (_, t) => addDays(touched, t)),
      );
      const compared = await runRecompute(argumentsFor(sample, [gold], '--compare', sample.calendar(chain)));
      expect([compared.code, compared.stdout]).toEqual([
        1,
        `${calendar.length} dates compared, ${dates.length} differ\n`,
      ]);
      const lines = compared.stderr.trimEnd().split('\n');
      expect(lines.map((line) => line.slice(0, 10))).toEqual([
        ...dates.slice(0, 10),
        `and ${dates.length - 10} more`.slice(0, 10),
      ]);
      expect(lines[0]).toContain(`determinism_hash is published as ${calendar[150]?.determinism_hash}`);
    },
    SLOW_MS,
  );

  it(
    'only if the methodology uses the value',
    async () => {
      const gold = await copyGold(sample, 'arbitrum');
      const file = path.join(gold, '2022-03-01.json');
      const day = JSON.parse(await readFile(file, 'utf8')) as { metrics: object };
      await writeFile(file, canonicalJson({ ...day, metrics: { ...day.metrics, gas_used: 7 } }));
      expect(await recomputed(...argumentsFor(sample, [gold]))).toEqual(await published(sample, 'arbitrum'));
    },
    SLOW_MS,
  );

  it(
    'in a published regime, confidence or hash',
    async () => {
      const calendar = await readFile(sample.calendar('base'), 'utf8');
      const [head = '', ...lines] = calendar.trimEnd().split('\n');
      const row = regimeRows(calendar)[500];
      if (row === undefined) throw new Error('the calendar of base is too short');
      const alter: Readonly<Record<string, string>> = {
        [row.regime]: 'unheard',
        [row.confidence]: '0.123456',
        [row.determinism_hash]: row.determinism_hash.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      };
      for (const [from, to] of Object.entries(alter)) {
        const file = path.join(folder.path, 'altered');
        const altered = lines.map((line, t) => (t === 500 ? line.replace(from, to) : line));
        await writeFile(file, [head, ...altered, ''].join('\n'));
        const run = await runRecompute(
          argumentsFor(sample, [sample.days('gold', 'base')], '--compare', file),
        );
        expect([run.code, run.stdout]).toEqual([1, `${lines.length} dates compared, 1 differ\n`]);
        expect(run.stderr).toContain(`${row.date}: `);
        expect(run.stderr).toContain(` is published as ${to}, recomputed as ${from}\n`);
      }
    },
    SLOW_MS,
  );
});
