import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readBuildInfo } from '../../infra/process/build-info.js';
import { expectAnotherCommand } from '../support/process/next-command.js';
import { runInProcess, type GeneratorRun } from '../support/process/generator-run.js';
import { publish } from '../support/release/published-store.js';
import { writeSmallInput } from '../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const NOW = '2025-06-01T00:00:00Z';
const COMMANDS = ['publish', 'plan', 'verify', 'status'];

let folder: TemporaryFolder;
let input: string;
let root: string;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  input = await writeSmallInput(path.join(folder.path, 'input'), { days: { bitcoin: 5 } });
  root = path.join(folder.path, 'store');
  expect(await publish(input, root, '2025-01-10T06:00:00Z')).toMatchObject({ code: 0, stderr: '' });
}, 30_000);
afterAll(() => folder.dispose());

/** Returns the words of a command line in which IN, STORE, FRESH and FOLDER are replaced by paths and addresses of this test. */
function argsOf(line: string): string[] {
  const places: Record<string, string> = {
    IN: input,
    STORE: `file:${root}`,
    FRESH: `file:${path.join(folder.path, 'fresh')}`,
    FOLDER: folder.path,
  };
  const words = line.match(/'[^']*'|\S+/g) ?? [];
  return words.map((word) => word.replaceAll("'", '').replace(/^[A-Z]+/, (name) => places[name] ?? name));
}

const run = (line: string): Promise<GeneratorRun> => runInProcess(argsOf(line), NOW);

describe('a wrong command line exits 2 with an explanation and another command, and writes nothing:', () => {
  const publishing = 'publish --input IN --store FRESH';
  const again = 'publish --input IN --store STORE';

  it.each([
    ['no command', '', /Usage: generator/],
    ['an unknown command', 'publsh', /unknown command 'publsh'[^]*Did you mean publish/],
    [
      'an unknown option',
      `${publishing} --asof 2025-01-10`,
      /unknown option '--asof'[^]*Did you mean --as-of/,
    ],
    [
      'a required option that is misspelled',
      'publish --inptu IN',
      /^error: unknown option '--inptu'\n\(Did you mean --input\?\)/,
    ],
    [
      'an unknown option of verify',
      'verify --deeep',
      /^error: unknown option '--deeep'\n\(Did you mean --deep\?\)/,
    ],
    ['an extra argument', `${publishing} extra`, /too many arguments/],
    ['no --store', 'publish --input IN', /required option '--store <address>' not specified[^]*--help/],
    ['no --store for verify', 'verify', /required option '--store <address>' not specified/],
    ['no --store for status', 'status', /required option '--store <address>' not specified/],
    ['no --input', 'publish --store FRESH', /required option '--input <dir>' not specified/],
    [
      'an invalid store address',
      'publish --input IN --store ./data',
      /"\.\/data" is not a store address. Use file:PATH, for example/,
    ],
    ['an invalid store address for verify', 'verify --store ./data', /is not a store address. Use file:PATH/],
    [
      'an unknown chain',
      `${publishing} --chain etherum`,
      /'etherum'.*Chains are bitcoin, ethereum, arbitrum, base/,
    ],
    [
      'a chain without a file',
      `${publishing} --chain base`,
      /There is no base\.csv in .*\. Add it, or omit --chain base\.\n {2}generator publish --help\n$/,
    ],
    [
      'an as-of that is not an instant',
      `${publishing} --as-of yesterday`,
      /'yesterday'.*Write 2026-08-19 or 2026-08-19T06:00:00Z/,
    ],
    ['an as-of that does not exist', `${publishing} --as-of 2025-02-30`, /'2025-02-30'.*Write 2026-08-19/],
    ['an as-of without a zone', `${publishing} --as-of 2025-01-10T06:00:00`, /Write 2026-08-19/],
    [
      'an as-of ahead of the clock',
      `${publishing} --as-of 2025-06-01T00:05:01Z`,
      /2025-06-01T00:05:01Z is ahead of .* 2025-06-01T00:00:00Z\. Use an earlier instant/,
    ],
    [
      'an as-of before the last release',
      `${again} --as-of 2025-01-10T05:59:59Z`,
      /2025-01-10T05:59:59Z is before the current release, published at 2025-01-10T06:00:00Z\. Use that instant or a later one/,
    ],
    [
      '--existing without a store',
      `${publishing} --existing`,
      /There is no store at .*\. Check the address, or create a store .* without --existing/,
    ],
    [
      'a directory that does not exist',
      'publish --input FOLDER/none --store FRESH',
      /--input .*none cannot be read \(ENOENT\)\. Name the directory of the metrics/,
    ],
    [
      'a file instead of a directory',
      'publish --input IN/bitcoin.csv --store FRESH',
      /bitcoin\.csv cannot be read \(ENOTDIR\)/,
    ],
    [
      'a directory without metrics',
      'publish --input FOLDER --store FRESH',
      /contains none of bitcoin\.csv, ethereum\.csv, arbitrum\.csv, base\.csv\. Name the directory/,
    ],
    [
      '--plan without --accept-restatements',
      `${publishing} --plan ${'0'.repeat(64)}`,
      /--plan needs --accept-restatements "<reason>"/,
    ],
    [
      'a --plan that is not a digest',
      `${publishing} --accept-restatements why --plan 0123`,
      /'0123'.*Copy the 64 hex digits from the output of the plan/,
    ],
    [
      'an empty reason',
      `${publishing} --accept-restatements ''`,
      /Write a public reason of 1 to 200 printable characters/,
    ],
    [
      'a reason of 201 characters',
      `${publishing} --accept-restatements ${'x'.repeat(201)}`,
      /1 to 200 printable characters/,
    ],
    [
      'the reason that a plan proposes',
      `${publishing} --accept-restatements '<public reason>'`,
      /Replace "<public reason>" with the reason that readers will see/,
    ],
    ['a reason on two lines', `${publishing} --accept-restatements 'a\nb'`, /1 to 200 printable characters/],
    ['verify without a store', 'verify --store FRESH', /There is no store at .*\. Check the address/],
    ['status without a store', 'status --store FRESH', /There is no store at .*\. Check the address/],
  ])('%s', async (_name, line, message) => {
    const before = await readdir(folder.path, { recursive: true });
    const { code, stdout, stderr } = await run(line);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(stderr).not.toMatch(/this is a bug|\n {4}at /);
    expectAnotherCommand('generator', argsOf(line), { code, stdout, stderr });
    expect(await readdir(folder.path, { recursive: true })).toEqual(before);
  });

  it.each([
    [
      'a directory with other files',
      'notes.txt',
      'mine',
      /is not a store: it contains notes\.txt but no store\.json\. Choose an empty address\./,
    ],
    [
      'a store of an older format',
      'store.json',
      '{"format":2}',
      /is a store of format 2, which this version cannot read or extend\. Publish to a new store\./,
    ],
    [
      'a store of a newer format',
      'store.json',
      '{"format":4}',
      /is a store of format 4, which is newer than this version of the generator\. Upgrade the generator\./,
    ],
    ...['mine', '{}', '{"format":0}', '{"format":"2"}'].map((text): [string, string, string, RegExp] => [
      `a store.json without a format: ${text}`,
      'store.json',
      text,
      /is not a store: its store\.json names no format\. Choose another address\./,
    ]),
  ])('%s', async (name, file, text, message) => {
    const other = path.join(folder.path, name);
    await mkdir(other, { recursive: true });
    await writeFile(path.join(other, file), text);
    for (const command of COMMANDS) {
      const inputs = ['publish', 'plan'].includes(command) ? ['--input', input] : [];
      const args = [command, ...inputs, '--store', `file:${other}`];
      const { code, stdout, stderr } = await runInProcess(args, NOW);
      expect({ command, code, stdout, stderr }).toEqual({
        command,
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(message),
      });
      expectAnotherCommand('generator', args, { code, stdout, stderr });
    }
    expect(await readdir(other)).toEqual([file]);
  });
});

