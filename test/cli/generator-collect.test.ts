import type { CollectReport } from '../../generator/collect/collect-report.js';
import type { SourcesPolicy } from '../../schemas/types.generated.js';
import {
  createCollectScene,
  dailyCsv,
  FIRST_DATE,
  LAST_DATE,
  MORNING,
  OWN_FILES,
  type CollectScene,
} from '../support/collection/collect-scene.js';
import { runInProcess } from '../support/process/generator-run.js';
import { startGrowthepieScene, type GrowthepieScene } from '../support/sources/growthepie-scene.js';
import { replyStatus } from '../support/sources/fake-service.js';

let scene: CollectScene;
beforeEach(async () => void (scene = await createCollectScene()));
afterEach(() => scene.dispose());

/** Returns the report of a run with --json. */
async function report(options: readonly string[] = [], at?: string) {
  const { code, stdout } = await scene.collect([...options, '--json'], at);
  return { code, ...(JSON.parse(stdout) as CollectReport) };
}

/** Runs the command that stderr ends with, with a reason. */
async function paste(stderr: string, at: string) {
  const [, command = ''] = /: generator (collect .*)\n$/.exec(stderr) ?? [];
  const words = command.match(/'[^']*'|\S+/g) ?? [];
  const reason = (word: string): string => (word === "'<public reason>'" ? 'the source was right' : word);
  return runInProcess(words.map(reason), at);
}

describe('generator collect', () => {
  it('keeps what its sources give as an input of publish, and says what it did', async () => {
    expect(await scene.collect()).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^chain +through +new .*\nbase +2026-03-26 +12 +0 +0 +0 +0\ncollection 1 at file:/,
      ),
      stderr: '',
    });
    const store = ['--store', `file:${scene.folder}/store`];
    const input = ['--input', `${scene.folder}/collected`];
    expect(await runInProcess(['publish', ...input, ...store], MORNING)).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await scene.csv('base')).toContain('2026-03-15,100001,50001,');
  });

  it('writes nothing when it runs again', async () => {
    await scene.collect();
    const before = await scene.collected();
    expect(await scene.collect()).toMatchObject({ code: 0, stderr: '' });
    expect(await scene.collected()).toEqual(before);
  });

  it('with --dry-run, reports what it would accept and writes nothing', async () => {
    expect(await report(['--dry-run'])).toMatchObject({
      code: 0,
      dry_run: true,
      sequence: 0,
      chains: { base: { accepted: 12, through: LAST_DATE } },
    });
    expect((await scene.collect(['--dry-run'])).stdout).toContain('nothing was written');
    expect((await scene.collected()).size).toBe(0);
  });

  it('with --json, prints one document', async () => {
    expect(await report()).toEqual({
      code: 0,
      schema: 'collect-report/1',
      address: scene.address,
      as_of: MORNING,
      dry_run: false,
      sequence: 1,
      chains: {
        base: {
          through: LAST_DATE,
          accepted: 12,
          revised: 0,
          new_drifts: 0,
          error: null,
          awaited: [],
          drifts: [],
          newly_overdue: [],
          findings: [],
          withheld: [],
          failures: [],
          notes: [],
        },
      },
    });
  });

  it('begins with --since, and ends with --until', async () => {
    await scene.collect(['--since', '2026-03-20', '--until', '2026-03-22']);
    const dates = (await scene.csv('base')).match(/^\d{4}-\d\d-\d\d/gm);
    expect(dates).toEqual(['2026-03-20', '2026-03-21', '2026-03-22']);
  });

  it('collects only the chains of --chain', async () => {
    await scene.write('arbitrum.csv', dailyCsv());
    const entry = { source: 'ours', since: FIRST_DATE };
    await scene.writePolicy({ chains: { arbitrum: entry, base: entry } });
    expect(Object.keys((await report(['--chain', 'arbitrum'])).chains)).toEqual(['arbitrum']);
    expect(Object.keys((await report()).chains)).toEqual(['arbitrum', 'base']);
  });

  it('with --from, takes all chains of a source with the default rules', async () => {
    const from = ['collect', '--from', 'growthepie', ...scene.into, '--json'];
    const { code, stdout } = await runInProcess([...from, '--until', '2020-01-01'], MORNING); // before its first date
    expect(code).toBe(0);
    expect(JSON.parse(stdout).chains).toMatchObject({ arbitrum: { accepted: 0 }, base: { accepted: 0 } });
  });
});

