import path from 'node:path';
import { markStore } from '../../generator/state/store-mark.js';
import { createDirectoryStore } from '../../infra/store/directory/directory-store.js';
import {
  createCollectScene,
  FIRST_DATE,
  MORNING,
  OWN_FILES,
  type CollectScene,
} from '../support/collection/collect-scene.js';
import { expectAnotherCommand } from '../support/process/next-command.js';
import { runInProcess } from '../support/process/generator-run.js';

let scene: CollectScene;
beforeEach(async () => void (scene = await createCollectScene()));
afterEach(() => scene.dispose());

describe('a wrong command line or policy exits 2 and writes nothing:', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['no policy', [], /Name either a policy with --policy, or a source with --from/],
    ['a policy and a source', ['--policy', 'P', '--from', 'aws'], /Name either a policy/],
    ['an unknown source', ['--from', 'coingecko'], /Allowed choices are aws, growthepie, files/],
    ['no file', ['--policy', 'none.json'], /--policy none\.json cannot be read \(ENOENT\)/],
    [
      'a chain without a source',
      ['--policy', 'P', '--chain', 'bitcoin'],
      /has no chain bitcoin; it has base/,
    ],
    ['a date that does not exist', ['--policy', 'P', '--since', '2026-02-30'], /Write a date as 2026-08-19/],
    [
      'an engine without a place',
      ['--policy', 'P', '--engine', 'trino'],
      /"kind": "trino" and says where it is/,
    ],
    [
      '--accept without --chain',
      ['--policy', 'P', '--accept', '2026-03-20:tx_count'],
      /--accept needs one --chain/,
    ],
    [
      '--accept without a reason',
      ['--policy', 'P', '--chain', 'base', '--accept', '2026-03-20:tx_count'],
      /--reason/,
    ],
    [
      '--accept of no metric',
      ['--policy', 'P', '--accept', '2026-03-20:price'],
      /Write a date, a metric and/,
    ],
    [
      '--accept of no value',
      ['--policy', 'P', '--accept', '2026-03-20:tx_count=1.5'],
      /Write a date, a metric and/,
    ],
    ['--accept of no date', ['--policy', 'P', '--accept', 'tx_count'], /2026-08-19:tx_count/],
    [
      'a reason without --accept',
      ['--policy', 'P', '--reason', 'why'],
      /--reason needs --accept <date:metric=value>/,
    ],
    ['a time ahead of the clock', ['--policy', 'P', '--as-of', '2026-04-01'], /is ahead of/],
  ])('%s', async (_name, options, message) => {
    const policy = await scene.writePolicy();
    const args = options.map((word) => (word === 'P' ? policy : word));
    const line = ['collect', ...scene.into, ...args];
    const ended = await runInProcess(line, MORNING);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expectAnotherCommand('generator', line, ended);
    expect((await scene.collected()).size).toBe(0);
  });

  it('a policy with faults, all of which are listed', async () => {
    await scene.writePolicy({ commercial: 'yes', engines: {} } as object);
    expect(await scene.collect()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /is not a valid policy of sources:\n {2}\/ must NOT .*engines\n {2}\/commercial must be boolean\n {2}generator collect .*\n$/,
      ),
    });
    const fill = [{ source: 'ours', metrics: ['difficulty' as const] }];
    await scene.writePolicy({ chains: { base: { source: 'theirs', since: FIRST_DATE, fill } } });
    expect((await scene.collect()).stderr).toMatch(
      /names the source theirs, which the policy does not have\n.*names difficulty, which is not a metric of base\n {2}generator collect .*\n$/,
    );
    await scene.write('sources.policy.json', '{');
    expect(await scene.collect()).toMatchObject({ code: 2, stderr: expect.stringContaining('JSON') });
  });

  it('a source that may not be sold, for a commercial policy', async () => {
    await scene.writePolicy({ commercial: true, sources: { ours: { ...OWN_FILES, resale: 'no' } } });
    expect(await scene.collect()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not allow the data to be sold'),
    });
    expect((await scene.collected()).size).toBe(0);
  });

  it('the address of a release store', async () => {
    const store = path.join(scene.folder, 'store');
    await markStore(createDirectoryStore(store), { now: Date.now });
    expect(await scene.collect(['--into', `file:${store}`])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a release store, whose garbage collection would delete'),
    });
  });
});
