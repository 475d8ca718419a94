import { cp, rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import {
  createPublishedStore,
  publish,
  RESTATED,
  type PublishedStore,
} from '../../support/release/published-store.js';
import { writeSmallInput } from '../../support/release/small-input.js';

const NOW = '2025-02-03T12:00:00Z';

describe('hold, unhold and rollback with --chain', () => {
  let published: PublishedStore;
  let input: string;
  let root: string;
  beforeAll(async () => {
    published = await createPublishedStore();
    input = await writeSmallInput(path.join(path.dirname(published.root), 'third'), {
      days: { bitcoin: 33, arbitrum: 10 },
      revised: RESTATED,
    });
  }, 300_000);
  afterAll(() => published.dispose());
  beforeEach(async () => (root = await published.copy()));

  const run = (...words: string[]): Promise<GeneratorRun> =>
    runInProcess([...words, '--store', `file:${root}`], NOW);

  it('holds a chain, publishes the others, and says so with the reason and the command that ends it', async () => {
    expect(await run('hold', '--chain', 'bitcoin', '--reason', 'a gap')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /\npublication continues\nbitcoin is held: a gap; to end that: generator unhold --chain bitcoin --store file:\S+\n$/,
      ),
    });
    const { code, stdout, stderr } = await publish(input, root, NOW);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `bitcoin: publication is held: a gap. Once the cause is fixed: generator unhold --chain bitcoin --store file:${root}\n`,
    });
    expect(stdout).toMatch(/^bitcoin +held +2025-02-01 +0 +0 +32$/m);
    expect(stdout).toMatch(/^arbitrum +published +2025-01-10 +1 /m);
    const status = await run('status');
    expect(status.stdout).toMatch(/^hold +bitcoin: a gap$/m);
    expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({
      hold: null,
      holds: { bitcoin: 'a gap' },
    });
  });

  it('keeps a reason for each chain, and ends one hold', async () => {
    await run('hold', '--chain', 'bitcoin', '--reason', 'a gap');
    await run('hold', '--chain', 'arbitrum', '--reason', 'a jump');
    const again = await run('hold', '--chain', 'arbitrum', '--reason', 'a peak', '--json');
    expect(again.stderr).toBe('This replaces the hold "a jump" of arbitrum. One unhold ends both.\n');
    expect(JSON.parse(again.stdout)).toMatchObject({ holds: { bitcoin: 'a gap', arbitrum: 'a peak' } });
    const one = await run('unhold', '--chain', 'bitcoin', '--json');
    expect(JSON.parse(one.stdout)).toMatchObject({ outcome: 'released', holds: { arbitrum: 'a peak' } });
  });

  describe('with holds of the store and of a chain', () => {
    beforeEach(async () => {
      await run('hold', '--chain', 'bitcoin', '--reason', 'a gap');
      await run('hold', '--reason', 'an audit');
    });

    it('ends only the hold of the store with a plain unhold, and says what stays on hold', async () => {
      expect(await run('unhold')).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /\npublication continues; it was held: an audit\nbitcoin stays on hold: a gap; to end that: generator unhold --chain bitcoin --store file:\S+\n$/,
        ),
      });
      expect(await run('status')).toMatchObject({ stdout: expect.stringMatching(/^hold +bitcoin: a gap$/m) });
    });

    it('ends every hold with --all, and prints each with its reason', async () => {
      expect(await run('unhold', '--all')).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /\npublication continues; it was held: an audit\nbitcoin continues; it was held: a gap\n$/,
        ),
      });
      expect(await run('status')).toMatchObject({ stdout: expect.stringMatching(/^hold +no$/m) });
      expect(await run('unhold', '--all', '--chain', 'bitcoin')).toMatchObject({ code: 2 });
    });

    it('exits 2 with a plain unhold if only chains are on hold, and names them and the command', async () => {
      await run('unhold');
      expect(await run('unhold')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          `The store is not on hold, only bitcoin (a gap). Nothing was changed. To end that hold:\n  generator unhold --chain bitcoin --store file:${root}`,
        ),
      });
      expect(await run('status')).toMatchObject({ stdout: expect.stringMatching(/^hold +bitcoin: a gap$/m) });
    });
  });

  it('neither a faulty nor an absent file of a chain on hold stops the run: it warns', async () => {
    await run('hold', '--chain', 'bitcoin', '--reason', 'a gap');
    const broken = path.join(path.dirname(published.root), 'broken');
    await cp(input, broken, { recursive: true });
    await truncate(path.join(broken, 'bitcoin.csv'), 1000);
    const faulty = await publish(broken, root, NOW, '--require-all', '--all-or-nothing');
    expect(faulty).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^bitcoin\.csv:23: short row: [^]*\nbitcoin: publication is held: a gap\. /,
      ),
    });
    expect(faulty.stdout).toMatch(/^bitcoin +held +2025-02-01 +0 +0 +32\narbitrum +published /m);
    const again = await publish(broken, root, NOW, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({
      outcome: 'unchanged',
      faults: [],
      held_faults: [{ file: 'bitcoin.csv' }, { file: 'bitcoin.csv' }],
    });
    await rm(path.join(broken, 'bitcoin.csv'));
    const absent = await publish(broken, root, NOW, '--require-all');
    expect(absent).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^bitcoin\.csv: is absent .*\nbitcoin: publication is held: a gap\. /),
    });
    expect(absent.stdout).toMatch(/^bitcoin +held +2025-02-01 /m);
  });

  it('exits 9 if every chain of the input is on hold', async () => {
    await run('hold', '--chain', 'bitcoin', '--chain', 'arbitrum', '--reason', 'a gap');
    expect(await publish(input, root, NOW)).toMatchObject({ code: 9 });
    expect(await publish(input, root, NOW, '--chain', 'bitcoin')).toMatchObject({ code: 9 });
  });

  it('rolls back one chain', async () => {
    const rolled = await run(
      ...['rollback', '--to', '2025-02-01.000001', '--chain', 'bitcoin', '--reason', 'a bad day', '--json'],
    );
    expect({ code: rolled.code, ...JSON.parse(rolled.stdout) }).toMatchObject({
      code: 0,
      hold: null,
      holds: { bitcoin: 'a bad day' },
      changes: { reason: 'a bad day', chains: { bitcoin: { withdrawn: { days: 1 } } } },
    });
    expect(JSON.parse(rolled.stdout).changes.chains).not.toHaveProperty('arbitrum');
  });

  it('exits 2 for a chain that the store does not have', async () => {
    expect(
      await run('rollback', '--to', '2025-02-01.000001', '--chain', 'base', '--reason', 'x'),
    ).toMatchObject({ code: 2, stderr: expect.stringContaining('has no days of base') });
  });
});
