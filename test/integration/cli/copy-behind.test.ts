import path from 'node:path';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { createPublishedStore, type PublishedStore } from '../../support/release/published-store.js';

const [FIRST, SECOND] = ['2025-02-01.000001', '2025-02-02.000001'];
/** Hours after 2025-02-02T12:00:00Z, when the second release was published. */
const after = (hours: number): string => new Date(Date.UTC(2025, 1, 2, 12 + hours)).toISOString();

describe('a copy that stays behind', () => {
  let published: PublishedStore;
  let targets = 0;
  let to: string;
  beforeAll(async () => (published = await createPublishedStore()), 30_000);
  afterAll(() => published.dispose());
  beforeEach(() => (to = path.join(path.dirname(published.root), `behind-${(targets += 1)}`)));

  async function copyAt(time: string, ...options: string[]): Promise<GeneratorRun & { revision?: string }> {
    const args = ['copy', '--from', `file:${published.root}`, '--to', `file:${to}`, '--json', ...options];
    const run = await runInProcess(args, time);
    return { ...run, ...(JSON.parse(run.stdout) as object) };
  }
  const verify = (): Promise<GeneratorRun> => runInProcess(['verify', '--deep', '--store', `file:${to}`]);

  it('has a release only after --delay hours', async () => {
    expect(await copyAt(after(23), '--delay', '24')).toMatchObject({
      code: 0,
      outcome: 'copied',
      revision: FIRST,
      behind: 1,
    });
    expect(await verify()).toMatchObject({ code: 0 });
    expect(await copyAt(after(23), '--delay', '24')).toMatchObject({ outcome: 'unchanged', revision: FIRST });
    expect(await copyAt(after(24), '--delay', '24')).toMatchObject({
      outcome: 'copied',
      revision: SECOND,
      behind: 0,
    });
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it('keeps the release that it has if --delay is raised', async () => {
    await copyAt(after(24));
    expect(await copyAt(after(24), '--delay', '48')).toMatchObject({
      outcome: 'unchanged',
      revision: SECOND,
    });
    expect(await copyAt(after(24), '--delay', '4800')).toMatchObject({ code: 0, revision: SECOND });
  });

  it('skips a release that a later rollback undid, although it is old enough', async () => {
    const root = await published.copy();
    const operate = ['rollback', '--to', FIRST, '--reason', 'a bad day', '--store', `file:${root}`];
    expect(await runInProcess(operate, after(20))).toMatchObject({ code: 0 });
    const copy = ['copy', '--from', `file:${root}`, '--to', `file:${to}`, '--json', '--delay', '24'];
    const copied = async (hours: number): Promise<unknown> =>
      JSON.parse((await runInProcess(copy, after(hours))).stdout);
    expect(await copied(30)).toMatchObject({ revision: FIRST, behind: 2 });
    expect(await copied(44)).toMatchObject({ revision: '2025-02-03.000001', behind: 0 });
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it('exits 2 and writes nothing if no release is old enough, or --to-revision names none', async () => {
    expect(await copyAt(after(0), '--delay', '48')).toMatchObject({
      code: 2,
      error: { message: expect.stringContaining('has no release that was published 48 hours ago') },
    });
    expect(await copyAt(after(0), '--to-revision', '2025-02-03.000001')).toMatchObject({
      code: 2,
      error: { message: expect.stringContaining('There is no release 2025-02-03.000001') },
    });
    expect(await runInProcess(['status', '--store', `file:${to}`])).toMatchObject({ code: 2 });
  });

  it('ends at --to-revision, and never goes back', async () => {
    expect(await copyAt(after(99), '--to-revision', FIRST)).toMatchObject({ revision: FIRST, behind: 1 });
    expect(await verify()).toMatchObject({ code: 0 });
    expect(await copyAt(after(99))).toMatchObject({ outcome: 'copied', revision: SECOND });
    expect(await copyAt(after(99), '--to-revision', FIRST)).toMatchObject({
      code: 2,
      error: { message: expect.stringContaining('A copy never goes back') },
    });
  });
});
