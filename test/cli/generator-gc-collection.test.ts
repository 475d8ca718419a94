import { readdir, utimes } from 'node:fs/promises';
import path from 'node:path';
import { commitCollection, readCollection } from '../../generator/collect/collection-store.js';
import type { LedgerLine } from '../../schemas/types.generated.js';
import { createDirectoryStore } from '../../infra/store/directory/directory-store.js';
import { runInProcess, type GeneratorRun } from '../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

let folder: TemporaryFolder;
/** The root of a collection that was committed twice. */
let collected: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  collected = path.join(folder.path, 'collected');
  const store = createDirectoryStore(collected);
  for (const date of ['2025-01-01', '2025-01-02']) {
    const line: LedgerLine = {
      chain: 'base',
      date,
      values: { tx_count: '5' },
      source: 'files',
      reason: null,
      rule: 'day',
      lineage: '0'.repeat(64),
      accepted_at: '2025-01-04T06:15:00Z',
    };
    const change = { lines: new Map([['base', [line]]] as const), lineages: [], states: new Map() };
    await commitCollection(store, await readCollection(store), change, {
      asOfMs: Date.parse('2025-01-04T06:15:00Z'),
      sources: { files: { name: 'files', licence: 'CC0' } },
    });
  }
});
afterEach(() => folder.dispose());

const gc = (...options: string[]): Promise<GeneratorRun> =>
  runInProcess(['gc', '--store', `file:${collected}`, ...options]);

/** Returns the names of the files that a collection keeps. */
async function files(): Promise<string[]> {
  return (await readdir(path.join(collected, 'collected'), { recursive: true })).sort();
}

/** Makes all files of the collection look ten days old. */
async function age(): Promise<void> {
  const then = new Date(Date.now() - 10 * 86_400_000);
  for (const name of await readdir(collected, { recursive: true }))
    await utimes(path.join(collected, name), then, then);
}

it('gc of a collection only reports what it would delete, until --apply', async () => {
  expect(JSON.parse((await gc('--json')).stdout)).toMatchObject({ outcome: 'dry-run', young: 2 });
  await age();
  const before = await files();
  const { code, stdout } = await gc();
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^would delete 2 objects, \d+ B; 0 more are/)]);
  expect(await files()).toEqual(before);
  expect(await gc('--apply')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^deleted 2 objects,/),
  });
  expect(await files()).toHaveLength(before.length - 2);
  expect((await readCollection(createDirectoryStore(collected))).sequence).toBe(2);
});
