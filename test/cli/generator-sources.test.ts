import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { addDays, toDate } from '../../schemas/dates.js';
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
import { ofClass, ofTag, readSvg } from '../support/pages/svg-reader.js';
import { runInProcess, type GeneratorRun } from '../support/process/generator-run.js';
import { replyStatus } from '../support/sources/fake-service.js';
import { startGrowthepieScene, type GrowthepieScene } from '../support/sources/growthepie-scene.js';

let scene: CollectScene;
let growthepie: GrowthepieScene;
let sources: SourcesPolicy['sources'];
let policy: string;
beforeEach(async () => {
  scene = await createCollectScene();
  growthepie = await startGrowthepieScene();
  growthepie.master['last_updated_utc'] = new Date().toISOString().slice(0, 19).replace('T', ' ');
  sources = { ours: OWN_FILES, growthepie: { kind: 'growthepie', endpoint: growthepie.service.endpoint } };
  policy = await scene.writePolicy({ sources, chains: { base: FILLED } });
});
afterEach(async () => {
  await growthepie.service.dispose();
  await scene.dispose();
});

const FILLED = {
  source: 'growthepie',
  since: FIRST_DATE,
  fill: [{ source: 'ours', metrics: ['fee_median' as const] }],
};
const BY_OURS = { source: 'ours', since: FIRST_DATE };

function run(name: string, ...options: readonly string[]): Promise<GeneratorRun> {
  return runInProcess(['sources', ...name.split(' '), '--policy', policy, ...options], MORNING);
}

describe('generator sources list', () => {
  it('shows the terms of each source, what the chains take from it, and its last success', async () => {
    await scene.collect();
    const { code, stdout, stderr } = await run('list', ...scene.into);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ours {2}\(files\) {2}Our pipeline\n {2}licence +own data; may be sold: yes\n/);
    expect(stdout).toMatch(
      /base +gives fee_median; last success 2026-03-27T06:15:00Z: 2026-03-26 fee_median\n/,
    );
    expect(stdout).toMatch(/growthepie {2}https:[^]*licence +CC BY 4\.0[^]*attribution +Source: growthepie/);
    expect(stdout).toMatch(
      /complete +from 06:15 UTC of the next day, revised for 7 d\n {2}requests +at most 8 a minute/,
    );
    expect(stdout).toMatch(/base +main source; last success .*2026-03-26 .*tx_count\n/);
    expect(stdout).toMatch(/definitions +tx_count: /);
  });

  it('says that nothing was accepted yet, and without --into nothing about it', async () => {
    expect((await run('list', ...scene.into)).stdout).toContain('main source; nothing accepted yet\n');
    expect((await run('list')).stdout).toContain('main source\n');
  });

  it('lists a source that the policy may not use, and why', async () => {
    const unknown = { ours: { ...OWN_FILES, resale: 'unknown' as const } };
    await scene.writePolicy({ commercial: true, sources: unknown, chains: { base: BY_OURS } });
    const { code, stdout } = await run('list', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 'sources-list/1',
      sources: [
        {
          id: 'ours',
          kind: 'files',
          resale: 'unknown',
          refusal: expect.stringContaining('Ask the source'),
          chains: { base: { use: 'main' } },
        },
      ],
    });
  });

  it('tells which metrics a check must agree on', async () => {
    const check = [{ source: 'growthepie', same: ['tx_count' as const] }];
    await scene.writePolicy({ sources, chains: { base: { ...BY_OURS, check } } });
    expect((await run('list')).stdout).toMatch(/base +check, must agree on tx_count\n/);
  });
});

describe('generator sources check', () => {
  /** The last date that has ended: a source must have it. */
  const yesterday = (): string => toDate(Math.floor(Date.now() / 86_400_000) - 1);
  const since = (): string => addDays(yesterday(), -3);

  it('exits 0 and prints every item if the sources have the expected form', async () => {
    await scene.write('base.csv', dailyCsv(since(), yesterday()));
    await scene.writePolicy({ chains: { base: { ...BY_OURS, since: since() } } });
    const { code, stdout, stderr } = await run('check');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^chain +source +item +expected +found +agrees\n/);
    expect(stdout).toMatch(/base +ours +column tx_count of base\.csv +.* +column 2 +yes\n/);
  });

  it('exits 3 if anything differs, and says how much', async () => {
    const { code, stdout, stderr } = await run('check');
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: 'base: growthepie differs in 6 items.\nbase: ours differs in 1 item.\n',
    });
    expect(stdout).toMatch(/newest value of txcount for base +\d{4}-\d\d-\d\d +2026-03-26 +NO\n/);
  });

  it('exits 7 if a source does not answer, and still checks the others', async () => {
    await scene.write('base.csv', dailyCsv(since(), yesterday()));
    growthepie.replace('/v1/master.json', replyStatus(429, { 'Retry-After': '3600' }));
    const { code, stdout, stderr } = await run('check', '--json');
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: expect.stringMatching(/^base: growthepie: .*status 429/),
    });
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 'sources-check/1',
      checked: [
        { source: 'growthepie', items: [], error: { code: 'unavailable' } },
        { source: 'ours', error: null },
      ],
    });
  });

  it('checks only the sources of --chain', async () => {
    await scene.writePolicy({ sources, chains: { arbitrum: BY_OURS, base: FILLED } });
    const { stdout } = await run('check', '--chain', 'base', '--json');
    const { checked } = JSON.parse(stdout) as { checked: { chain: string }[] };
    expect(new Set(checked.map(({ chain }) => chain))).toEqual(new Set(['base']));
  });

  it('checks a source also before its licence is settled', async () => {
    const refused = { ours: { ...OWN_FILES, resale: 'no' as const } };
    await scene.writePolicy({ commercial: true, sources: refused, chains: { base: BY_OURS } });
    expect(await run('check')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('ours differs in 1 item'),
    });
  });
});

