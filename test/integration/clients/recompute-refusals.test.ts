import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { methodologyTextUrl } from '../../../schemas/methodology.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import {
  argumentsFor,
  changeDigit,
  copyGold,
  downloadRelease,
  regimeRows,
  runPython,
  runRecompute,
  type Download,
} from '../../support/clients/recompute-run.js';
import { createRandom } from '../../support/random/seeded.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 300_000;
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
}, INSTALL_MS);
afterAll(() => folder.dispose(), SLOW_MS);

describe('missing gold days', () => {
  const compare = async (gold: string) =>
    runRecompute(argumentsFor(small, [gold], '--compare', small.calendar('arbitrum')));

  it('within the series are reported with their number, and nothing is computed', async () => {
    const gold = await copyGold(small, 'arbitrum');
    for (const date of ['2022-01-20', '2022-01-21', '2022-02-28']) {
      await rm(path.join(gold, `${date}.json`));
    }
    const run = await runRecompute(argumentsFor(small, [gold]));
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toMatch(
      /3 gold days are missing, the first on 2022-01-20\. .* Download the missing files\.\n$/,
    );
  });

  it('at the start are reported, because all results depend on them', async () => {
    const gold = await copyGold(small, 'arbitrum');
    await rm(path.join(gold, `${FIRST}.json`));
    const run = await compare(gold);
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('the gold days begin on 2022-01-02, but ');
  });

  it('at the end count as differences', async () => {
    const gold = await copyGold(small, 'arbitrum');
    await rm(path.join(gold, '2022-02-28.json'));
    await rm(path.join(gold, `${LAST}.json`));
    expect(await compare(gold)).toEqual({
      code: 1,
      stdout: '60 dates compared, 2 differ\n',
      stderr:
        '2022-02-28: published, but there is no gold day. Download it.\n' +
        '2022-03-01: published, but there is no gold day. Download it.\n',
    });
  });
});

