import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { methodologyTextUrl } from '../../schemas/methodology.js';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';
import {
  argumentsFor,
  changeDigit,
  copyGold,
  downloadRelease,
  RECOMPUTE,
  regimeRows,
  runPython,
  runRecompute,
  type Download,
} from '../fixtures/recompute-run.js';
import { createRandom } from '../fixtures/seeded.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

const SLOW_MS = 60_000;
const FIRST = '2022-01-01';
const LAST = '2022-03-01';

let folder: TemporaryFolder;
let small: Download;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  const store = createMemoryStore();
  const series = (['base', 'arbitrum'] as const).map((chain, seed) =>
    randomSeries({ chain, seed, days: 60 }),
  );
  await publishSeries(store, { inputs: series, asOf: '2022-03-02' });
  small = await downloadRelease(store, path.join(folder.path, 'small'));
}, SLOW_MS);
afterAll(() => folder.dispose());

describe('gold days that are missing', () => {
  const compare = async (gold: string) =>
    runRecompute(argumentsFor(small, [gold], '--compare', small.calendar('arbitrum')));

  it('within the series are told, with how many, and nothing is computed', async () => {
    const gold = await copyGold(small, 'arbitrum');
    for (const date of ['2022-01-20', '2022-01-21', '2022-02-28']) {
      await rm(path.join(gold, `${date}.json`));
    }
    const run = await runRecompute(argumentsFor(small, [gold]));
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toMatch(/missing: 2022-01-20 first, 3 in all\. .* download what is missing\.\n$/);
  });

  it('at the start are told, for everything rests on them', async () => {
    const gold = await copyGold(small, 'arbitrum');
    await rm(path.join(gold, `${FIRST}.json`));
    const run = await compare(gold);
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('the gold days begin on 2022-01-02, ');
  });

  it('at the end count as dates that differ', async () => {
    const gold = await copyGold(small, 'arbitrum');
    await rm(path.join(gold, '2022-02-28.json'));
    await rm(path.join(gold, `${LAST}.json`));
    expect(await compare(gold)).toEqual({
      code: 1,
      stdout: '60 dates compared, 2 differ\n',
      stderr:
        '2022-02-28: published, but there is no gold day: download it\n' +
        '2022-03-01: published, but there is no gold day: download it\n',
    });
  });
});

describe('what cannot be used', () => {
  const day = { schema: 'gold-day/1', chain: 'arbitrum', date: '2024-01-01', source: 'a' };
  const metrics = '{"active_addresses":null,"fee_median":9.44e-7,"fees_total":12.5,"tx_count":1000000}';
  const goldText = (from: string, to: string): string =>
    canonicalJson({ ...day, metrics: 0 }).replace('"metrics":0', `"metrics":${metrics.replace(from, to)}`);

  it.each([
    ['text that is no JSON', '{"schema":', 'is not valid JSON'],
    ['a list', '[]', 'holds no JSON object'],
    ['a number that no double holds', goldText('12.5', '1e999'), '1e999 is no finite double'],
    ['NaN', goldText('12.5', 'NaN'), 'is not valid JSON'],
    ['a number in quotes', goldText('12.5', '"12.5"'), 'fees_total is "12.5"'],
    ['true for a number', goldText('12.5', 'true'), 'fees_total is true'],
    ['a metric that is absent', goldText('"fees_total":12.5,', ''), 'has no fees_total'],
    ['no metrics', canonicalJson(day), 'is not whole'],
    ['a record of another genre', canonicalJson({ ...day, schema: 'meta-day/1' }), 'is no gold day'],
    ['a day that there is not', canonicalJson({ ...day, date: '2023-02-29' }), 'is no gold day'],
    ['an unknown chain', goldText('', '').replace('arbitrum', 'atlantis'), 'has no chain atlantis'],
    ['a bundle of another genre', '{"schema":"bundle/1","genre":"meta"}', 'is no bundle of gold days'],
    ['a bundle of nothing', '{"schema":"bundle/1","genre":"gold","days":[0]}', 'is no gold day'],
    ['a bundle without a day', '{"schema":"bundle/1","genre":"gold","days":[]}', 'has no gold days'],
  ])('%s is told by a sentence, as a gold file', async (_what, text, told) => {
    const file = path.join(folder.path, 'bad.json');
    await writeFile(file, text);
    await expectTold(argumentsFor(small, [file]), told);
  });

  it.each<[string, () => string[], string]>([
    ['a folder that is not there', () => argumentsFor(small, [`${folder.path}/nowhere`]), 'cannot be read'],
    ['a folder without days', () => argumentsFor(small, [small.folder]), 'has no gold days'],
    [
      'gold days of two chains',
      () => argumentsFor(small, [small.days('gold', 'base'), small.days('gold', 'arbitrum')]),
      'is of another chain than base',
    ],
    [
      'another file in place of the methodology',
      () => ['--methodology', small.bundle('gold', 'base', '365d'), small.days('gold', 'base')],
      'is not the methodology',
    ],
    [
      'a calendar of another chain',
      () => argumentsFor(small, [small.days('gold', 'base')], '--compare', small.calendar('arbitrum')),
      'is of another chain than the gold days, base',
    ],
    [
      'something to compare with that is no calendar',
      () => argumentsFor(small, [small.days('gold', 'base')], '--compare', RECOMPUTE),
      'is no regime calendar',
    ],
    [
      'a start of another day',
      () =>
        argumentsFor(small, [small.days('gold', 'base')], '--start', small.bundle('meta', 'base', '365d')),
      'is no meta day with gold days after it',
    ],
    ['no methodology', () => [small.days('gold', 'base')], 'required: --methodology'],
    ['an unknown option', () => argumentsFor(small, ['x'], '--fast'), 'unrecognized arguments: --fast'],
  ])('%s is told by a sentence', (_what, args, told) => expectTold(args(), told));

  it('a file under the name of another date is told', async () => {
    const gold = await copyGold(small, 'base');
    const [first = ''] = (await readdir(gold)).sort();
    await cp(path.join(gold, first), path.join(gold, '2022-03-02.json'));
    await expectTold(argumentsFor(small, [gold]), 'says that its date is 2022-01-01');
  });

  it('two gold days of one date that differ are told', async () => {
    const gold = await copyGold(small, 'base');
    await changeDigit(path.join(gold, '2022-02-15.json'), 'tx_count');
    const bundle = small.bundle('gold', 'base', '365d');
    await expectTold(argumentsFor(small, [gold, bundle]), 'has another 2022-02-15 than an earlier file');
  });

  async function expectTold(args: readonly string[], told: string): Promise<void> {
    const run = await runRecompute(args);
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(told);
    expect(run.stderr).not.toContain('Traceback');
  }
});

