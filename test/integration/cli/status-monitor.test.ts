import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ALIASES_KEY, POINTER_KEY, PUBLIC_PATHS } from '../../../schemas/paths.js';
import { createStoreEditor, flipBit, keyOfPath, type StoreEditor } from '../../support/release/edit-store.js';
import { runAsProcess, runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import {
  metricsCsv,
  sourcesJson,
  writeInput,
  writeSmallInput,
  type SmallInput,
} from '../../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

/** End of 2025-04-11, the last available date of bitcoin. */
const MIDNIGHT = '2025-04-12T00:00:00Z';
/** Limit for the requests of one check. */
const MAX_REQUESTS = 12;

let folder: TemporaryFolder;
/** The root of a store with one release of bitcoin. Tests damage it. */
let bitcoin: string;
let store: StoreEditor;
/** The root of a store with two releases, and too few dates of arbitrum for any to be available. */
let both: string;
/** The root of a store with 100 dates of arbitrum without fees: none is available. */
let unlabelled: string;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  bitcoin = path.join(folder.path, 'bitcoin');
  both = path.join(folder.path, 'both');
  unlabelled = path.join(folder.path, 'unlabelled');
  store = createStoreEditor(bitcoin);
  await publishDays(bitcoin, { bitcoin: 101 });
  await publishDays(both, { bitcoin: 100 });
  await publishDays(both, { bitcoin: 101, arbitrum: 5 });
  const csv = metricsCsv('arbitrum', 100).replace(/^(\d.*?,.*?,.*?),.*$/gm, '$1,,');
  const input = await writeSmallInput(path.join(folder.path, 'without-fees'), { days: { bitcoin: 101 } });
  await writeInput(input, { 'arbitrum.csv': csv, 'sources.json': sourcesJson(['bitcoin', 'arbitrum']) });
  await publishInput(unlabelled, input);
}, 300_000);
afterEach(() => store.undo());
afterAll(() => folder.dispose());

async function publishDays(root: string, days: SmallInput['days']): Promise<void> {
  await publishInput(root, await writeSmallInput(path.join(folder.path, 'input'), { days }));
}

/** Publishes with the built program, which is faster for many dates. */
async function publishInput(root: string, input: string): Promise<void> {
  const args = ['publish', '--input', input, '--store', `file:${root}`, '--as-of', MIDNIGHT, '--quiet'];
  expect(await runAsProcess(args)).toEqual({ code: 0, stdout: '', stderr: '' });
}

/** Runs the check of a monitor, `days` after `MIDNIGHT`. */
function check(root: string, maxLagDays: string, days: number, ...options: string[]): Promise<GeneratorRun> {
  const now = new Date(Date.parse(MIDNIGHT) + days * 86_400_000).toISOString();
  return runInProcess(['status', '--store', `file:${root}`, '--max-lag-days', maxLagDays, ...options], now);
}