describe('what needs a person', () => {
  it('exits 5 once for a revision that is kept back, and the printed command accepts it', async () => {
    await scene.collect();
    await scene.write(
      'base.csv',
      `${dailyCsv().replace('2026-03-20,100006', '2026-03-20,150000')}2026-03-27,100013,50013,1000.1,0.0003\n`,
    );
    const next = '2026-03-28T06:15:00Z';
    const first = await scene.collect([], next);
    expect(first).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('2026-03-20 tx_count: accepted 100006, ours now has 150000'),
    });
    expect(await scene.csv('base')).toMatch(/2026-03-20,100006,[^]*2026-03-27,100013,/); // the new date is in
    const second = await scene.collect([], next);
    expect(second).toMatchObject({ code: 0, stderr: first.stderr });
    expect(await paste(second.stderr, next)).toMatchObject({ code: 0, stderr: '' });
    expect(await scene.csv('base')).toContain('2026-03-20,150000,');
  });

  it('says that an acceptance matched nothing', async () => {
    await scene.collect();
    const options = ['--chain', 'base', '--accept', '2026-03-20:tx_count', '--reason', 'counted again'];
    expect(await scene.collect(options)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        '--accept 2026-03-20:tx_count changed nothing: the value is already accepted',
      ),
    });
  });

  it('exits 8 once when a deadline has passed, and takes the day as it is', async () => {
    await scene.write('base.csv', `${dailyCsv()}2026-03-27,100013,50013,1000.1,\n`);
    expect(await scene.collect([], '2026-03-28T06:15:00Z')).toMatchObject({
      code: 0,
      stderr:
        'base: 2026-03-27 lacks fee_median: awaited since 2026-03-28T06:15:00Z, until 2026-03-28T12:00:00Z. ours has no fee_median yet.\n',
    });
    expect(await scene.csv('base')).not.toContain('2026-03-27');
    const late = await scene.collect([], '2026-03-28T12:15:00Z');
    expect(late).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('its deadline 2026-03-28T12:00:00Z has passed just now'),
    });
    expect(await scene.csv('base')).toContain('2026-03-27,100013,50013,1000.1,\n');
    const later = await scene.collect([], '2026-03-28T13:15:00Z');
    expect(later).toMatchObject({ code: 0, stderr: late.stderr.replace(' just now', '') });
  });

  it('says once what many dates lack, of a source that has ended', async () => {
    expect(await scene.collect([], '2026-04-05T06:15:00Z')).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(
        /^base: 2026-03-27 to 2026-04-03 \(8 dates\) lack tx_count, .+: their deadlines, 2026-03-28T12:00:00Z to 2026-04-04T12:00:00Z, have passed just now; what comes later is filled in\. ours has no tx_count yet\..*\nbase: 2026-04-04 lacks tx_count, .+: awaited since .+\n$/,
      ),
    });
  });

  it('withholds a value far from the others, and the printed command accepts it', async () => {
    await scene.write('base.csv', `${dailyCsv()}2026-03-27,900000,50013,1000.1,0.0003\n`);
    const at = '2026-03-28T06:15:00Z';
    const { code, stderr } = await scene.collect([], at);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /jump: tx_count is 900000.*\n {2}If the value is true: generator collect /,
      ),
    });
    expect(await paste(stderr, at)).toMatchObject({ code: 0, stderr: '' });
    expect(await scene.csv('base')).toContain('2026-03-27,900000,');
  });

  it('exits 3 when a source has another form, keeps what it had, and continues with the other chains', async () => {
    await scene.collect();
    await scene.change('base.csv', '2026-03-26,100012', '2026-03-26,many');
    await scene.write('arbitrum.csv', dailyCsv());
    const entry = { source: 'ours', since: FIRST_DATE };
    const policy = await scene.writePolicy({ chains: { arbitrum: entry, base: entry } });
    expect(await scene.collect()).toMatchObject({
      code: 3,
      stderr: `base: ours: base.csv:13:2: tx_count "many" is not a number. Write a decimal such as 12.5 or 9.44e-07, or leave the cell empty when the value is missing. What was accepted before stays.\n  To compare the source with what its adapter expects: generator sources check --policy ${policy} --chain base\n`,
    });
    expect(await scene.csv('arbitrum')).toContain(LAST_DATE);
    expect(await scene.csv('base')).toContain('2026-03-26,100012,');
  });
});

