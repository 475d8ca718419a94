import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import {
  createPublishedStore,
  RESTATED,
  type PublishedStore,
} from '../../support/release/published-store.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const RUNBOOK = path.join(import.meta.dirname, '../../../generator/RUNBOOK.md');
/** The true time, and that of a clock two days ahead. */
const NOW = '2025-02-03T12:00:00Z';
const AHEAD = '2025-02-05T12:00:00Z';
/** An hour after the release from the future was published. */
const LATER = '2025-02-05T13:00:00Z';
/** The release before it. */
const GOOD = '2025-02-02.000001';

/** Returns the command lines in a section of the runbook, in their order. */
async function commandsOf(heading: string): Promise<string[]> {
  const text = await readFile(RUNBOOK, 'utf8');
  const [, section = ''] = text.split(`\n### ${heading}\n`);
  return [...(section.split('\n### ')[0] ?? '').matchAll(/^ *generator (.*)$/gm)].map(
    ([, line = '']) => line,
  );
}

describe('a release that a clock two days ahead has published', () => {
  let published: PublishedStore;
  let folder: TemporaryFolder;
  /** Input through 2025-02-04, and through 2025-02-02, the last complete day. */
  let late: string;
  let current: string;
  let store: string;
  beforeAll(async () => {
    [published, folder] = await Promise.all([createPublishedStore(), createTemporaryFolder()]);
    const write = (name: string, bitcoin: number, arbitrum: number): Promise<string> =>
      writeSmallInput(path.join(folder.path, name), { days: { bitcoin, arbitrum }, revised: RESTATED });
    late = await write('late', 35, 12);
    current = await write('current', 33, 10);
  }, 300_000);
  afterAll(async () => {
    await Promise.all([published.dispose(), folder.dispose()]);
  });
  beforeEach(async () => {
    store = `file:${await published.copy()}`;
    expect(await publish(late, store, AHEAD)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/dated 2025-02-05T12:00:00Z, 72 hours after the one before it/),
    });
  });

  const publish = (input: string, at: string, now: string): Promise<GeneratorRun> =>
    runInProcess(['publish', '--input', input, '--store', at], now);

  it('is reported by status, verify and publish, which name the same two instants', async () => {
    const told = 'is from the future: it was published at 2025-02-05T12:00:00Z, but';
    const status = await runInProcess(['status', '--store', store], NOW);
    expect(status).toMatchObject({ code: 8, stderr: expect.stringContaining(told) });
    expect(status.stdout).toMatch(/published 2025-02-05T12:00:00Z, in the future\n/);
    expect(status.stdout).toMatch(/^bitcoin +2025-02-04 .* day not over /m);
    expect(status.stdout).toMatch(
      /^next +compare this machine's clock first .*; otherwise set the clocks, then .*generator rollback/m,
    );
    expect(status.stdout).not.toMatch(/nothing to do|fresh +no/);
    const monitor = ['status', '--max-lag-days', '2', '--store', store];
    expect(await runInProcess(monitor, NOW)).toMatchObject({ code: 8 });
    const verified = await runInProcess(['verify', '--store', store], NOW);
    expect(verified).toMatchObject({ code: 8, stderr: expect.stringContaining(told) });
    expect(verified.stderr).toContain('verification failed: 1 fault\n');
    const refused = await publish(current, store, NOW);
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(told) });
    expect(refused.stderr).not.toContain('Use that instant');
    for (const { stderr } of [status, verified, refused])
      expect(stderr).toMatch(/compare this machine's clock first \(date -u\): if it is behind, set it/i);
  });

  it('is 0 days old to a clock that is two minutes behind', async () => {
    const { stdout } = await runInProcess(['status', '--store', store], '2025-02-05T11:58:00Z');
    expect(stdout).toMatch(/published 2025-02-05T12:00:00Z, 0 days ago\n/);
  });

  it('has a rollback as the next step in status, also on hold, until it is rolled back', async () => {
    const next = async (...words: string[]): Promise<string> => {
      if (words.length > 0) await runInProcess([...words, '--store', store], NOW);
      const { stdout } = await runInProcess(['status', '--store', store, '--json'], NOW);
      return (JSON.parse(stdout) as { next: string }).next;
    };
    expect(await next('hold', '--reason', 'why')).toContain('generator rollback --to');
    expect(await next('rollback', '--to', GOOD, '--reason', 'why')).toMatch(
      /^publication is held \(why\); after 2025-02-05T12:00:00Z: generator unhold /,
    );
    expect(await next('hold', '--reason', 'still')).toMatch(/^publication is held \(still\); after /);
    expect(await next('unhold')).toBe('publish works again after 2025-02-05T12:00:00Z');
  });

  it('is no longer in the future after its date: status and verify then exit 0', async () => {
    expect(await runInProcess(['status', '--store', store], LATER)).toMatchObject({ code: 0 });
    expect(await runInProcess(['verify', '--store', store], LATER)).toMatchObject({ code: 0 });
  });

  it('can be held, rolled back and released at once; each release has the next sequence and the same published_at', async () => {
    const seen: unknown[] = [];
    for (const command of ['hold --reason why', `rollback --to ${GOOD} --reason why`, 'unhold']) {
      const { code, stdout } = await runInProcess([...command.split(' '), '--store', store, '--json'], NOW);
      const { revision, sequence, published_at } = JSON.parse(stdout) as Record<string, unknown>;
      seen.push([code, revision, sequence, published_at]);
    }
    expect(seen).toEqual([
      [0, '2025-02-05.000002', 4, AHEAD],
      [0, '2025-02-05.000003', 5, AHEAD],
      [0, '2025-02-05.000004', 6, AHEAD],
    ]);
    expect(await runInProcess(['verify', '--deep', '--store', store], LATER)).toMatchObject({ code: 0 });
  });

  it('is overcome by the commands of the runbook', async () => {
    const fresh = `file:${path.join(folder.path, 'fresh')}`;
    let [now, digest] = [NOW, ''];
    const codes: string[] = [];
    for (const line of await commandsOf('Release from the future')) {
      const places: Record<string, string> = { $A: store, $FRESH: fresh, $IN: late, $DIGEST: digest };
      const words = (line.match(/"[^"]*"|\S+/g) ?? []).map(
        (word) => places[word] ?? word.replaceAll('"', ''),
      );
      if (words[0] === 'unhold') now = LATER;
      const args = words.map((word) => (/^\d{4}-\d{2}-\d{2}\.\d{6}$/.test(word) ? GOOD : word));
      const { code, stdout } = await runInProcess([...args, '--json'], now);
      codes.push(`${args[0] ?? ''} ${code}`);
      if (args[0] === 'plan') digest = (JSON.parse(stdout) as { plan_digest: string }).plan_digest;
    }
    expect(codes).toEqual(['hold 0', 'rollback 0', 'copy 0', 'unhold 0', 'plan 5', 'publish 0']);
    for (const at of [store, fresh])
      expect(await runInProcess(['verify', '--deep', '--store', at], LATER)).toMatchObject({ code: 0 });
    expect(await runInProcess(['status', '--store', store], LATER)).toMatchObject({ code: 0 });
    // The copy does not have the bad release, and publishes at once.
    expect(await runInProcess(['status', '--store', fresh], NOW)).toMatchObject({ code: 0 });
    expect(await publish(current, fresh, NOW)).toMatchObject({ code: 0, stderr: '' });
  });
});