describe('status --max-lag-days', () => {
  it('exits 0 with nothing on stderr while no chain and no public copy lags', async () => {
    const { code, stdout, stderr } = await check(bitcoin, '2', 2.999);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^objects {4}not counted$/m);
  });

  it.each([
    ['0', 0.999, 0],
    ['0', 1, 8],
    ['1', 1.999, 0],
    ['1', 2, 8],
    ['30', 30.5, 0],
    ['30', 31, 8],
  ])('%s allows that number of full days: after %s days it exits %s', async (most, days, expected) => {
    expect(await check(bitcoin, most, days, '--quiet')).toMatchObject({ code: expected, stdout: '' });
  });

  it('names what lags on one line of stderr', async () => {
    const { code, stderr } = await check(unlabelled, '2', 5);
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: `file:${unlabelled}: bitcoin lags 5 days; arbitrum has no available date\n`,
    });
  });

  it('treats a chain with enough history and without any available date as lagging, regardless of the limit', async () => {
    expect(await check(unlabelled, '9999', 0)).toMatchObject({
      code: 8,
      stderr: `file:${unlabelled}: arbitrum has no available date\n`,
    });
  });

  it('judges a new chain by its newest date while it warms up, and says until when', async () => {
    // arbitrum has 5 of the 100 dates, from 2025-01-01 on, and bitcoin is ignored
    const monitor = (maxLagDays: string): Promise<GeneratorRun> =>
      check(both, maxLagDays, 0, '--ignore', 'bitcoin');
    expect(await monitor('96')).toMatchObject({ code: 0, stderr: '' });
    expect((await monitor('96')).stdout).toMatch(/^arbitrum .* warming up until 2025-04-10 /m);
    expect(await monitor('95')).toMatchObject({
      code: 8,
      stderr: `file:${both}: arbitrum lags 96 days\n`,
    });
    expect(JSON.parse((await check(both, '96', 0, '--json')).stdout)).toMatchObject({
      chains: { arbitrum: { lag_days: null, warming_up: { until: '2025-04-10', lag_days: 96 } } },
    });
  });

  it('reports only the chains of --chain, without those of --ignore', async () => {
    const reported = async (...options: string[]): Promise<string[]> =>
      Object.keys(JSON.parse((await check(both, '9', 0, '--json', ...options)).stdout).chains as object);
    expect(await reported()).toEqual(['bitcoin', 'arbitrum']);
    expect(await reported('--chain', 'bitcoin')).toEqual(['bitcoin']);
    expect(await reported('--ignore', 'bitcoin')).toEqual(['arbitrum']);
    expect(await reported('--chain', 'bitcoin', '--chain', 'arbitrum', '--ignore', 'arbitrum')).toEqual([
      'bitcoin',
    ]);
  });

  it('prints the whole status with --json, including what lags', async () => {
    const { code, stdout } = await check(unlabelled, '1', 2, '--json');
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({
      revision: '2025-04-12.000001',
      sequence: 1,
      chains: { bitcoin: { lag_days: 2 }, arbitrum: { lag_days: null } },
      objects: null,
      orphans: null,
      damage: null,
      lagging: ['bitcoin lags 2 days', 'arbitrum has no available date'],
    });
    expect(JSON.parse((await check(bitcoin, '1', 0, '--json')).stdout)).toMatchObject({ lagging: [] });
  });

  it('is optional: plain status counts objects, and no lag is a failure', async () => {
    const { code, stdout, stderr } = await runInProcess(
      ['status', '--store', `file:${both}`, '--json'],
      '2026-02-02T00:00:00Z',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ lagging: null, orphans: { objects: 0 } });
    expect(JSON.parse(stdout).objects).toBeGreaterThan(100);
  });

  it.each([
    ['lag', 0, 'the public copies lag 1 release'],
    ['are marked ahead of it', 2, 'the public copies are marked ahead of the release'],
  ])('exits 8 when the public copies %s, even if no chain lags', async (_name, sequence, message) => {
    const aliases = { schema: 'aliases/1', sequence };
    if (sequence === 0) await store.remove(ALIASES_KEY);
    else await store.write(ALIASES_KEY, JSON.stringify(aliases));
    expect(await check(bitcoin, '9', 0)).toMatchObject({
      code: 8,
      stderr: `file:${bitcoin}: ${message}\n`,
    });
  });

  it('exits 8 for a store without a release', async () => {
    const empty = path.join(folder.path, 'empty');
    await mkdir(empty);
    await writeFile(path.join(empty, 'store.json'), '{"format":3}');
    expect(await check(empty, '9', 0)).toMatchObject({
      code: 8,
      stderr: `file:${empty}: nothing is published\n`,
    });
    expect(JSON.parse((await check(empty, '9', 0, '--json')).stdout)).toMatchObject({
      revision: null,
      objects: null,
      lagging: ['nothing is published'],
    });
  });

  it('exits 2 if there is no store at the address', async () => {
    expect(await check('/nowhere/store', '9', 0)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no store at'),
    });
  });

  it.each([
    ['the pointer', () => store.remove(POINTER_KEY), /current\.json is missing/],
    ['the pointer', () => store.write(POINTER_KEY, 'half a te'), /current\.json .*JSON/],
    [
      'the published status',
      async () => flipBit(store, await keyOfPath(store, PUBLIC_PATHS.status)),
      /^generator: objects\/sha256\/\w+ has other bytes than its digest says/,
    ],
  ])('exits 8 with an explanation when %s is damaged', async (_name, damage, message) => {
    await damage();
    const { code, stderr } = await check(bitcoin, '9', 0);
    expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringMatching(message) });
    expect(stderr.split('\n')).toEqual([
      expect.any(String),
      expect.stringMatching(/^ {2}generator verify /),
      '',
    ]);
  });

  it.each(['-1', '1.5', '', 'two', '1e3', '0x10'])(
    'exits 2 for "%s", which is not a number of days',
    async (text) => {
      expect(await check(bitcoin, text, 0)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Write a whole number of days, 0 or more'),
      });
    },
  );

  it('makes no more requests for two releases and two chains than for one', async () => {
    const one = await countRequests(bitcoin);
    expect(await countRequests(both)).toBe(one);
    expect(one).toBeLessThanOrEqual(MAX_REQUESTS);
  });

  it('makes as few requests when the pointer is lost', async () => {
    await store.remove(POINTER_KEY);
    expect(await countRequests(bitcoin)).toBeLessThanOrEqual(MAX_REQUESTS);
  });

  async function countRequests(root: string): Promise<number> {
    const file = path.join(folder.path, 'report.json');
    await check(root, '9', 0, '--report', file);
    const { requests } = JSON.parse(await readFile(file, 'utf8'));
    return Object.values(requests as Record<string, number>).reduce((sum, each) => sum + each, 0);
  }
});
