import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { commitCollection, EMPTY_STATE, readCollection } from '../../generator/collect/collection-store.js';
import { createDirectoryStore } from '../../infra/store/directory/directory-store.js';
import type { ChainState, LedgerLine } from '../../schemas/types.generated.js';
import { runInProcess, type GeneratorRun } from '../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const STATE: ChainState = {
  ...EMPTY_STATE,
  schedule: { source: 'growthepie', first_try_hours: 6.25, deadline_hours: 12 },
  awaited: [
    {
      date: '2025-01-03',
      since: '2025-01-04T06:15:00Z',
      until: '2025-01-04T12:00:00Z',
      overdue: false,
      missing: ['fee_median'],
      sources: ['growthepie'],
      withheld: {},
      reasons: ['growthepie has no fee_median yet.'],
    },
  ],
  drifts: [
    {
      date: '2025-01-02',
      metric: 'tx_count',
      source: 'growthepie',
      from: '6',
      to: '9',
      since: '2025-01-04T06:15:00Z',
    },
  ],
};

let folder: TemporaryFolder;
let collected: string;
/** A store that published what a collection of base has, which awaits a date. Tests do not change them. */
beforeAll(async () => {
  folder = await createTemporaryFolder();
  collected = path.join(folder.path, 'collected');
  const store = createDirectoryStore(collected);
  const line = (date: string, txCount: string): LedgerLine => ({
    chain: 'base',
    date,
    values: { tx_count: txCount },
    source: 'growthepie',
    reason: null,
    rule: 'day',
    lineage: '0'.repeat(64),
    accepted_at: '2025-01-04T06:15:00Z',
  });
  const change = {
    lines: new Map([['base', [line('2025-01-01', '5'), line('2025-01-02', '6')]]] as const),
    lineages: [],
    states: new Map([['base', STATE]] as const),
  };
  await commitCollection(store, await readCollection(store), change, {
    asOfMs: Date.parse('2025-01-04T06:15:00Z'),
    sources: { growthepie: { name: 'growthepie', licence: 'CC BY 4.0' } },
  });
  const published = await runInProcess(
    ['publish', '--input', collected, '--store', `file:${folder.path}/store`, '--quiet'],
    '2025-01-04T06:30:00Z',
  );
  expect(published).toMatchObject({ code: 0, stderr: '' });
});
afterAll(() => folder.dispose());

const status = (now: string, ...options: string[]): Promise<GeneratorRun> =>
  runInProcess(['status', '--store', `file:${folder.path}/store`, ...options], now);

const collectedAt = (): string => `file:${collected}`;

it('status --collected shows what is awaited, from whom, since when and until when', async () => {
  const { code, stdout } = await status('2025-01-04T07:00:00Z', '--collected', collectedAt());
  expect(code).toBe(0);
  expect(stdout).toContain(`collected  ${collectedAt()} (collection 1), last change 2025-01-04T06:15:00Z`);
  expect(stdout).toContain(
    '2025-01-03 awaits fee_median from growthepie since 2025-01-04T06:15:00Z, until 2025-01-04T12:00:00Z. growthepie has no fee_median yet.',
  );
});

it('status --collected shows a deadline that has passed, and a date that nobody has read, with the same exit', async () => {
  const { code, stdout } = await status('2025-01-05T07:00:00Z', '--collected', collectedAt());
  expect(code).toBe(0);
  expect(stdout).toContain('base: through 2025-01-02, LATE by 19 h');
  expect(stdout).toContain('OVERDUE since 2025-01-04T12:00:00Z');
  expect(stdout).toContain('2025-01-04 awaits everything from growthepie since 2025-01-05T06:15:00Z');
  const text = await status('2025-01-05T07:00:00Z', '--collected', collectedAt(), '--ignore', 'base');
  expect(text.stdout).not.toContain('awaits');
});

it('status --collected shows the command that accepts a value, which the program understands', async () => {
  const options = ['--collected', collectedAt(), '--path-style'];
  const { stdout } = await status('2025-01-04T07:00:00Z', ...options);
  const command = `generator collect --policy sources.policy.json --into ${collectedAt()} --path-style --chain base --accept 2025-01-02:tx_count=9 --reason '<public reason>'`;
  expect(stdout).toContain('2025-01-02 tx_count: accepted 6, growthepie has 9 since 2025-01-04T06:15:00Z');
  expect(stdout).toContain(command);
  const json = JSON.parse((await status('2025-01-04T07:00:00Z', ...options, '--json')).stdout);
  expect(json.collection).toMatchObject({
    address: collectedAt(),
    sequence: 1,
    as_of: '2025-01-04T06:15:00Z',
    chains: {
      base: {
        through: '2025-01-02',
        late_seconds: 0,
        awaited: STATE.awaited,
        drifts: [{ ...STATE.drifts[0], accept: command }],
      },
    },
  });
  const words = [...command.replace(/ '.*/, '').split(' ').slice(1), 'because', '--quiet'];
  expect((await runInProcess(words)).stderr).toContain('--policy sources.policy.json cannot be read');
});

it('status --collected reads only the pointer, the state and the ledgers', async () => {
  const report = path.join(folder.path, 'report.json');
  const count = async (...options: string[]): Promise<number> => {
    await status('2025-01-04T07:00:00Z', '--max-lag-days', '9', '--report', report, ...options);
    const { requests } = JSON.parse(await readFile(report, 'utf8'));
    return Object.values(requests as Record<string, number>).reduce((sum, each) => sum + each, 0);
  };
  const more = (await count('--collected', collectedAt())) - (await count());
  expect(more).toBe(5); // with one ledger; eight with four
});

it('status without --collected says nothing of a collection', async () => {
  const { stdout } = await status('2025-01-04T07:00:00Z', '--json');
  expect(JSON.parse(stdout)).not.toHaveProperty('collection');
});

it('status --collected exits 2 for an address that has no collection', async () => {
  expect(await status('2025-01-04T07:00:00Z', '--collected', `file:${folder.path}/nothing`)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('has no collection.json. Use the address of'),
  });
});

describe('status --metrics', () => {
  it('writes metrics over earlier ones, without a trace of a temporary file', async () => {
    const file = path.join(folder.path, 'generator.prom');
    const options = ['--collected', collectedAt(), '--metrics', file, '--quiet'];
    expect(await status('2025-01-04T07:00:00Z', ...options)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readFile(file, 'utf8')).toContain('generator_collected_late_seconds{chain="base"} 0\n');
    await status('2025-01-04T13:00:00Z', ...options);
    expect(await readFile(file, 'utf8')).toContain('generator_collected_late_seconds{chain="base"} 3600\n');
    expect((await readdir(folder.path)).filter((name) => name.includes('prom'))).toEqual(['generator.prom']);
  });

  it('keeps a file that has something else, and says so', async () => {
    const file = path.join(folder.path, 'notes.txt');
    await writeFile(file, 'mine');
    const { code, stdout, stderr } = await status('2025-01-04T07:00:00Z', '--metrics', file);
    expect([code, await readFile(file, 'utf8')]).toEqual([0, 'mine']);
    expect(stderr).toContain(`--metrics ${file} was not written, because the file exists`);
    expect(stdout).toContain('release ');
  });
});
