import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ALIASES_KEY, POINTER_KEY, PUBLIC_PATHS } from '../../schemas/paths.js';
import { createStoreEditor, flipBit, keyOfPath, type StoreEditor } from '../fixtures/edit-store.js';
import { runAsProcess, runInProcess, type GeneratorRun } from '../fixtures/generator-run.js';
import { writeSmallInput, type SmallInput } from '../fixtures/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

/** The last available date of bitcoin is its 101st, 2025-04-11; it was over at this instant. */
const MIDNIGHT = '2025-04-12T00:00:00Z';
/** Most requests that a look of a monitor may cost. */
const MOST_REQUESTS = 12;

let folder: TemporaryFolder;
/** The root of a store with one release, of bitcoin alone; tests spoil it. */
let bitcoin: string;
let store: StoreEditor;
/** The root of a store with two, and with too few dates of arbitrum for any to be available. */
let both: string;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  bitcoin = path.join(folder.path, 'bitcoin');
  both = path.join(folder.path, 'both');
  store = createStoreEditor(bitcoin);
  await publishDays(bitcoin, { bitcoin: 101 });
  await publishDays(both, { bitcoin: 100 });
  await publishDays(both, { bitcoin: 101, arbitrum: 5 });
}, 60_000);
afterEach(() => store.undo());
afterAll(() => folder.dispose());

/** Publishes by a process: so many dates take long within a test. */
async function publishDays(root: string, days: SmallInput['days']): Promise<void> {
  const input = await writeSmallInput(path.join(folder.path, 'input'), { days });
  const args = ['publish', '--input', input, '--store', `file:${root}`, '--as-of', MIDNIGHT, '--quiet'];
  expect(await runAsProcess(args)).toEqual({ code: 0, stdout: '', stderr: '' });
}

/** Looks as a monitor does. `days` after `MIDNIGHT` is when. */
function look(root: string, maxLagDays: string, days: number, ...options: string[]): Promise<GeneratorRun> {
  const now = new Date(Date.parse(MIDNIGHT) + days * 86_400_000).toISOString();
  return runInProcess(['status', '--store', `file:${root}`, '--max-lag-days', maxLagDays, ...options], now);
}

describe('status --max-lag-days', () => {
  it('exits 0 in silence on stderr while every chain and the public copies keep up', async () => {
    const { code, stdout, stderr } = await look(bitcoin, '2', 2.999);
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
  ])('%s allows a lag of that many whole days: %s days after, it exits %s', async (most, days, expected) => {
    expect(await look(bitcoin, most, days, '--quiet')).toMatchObject({ code: expected, stdout: '' });
  });

  it('names what lags in one line on stderr', async () => {
    const { code, stderr } = await look(both, '2', 5);
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: `file:${both}: bitcoin lags 5 days; arbitrum has no available date\n`,
    });
  });

  it('counts a chain that never had an available date as lagging, however much is allowed', async () => {
    expect(await look(both, '9999', 0)).toMatchObject({
      code: 8,
      stderr: `file:${both}: arbitrum has no available date\n`,
    });
  });

  it('gives the whole status as one document with --json, with what lags', async () => {
    const { code, stdout } = await look(both, '1', 2, '--json');
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({
      revision: '2025-04-12.000002',
      sequence: 2,
      chains: { bitcoin: { lag_days: 2 }, arbitrum: { lag_days: null } },
      objects: null,
      orphans: null,
      damage: null,
      lagging: ['bitcoin lags 2 days', 'arbitrum has no available date'],
    });
    expect(JSON.parse((await look(bitcoin, '1', 0, '--json')).stdout)).toMatchObject({ lagging: [] });
  });

  it('leaves status without it as it was: objects are counted, and no lag is a failure', async () => {
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
  ])('exits 8 when the public copies %s, whatever the chains do', async (_name, sequence, message) => {
    const mark = { schema: 'aliases/1', sequence };
    if (sequence === 0) await store.remove(ALIASES_KEY);
    else await store.write(ALIASES_KEY, JSON.stringify(mark));
    expect(await look(bitcoin, '9', 0)).toMatchObject({
      code: 8,
      stderr: `file:${bitcoin}: ${message}\n`,
    });
  });

  it('exits 8 of a store in which nothing is published yet', async () => {
    const empty = path.join(folder.path, 'empty');
    await mkdir(empty);
    await writeFile(path.join(empty, 'store.json'), '{"format":1}');
    expect(await look(empty, '9', 0)).toMatchObject({
      code: 8,
      stderr: `file:${empty}: nothing is published\n`,
    });
    expect(JSON.parse((await look(empty, '9', 0, '--json')).stdout)).toMatchObject({
      revision: null,
      objects: null,
      lagging: ['nothing is published'],
    });
  });

  it('exits 2 where no store is: the address is wrong', async () => {
    expect(await look('/nowhere/store', '9', 0)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('holds no store'),
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
  ])('exits 8 and says so when %s is damaged', async (_name, damage, message) => {
    await damage();
    const { code, stderr } = await look(bitcoin, '9', 0);
    expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringMatching(message) });
    expect(stderr.match(/\n/g)).toHaveLength(1);
  });

  it.each(['-1', '1.5', '', 'two', '1e3', '0x10'])(
    'exits 2 for "%s", which is no number of days',
    async (text) => {
      expect(await look(bitcoin, text, 0)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('give a whole number of days, 0 or more'),
      });
    },
  );

  it('makes as few requests of a long history as of a short one', async () => {
    const short = await countRequests(bitcoin);
    expect(await countRequests(both)).toBe(short);
    expect(short).toBeLessThanOrEqual(MOST_REQUESTS);
  });

  it('makes as few requests when the pointer is lost', async () => {
    await store.remove(POINTER_KEY);
    expect(await countRequests(bitcoin)).toBeLessThanOrEqual(MOST_REQUESTS);
  });

  async function countRequests(root: string): Promise<number> {
    const file = path.join(folder.path, 'report.json');
    await look(root, '9', 0, '--report', file);
    const { requests } = JSON.parse(await readFile(file, 'utf8'));
    return Object.values(requests as Record<string, number>).reduce((sum, each) => sum + each, 0);
  }
});