describe('crd recompute refuses with a clear error', () => {
  const day = { schema: 'gold-day/1', chain: 'arbitrum', date: '2024-01-01', source: 'a' };
  const metrics = '{"active_addresses":null,"fee_median":9.44e-7,"fees_total":12.5,"tx_count":1000000}';
  const goldText = (from: string, to: string): string =>
    canonicalJson({ ...day, metrics: 0 }).replace('"metrics":0', `"metrics":${metrics.replace(from, to)}`);

  it.each([
    ['text that is not JSON', '{"schema":', 'is not valid JSON'],
    ['a list', '[]', 'does not contain a JSON object'],
    ['a number above the range of doubles', goldText('12.5', '1e999'), '1e999 is not a finite double'],
    ['NaN', goldText('12.5', 'NaN'), 'is not valid JSON'],
    ['a number in quotes', goldText('12.5', '"12.5"'), 'fees_total is "12.5"'],
    ['true for a number', goldText('12.5', 'true'), 'fees_total is true'],
    ['a missing metric', goldText('"fees_total":12.5,', ''), 'has no fees_total'],
    ['no metrics', canonicalJson(day), 'is incomplete'],
    ['a record of another genre', canonicalJson({ ...day, schema: 'meta-day/1' }), 'is not a gold day'],
    ['an invalid date', canonicalJson({ ...day, date: '2023-02-29' }), 'is not a gold day'],
    ['an unknown chain', goldText('', '').replace('arbitrum', 'atlantis'), 'has no chain atlantis'],
    ['a bundle of another genre', '{"schema":"bundle/1","genre":"meta"}', 'is not a bundle of gold days'],
    [
      'a bundle with a number for a record',
      '{"schema":"bundle/1","genre":"gold","days":[0]}',
      'is not a gold day',
    ],
    ['an empty bundle', '{"schema":"bundle/1","genre":"gold","days":[]}', 'has no gold days'],
  ])('%s as a gold file', async (_what, text, message) => {
    const file = path.join(folder.path, 'bad.json');
    await writeFile(file, text);
    await expectRefused(argumentsFor(small, [file]), message);
  });

  it.each<[string, () => string[], string]>([
    ['a missing folder', () => argumentsFor(small, [`${folder.path}/nowhere`]), 'cannot be read'],
    ['a folder without days', () => argumentsFor(small, [small.folder]), 'has no gold days'],
    [
      'gold days of two chains',
      () => argumentsFor(small, [small.days('gold', 'base'), small.days('gold', 'arbitrum')]),
      'belongs to another chain than base',
    ],
    [
      'another file in place of the methodology',
      () => ['--methodology', small.bundle('gold', 'base', '365d'), small.days('gold', 'base')],
      'is not the methodology',
    ],
    [
      'a calendar of another chain',
      () => argumentsFor(small, [small.days('gold', 'base')], '--compare', small.calendar('arbitrum')),
      'belongs to another chain than the gold days. Use the file of base.',
    ],
    [
      'a comparison with a file that is not a calendar',
      () => argumentsFor(small, [small.days('gold', 'base')], '--compare', import.meta.filename),
      'is not a regime calendar',
    ],
    [
      'a bundle of meta days as the start record',
      () =>
        argumentsFor(small, [small.days('gold', 'base')], '--start', small.bundle('meta', 'base', '365d')),
      'is not a meta day with gold days after it',
    ],
    [
      'a meta day without gold days after it as the start record',
      () =>
        argumentsFor(
          small,
          [small.days('gold', 'base')],
          '--start',
          path.join(small.days('meta', 'base'), '2022-03-01.json'),
        ),
      'is not a meta day with gold days after it',
    ],
    ['no methodology', () => [small.days('gold', 'base')], 'required: --methodology'],
    ['files together with a chain', () => ['--chain', 'base', 'x'], 'Leave the others out'],
    ['an unknown option', () => argumentsFor(small, ['x'], '--fast'), 'unrecognized arguments: --fast'],
  ])('%s', (_what, args, message) => expectRefused(args(), message));

  it('a file under the name of another date', async () => {
    const gold = await copyGold(small, 'base');
    const [first = ''] = (await readdir(gold)).sort();
    await cp(path.join(gold, first), path.join(gold, '2022-03-02.json'));
    await expectRefused(argumentsFor(small, [gold]), 'contains the date 2022-01-01');
  });

  it('two different gold days of one date', async () => {
    const gold = await copyGold(small, 'base');
    await changeDigit(path.join(gold, '2022-02-15.json'), 'tx_count');
    const bundle = small.bundle('gold', 'base', '365d');
    await expectRefused(argumentsFor(small, [gold, bundle]), 'has another 2022-02-15 than an earlier file');
  });

  async function expectRefused(args: readonly string[], message: string): Promise<void> {
    const run = await runRecompute(args);
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(message);
    expect(run.stderr).not.toContain('Traceback');
  }
});

it('crd recompute --help describes arguments, output and exit codes', async () => {
  const { code, stdout, stderr } = await runRecompute(['--help']);
  expect([code, stderr]).toEqual([0, '']);
  for (const message of ['v1.json mirror/gold/base --compare', '--start FILE', 'Exit codes: 0 done']) {
    expect(stdout).toContain(message);
  }
});

it('crd recompute computes the test vector of the methodology', async () => {
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
  // the methodology states the hash after the example record
  expect(text.slice(text.indexOf(record.slice(-20)))).toContain(`\`${row?.determinism_hash}\`.`);
});

it(
  'crd recompute writes RFC 8785 numbers and strings like the product',
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
    const program = `import sys; from crd.canonical import canonical; from crd.methodology.days import read_json
sys.stdout.buffer.write(canonical(read_json(sys.argv[1])).encode())`;
    const run = await runPython(['-c', program, file]);
    expect(run).toEqual({ code: 0, stdout: canonicalJson(JSON.parse(JSON.stringify(value))), stderr: '' });
  },
  SLOW_MS,
);
