import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { metricsOf } from '../../../schemas/catalog.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { columnOf, type InputSeries } from '../../../generator/core/input/input-series.js';
import { planRelease } from '../../../generator/core/release/plan-release.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';

const GENERATOR = path.join(import.meta.dirname, '../../../dist/generator/main.js');
const inputs = [
  randomSeries({ chain: 'ethereum', seed: 3, days: 40, missingCells: 0.05, missingRows: 0.05 }),
  randomSeries({ chain: 'base', seed: 4, days: 35 }),
];
let folder: string;
/** The lines of a store that a process published in a plain environment. */
let plain: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'crd-determinism-'));
  plain = await publish('plain', { env: { LANG: 'C', TZ: 'UTC' }, reversed: false });
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Formats a series as CSV, with columns and line ends as the test needs them. */
function toCsv(series: InputSeries, { reversed, crlf }: { reversed: boolean; crlf: boolean }): string {
  const metrics = metricsOf(series.chain);
  if (reversed) metrics.reverse();
  const rows = series.dates.flatMap((date, t) =>
    series.present[t]
      ? [[date, ...metrics.map((metric) => String(columnOf(series, metric)[t] ?? ''))].join(',')]
      : [],
  );
  return [['date', ...metrics].join(','), ...rows, ''].join(crlf ? '\r\n' : '\n');
}

async function publish(
  name: string,
  options: { env: NodeJS.ProcessEnv; reversed: boolean },
): Promise<string[]> {
  const input = path.join(folder, name, 'input');
  const store = path.join(folder, name, 'store');
  await mkdir(input, { recursive: true });
  const order = options.reversed ? [...inputs].reverse() : inputs;
  for (const series of order) {
    const file = path.join(input, `${series.chain}.csv`);
    await writeFile(file, toCsv(series, { reversed: options.reversed, crlf: options.reversed }));
    await utimes(file, 1, 1);
  }
  const list = [{ name: 'made-up', licence: 'none' }];
  const sources = options.reversed ? { base: list, ethereum: list } : { ethereum: list, base: list };
  await writeFile(path.join(input, 'sources.json'), JSON.stringify(sources));
  const args = [
    GENERATOR,
    'publish',
    '--quiet',
    '--input',
    input,
    '--store',
    `file:${store}`,
    '--as-of',
    '2022-03-01',
  ];
  const code = await new Promise((resolve) => {
    const env = { ...process.env, ...options.env };
    spawn(process.execPath, args, { cwd: path.join(folder, name), env, stdio: 'inherit' }).on(
      'exit',
      resolve,
    );
  });
  expect(code).toBe(0);
  const lines: string[] = [];
  for (const entry of await readdir(store, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    lines.push(`${path.relative(store, file)} ${sha256Hex(await readFile(file))}`);
  }
  return lines.sort();
}

it('no byte depends on locale, time zone, working directory, file order, column order or line ends', async () => {
  const turkish = await publish('turkish', {
    env: { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' },
    reversed: true,
  });
  const german = await publish('german', {
    env: { LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8', TZ: 'America/St_Johns' },
    reversed: false,
  });
  expect(plain.length).toBeGreaterThan(200);
  expect(turkish).toEqual(plain);
  expect(german).toEqual(plain);
}, 300_000);

it('planning is pure: equal requests give equal plans and change nothing', async () => {
  const request = {
    inputs,
    previous: undefined,
    asOfMs: Date.parse('2022-03-01T00:00:00Z'),
    texts: await readProductTexts(),
  };
  const frozen = JSON.stringify(inputs);
  const [first, second] = [planRelease(request), planRelease(request)];
  expect(second.release?.recordText).toBe(first.release?.recordText);
  expect(second.release?.artifacts.map(({ sha256 }) => sha256)).toEqual(
    first.release?.artifacts.map(({ sha256 }) => sha256),
  );
  for (const artifact of first.release?.artifacts.slice(0, 50) ?? []) {
    expect(sha256Hex(artifact.content().text)).toBe(artifact.sha256);
  }
  expect(JSON.stringify(inputs)).toBe(frozen);
});

it('the order of chains does not matter, and publishing again changes nothing', async () => {
  const [one, two] = [createMemoryStore(), createMemoryStore()];
  await publishSeries(one, { inputs, asOf: '2022-03-01' });
  await publishSeries(two, { inputs: [...inputs].reverse(), asOf: '2022-03-01' });
  const again = await publishSeries(two, { inputs, asOf: '2022-03-01' });
  expect(again.outcome).toBe('unchanged');
  const full = await publishSeries(two, { inputs, asOf: '2022-03-02', full: true });
  expect(full.outcome).toBe('unchanged');
  const keys = async (store: typeof one): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of store.list('')) found.push(`${key} ${(await store.head(key))?.sha256 ?? ''}`);
    return found;
  };
  expect(await keys(two)).toEqual(await keys(one));
});

it('another process draws the same charts as this one', async () => {
  const store = createMemoryStore();
  await publishSeries(store, { inputs, asOf: '2022-03-01' });
  const here: string[] = [];
  for await (const { key } of store.list('public/charts/')) {
    here.push(`${key} ${sha256Hex((await store.get(key))?.bytes ?? '')}`);
  }
  expect(here).toHaveLength(7); // for each chain a picture, its data and its metrics; and a picture for all chains
  expect(plain.filter((line) => line.startsWith('public/charts/'))).toEqual(here.sort());
}, 300_000);