it('prints its version, and lists the option in its help', async () => {
  expect(await run('--version')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  });
  expect((await run('--help')).stdout).toMatch(/--version +print the version/);
});

it.each(['--version --json', '--json --version'])('prints what it was built from for %s', async (line) => {
  const { code, stdout, stderr } = await run(line);
  expect([code, JSON.parse(stdout), stderr]).toEqual([0, readBuildInfo(), '']);
});

describe('an as-of', () => {
  it('may be five minutes ahead of the clock', async () => {
    expect(await run('plan --input IN --store FRESH --as-of 2025-06-01T00:05:00Z')).toMatchObject({
      code: 0,
    });
  });

  it('may be the instant of the last release', async () => {
    expect(await run('publish --input IN --store STORE --as-of 2025-01-10T06:00:00Z')).toMatchObject({
      code: 0,
    });
  });

  it('may be a date or an instant in another time zone, and is truncated to the second', async () => {
    for (const [text, instant] of [
      ['2025-01-10', '2025-01-10T00:00:00Z'],
      ['2025-01-10T01:00:00+02:00', '2025-01-09T23:00:00Z'],
      ['2025-01-10T06:00:00.999Z', '2025-01-10T06:00:00Z'],
    ]) {
      const { code, stdout } = await run(`plan --input IN --store FRESH --json --as-of ${text}`);
      expect({ code, published_at: JSON.parse(stdout).published_at }).toEqual({
        code: 0,
        published_at: instant,
      });
    }
  });

  it('defaults to the clock of the machine', async () => {
    const { stdout } = await run('plan --input IN --store FRESH --json');
    expect(JSON.parse(stdout).published_at).toBe(NOW);
  });
});