it('its help says what to give, what comes out, and with which exit codes', async () => {
  const { code, stdout, stderr } = await runRecompute(['--help']);
  expect([code, stderr]).toEqual([0, '']);
  for (const told of ['v1.json mirror/gold/base --compare', '--start FILE', 'Exit codes: 0 done']) {
    expect(stdout).toContain(told);
  }
});

it('it has of the only day of a chain the record that the methodology gives as a vector', async () => {
  const text = await readFile(methodologyTextUrl('v1'), 'utf8');
  const [day = '', record = ''] = [...text.matchAll(/```\n(\{[^`]*\})\n```/g)].map(([, block = '']) =>
    block.replaceAll('\n', ''),
  );
  const gold = path.join(folder.path, 'vector');
  await mkdir(gold);
  const file = path.join(gold, '2024-01-01.json');
  const identity = { schema: 'gold-day/1', source: 'a' };
  await writeFile(file, canonicalJson({ ...(JSON.parse(day) as object), ...identity }));
  const [row] = regimeRows((await runRecompute(argumentsFor(small, [gold]))).stdout);
  expect(row).toMatchObject({ date: '2024-01-01', chain: 'arbitrum', regime: 'indeterminate' });
  expect(text.slice(text.indexOf(record.slice(-20)))).toContain(`\`${row?.determinism_hash}\`.`);
});

it(
  'it writes the numbers and texts of RFC 8785 as the product does',
  async () => {
    const random = createRandom(7);
    const doubles = Array.from({ length: 5000 }, () => {
      const bits = new DataView(new ArrayBuffer(8));
      bits.setUint32(0, Math.floor(random() * 2 ** 32));
      bits.setUint32(4, Math.floor(random() * 2 ** 32));
      return bits.getFloat64(0);
    });
    const edges = [0, -0, 1e21, 1e20, 123e19, 1e-6, 1e-7, 9.44e-7, 5e-324, 2 ** 53, 0.1 + 0.2, 100, 1.5e300];
    const decimals = Array.from({ length: 2000 }, () =>
      Number((random() * 10 ** (30 * random() - 9)).toPrecision(9)),
    );
    const numbers = [...doubles, ...edges, ...edges.map((each) => -each), ...decimals].filter(
      Number.isFinite,
    );
    const texts = ['\u{1f600}', '\u20ac', '\u2028', '\r', '"\\/', '\u0007', '\u007f', 'é'];
    const value = { numbers, texts, ...Object.fromEntries(texts.map((each) => [each, null])), t: true };
    const file = path.join(folder.path, 'values.json');
    await writeFile(file, JSON.stringify(value));
    const program = `import sys; sys.path.insert(0, sys.argv[1]); import recompute
sys.stdout.buffer.write(recompute.canonical(recompute.read_json(sys.argv[2])).encode())`;
    const run = await runPython(['-c', program, path.dirname(RECOMPUTE), file]);
    expect(run).toEqual({ code: 0, stdout: canonicalJson(JSON.parse(JSON.stringify(value))), stderr: '' });
  },
  SLOW_MS,
);