describe('generator sources diff', () => {
  const SPAN = ['--chain', 'base', '--since', FIRST_DATE, '--until', LAST_DATE];

  /** Writes the values of growthepie as our file, without one date and with another value on one. */
  async function writeOurs(): Promise<void> {
    const rows = growthepie.exports['txcount']?.filter(({ origin }) => origin === 'base') ?? [];
    const lines = rows.map(
      ({ date, value }) => `${date},${date === '2026-03-20' ? 1_000_000 : Number(value)}`,
    );
    await scene.write(
      'base.csv',
      `${['date,tx_count', ...lines].filter((line) => !line.startsWith('2026-03-17')).join('\n')}\n`,
    );
  }

  it('shows per metric where both have values, whether they are equal, and their ratios', async () => {
    await writeOurs();
    const { code, stdout, stderr } = await run('diff ours growthepie', ...SPAN);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^base, 2026-03-15 to 2026-03-26\nmetric +both +equal +only ours +only growthepie +median +least +most\n/,
    );
    expect(stdout).toMatch(/tx_count +11 +10 +0 +1: 2026-03-17 +1 +0\.495\d+ 2026-03-20 +1 2026-03-15\n/);
    expect(stdout).toMatch(/fee_median +0 +0 +0 +12: 2026-03-15\.\.2026-03-26 +- +- +-\n/);
    expect(stdout).toContain('ours divided by growthepie');
  });

  it('with --json, prints every ratio', async () => {
    await writeOurs();
    const { stdout } = await run('diff growthepie ours', ...SPAN, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 'sources-diff/1',
      chain: 'base',
      a: 'growthepie',
      b: 'ours',
      since: FIRST_DATE,
      metrics: expect.arrayContaining([
        expect.objectContaining({
          metric: 'tx_count',
          both: 11,
          onlyA: [{ first: '2026-03-17', last: '2026-03-17', dates: 1 }],
        }),
      ]),
    });
  });

  it('with --svg, draws the ratios as a chart that stands alone', async () => {
    await writeOurs();
    const file = path.join(scene.folder, 'ratios.svg');
    expect(await run('diff ours growthepie', ...SPAN, '--svg', file)).toMatchObject({ code: 0 });
    const svg = readSvg(await readFile(file, 'utf8'));
    expect(ofTag(svg, 'title')[0]?.text).toBe('base: ours divided by growthepie');
    expect(ofTag(svg, 'desc')[0]?.text).toContain('tx_count: median 1, from 0.495005 (20 March 2026)');
    expect(ofClass(svg, 'zero')).toHaveLength(1); // one metric is in both
  });

  it('draws a chart that says that no metric is in both', async () => {
    await scene.write('base.csv', 'date,block_count\n2026-03-20,43200\n');
    const file = path.join(scene.folder, 'ratios.svg');
    await run('diff ours growthepie', ...SPAN, '--svg', file);
    expect(ofTag(readSvg(await readFile(file, 'utf8')), 'desc')[0]?.text).toContain('No dates in both');
  });

  it.each<[string, string, readonly string[], RegExp]>([
    [
      'an unknown source',
      'diff ours theirs',
      SPAN,
      /The policy has no source theirs; it has ours, growthepie/,
    ],
    [
      'a misspelled source',
      'diff ours growthpie',
      SPAN,
      /\(Did you mean growthepie\?\)\n {2}generator sources diff ours growthepie .*\n$/,
    ],
    [
      'the same source twice',
      'diff ours ours',
      SPAN,
      /Name two different sources\.\n {2}generator sources diff --help\n$/,
    ],
    ['no chain', 'diff ours growthepie', [], /required option '--chain <chain>'/],
    ['two chains', 'diff ours growthepie', [...SPAN, '--chain', 'arbitrum'], /Name one chain with --chain/],
    ['one source', 'diff ours', SPAN, /missing required argument 'b'/],
    ['no dates', 'diff ours growthepie', [...SPAN, '--until', '2026-03-01'], /There is no date from/],
    [
      'a chart that cannot be written',
      'diff ours growthepie',
      [...SPAN, '--svg', '/none/x.svg'],
      /--svg .* cannot be written \(ENOENT\)/,
    ],
  ])('exits 2 for %s', async (_name, name, options, message) => {
    expect(await run(name, ...options)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  });

  it('exits 7 if a source does not answer, and 3 if it answers in another form', async () => {
    growthepie.replace('/v1/export/txcount.json', '{}');
    expect(await run('diff ours growthepie', ...SPAN)).toMatchObject({ code: 3 });
    growthepie.replace('/v1/master.json', replyStatus(429, { 'Retry-After': '3600' }));
    expect(await run('diff ours growthepie', ...SPAN)).toMatchObject({ code: 7 });
  });
});