describe('with growthepie', () => {
  const SINCE = { source: 'growthepie', since: FIRST_DATE };
  let growthepie: GrowthepieScene;
  let sources: SourcesPolicy['sources'];
  beforeEach(async () => {
    growthepie = await startGrowthepieScene();
    growthepie.master['last_updated_utc'] = new Date().toISOString().slice(0, 19).replace('T', ' ');
    sources = { ours: OWN_FILES, growthepie: { kind: 'growthepie', endpoint: growthepie.service.endpoint } };
    await scene.writePolicy({ sources, chains: { arbitrum: SINCE, base: SINCE } });
  });
  afterEach(() => growthepie.service.dispose());

  it('asks at most two times when nothing is new', async () => {
    expect(await scene.collect()).toMatchObject({ code: 0, stderr: '' });
    expect(await scene.csv('arbitrum')).toContain(LAST_DATE);
    growthepie.service.takeRequests();
    expect(await scene.collect()).toMatchObject({ code: 0 });
    expect(growthepie.service.takeRequests().length).toBeLessThanOrEqual(2);
  });

  it('exits 7 while the source is unavailable, and continues with the other chains', async () => {
    await scene.writePolicy({
      sources,
      chains: { arbitrum: SINCE, base: { source: 'ours', since: FIRST_DATE } },
    });
    growthepie.replace('/v1/master.json', replyStatus(429, { 'Retry-After': '3600' }));
    expect(await scene.collect()).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(
        /^arbitrum: growthepie: .*status 429.*stays\.\n {2}The next run tries again\.\n$/,
      ),
    });
    expect(await scene.csv('base')).toContain(LAST_DATE);
  });

  it('keeps what was accepted when it is interrupted', async () => {
    await scene.write('ethereum.csv', dailyCsv());
    const required = ['tx_count' as const];
    const policy = await scene.writePolicy({
      sources,
      chains: { ethereum: { source: 'ours', since: FIRST_DATE, rules: { required } }, base: SINCE },
    });
    const interruption = new AbortController();
    growthepie.replace('/v1/master.json', () => interruption.abort());
    const args = ['collect', '--policy', policy, ...scene.into];
    expect(await runInProcess(args, MORNING, interruption)).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(
        /^generator: interrupted: collection \d at file:.* stays\. Run again to continue\.\n {2}generator collect --policy .*\n$/,
      ),
    });
    expect(await scene.csv('ethereum')).toContain(LAST_DATE);
  });

  it('collects a chain again when another collection is committed meanwhile', async () => {
    const own = await scene.write(
      'own.json',
      JSON.stringify({
        schema: 'sources-policy/1',
        sources: { ours: OWN_FILES },
        chains: { base: { source: 'ours', since: FIRST_DATE } },
      }),
    );
    growthepie.replace('/v1/master.json', (res) =>
      runInProcess(['collect', '--policy', own, ...scene.into], MORNING).then(() =>
        res.end(JSON.stringify(growthepie.master)),
      ),
    );
    expect(await scene.collect()).toMatchObject({ code: 0, stderr: '' });
    expect(await scene.csv('arbitrum')).toContain(LAST_DATE);
    expect(await scene.csv('base')).toContain(LAST_DATE);
  });
});
