import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { commitCollection, readCollection } from '../../generator/collect/collection-store.js';
import type { LedgerLine } from '../../schemas/types.generated.js';
import { createDirectoryStore } from '../../infra/store/directory/directory-store.js';
import { runInProcess, type GeneratorRun } from '../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';
import { writeSmallInput } from '../support/release/small-input.js';

const AS_OF = Date.parse('2025-01-10T06:15:00Z');
const REASON = 'source revised within its settling window';

let folder: TemporaryFolder;
let collected: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  collected = path.join(folder.path, 'collected');
});
afterEach(() => folder.dispose());

/** Returns a line of the ledger of base. */
function line(date: string, txCount: number, reason: string | null = null): LedgerLine {
  return {
    chain: 'base',
    date,
    values: { tx_count: String(txCount) },
    source: 'files',
    reason,
    rule: reason === null ? 'day' : 'revision',
    lineage: '0'.repeat(64),
    accepted_at: '2025-01-10T06:15:00Z',
  };
}

async function collect(...lines: LedgerLine[]): Promise<void> {
  const store = createDirectoryStore(collected);
  const change = { lines: new Map([['base', lines]] as const), lineages: [], states: new Map() };
  await commitCollection(store, await readCollection(store), change, {
    asOfMs: AS_OF,
    sources: { files: { name: 'files', licence: 'CC0' } },
  });
}

const run = (command: string, ...options: string[]): Promise<GeneratorRun> =>
  runInProcess([
    command,
    '--input',
    collected,
    '--store',
    `file:${folder.path}/store`,
    '--as-of',
    '2025-01-11T06:00:00Z',
    ...options,
  ]);

/** Returns the reason that readers see. */
async function publishedReason(): Promise<string> {
  const text = await readFile(path.join(folder.path, 'store/public/api/v1/changes'), 'utf8');
  return JSON.parse(text).releases[0].reason as string;
}

it('publish --accept-collected publishes what the collection recorded, with its reason', async () => {
  await collect(line('2025-01-01', 5), line('2025-01-02', 6));
  expect(await run('publish', '--accept-collected')).toMatchObject({ code: 0, stderr: '' });
  await collect(line('2025-01-02', 7, REASON), line('2025-01-03', 8));
  expect(await run('publish')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('run with --accept-collected'),
  });
  const planned = await run('plan', '--accept-collected', '--json');
  expect(JSON.parse(planned.stdout).chains.base).toMatchObject({ outcome: 'published', new: 1, restated: 1 });
  expect(await run('publish', '--accept-collected')).toMatchObject({ code: 0, stderr: '' });
  expect(await publishedReason()).toBe(REASON);
});

it('--accept-collected and --accept-restatements are not given together', async () => {
  await collect(line('2025-01-01', 5));
  expect(await run('publish', '--accept-collected', '--accept-restatements=x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("'--accept-collected' cannot be used with option '--accept-restatements"),
  });
});

it('publish --accept-collected refuses what the collection did not record, and says what', async () => {
  await collect(line('2025-01-01', 5), line('2025-01-02', 6));
  expect(await run('publish')).toMatchObject({ code: 0 });
  collected = path.join(folder.path, 'another-collection');
  await collect(line('2025-01-01', 9), line('2025-01-02', 6), line('2025-01-02', 7, REASON));
  const { code, stderr } = await run('publish', '--accept-collected');
  expect(code).toBe(5);
  expect(stderr).toContain('did not record: 2025-01-01 tx_count: 5 -> 9');
  expect(stderr.trimEnd().split('\n').at(-1)).not.toContain('--accept-collected');
});

it.each(['publish', 'plan'])(
  '%s --accept-collected exits 2 for a folder that is no collection',
  async (name) => {
    await writeSmallInput(collected, { days: { base: 2 } });
    expect(await run(name, '--accept-collected')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /has no collection\.json\. Omit the option, or use --accept-restatements .*\n {2}generator (?!.*--accept)/,
      ),
    });
  },
);
