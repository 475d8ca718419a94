import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runInProcess, type GeneratorRun } from '../fixtures/generator-run.js';
import { publish } from '../fixtures/published-store.js';
import { writeSmallInput } from '../fixtures/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

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

/** Runs a command line in which IN, STORE, FRESH and FOLDER stand for places of this test. */
function run(line: string): Promise<GeneratorRun> {
  const places: Record<string, string> = {
    IN: input,
    STORE: `file:${root}`,
    FRESH: `file:${path.join(folder.path, 'fresh')}`,
    FOLDER: folder.path,
  };
  const words = line.match(/'[^']*'|\S+/g) ?? [];
  const args = words.map((word) =>
    word.replaceAll("'", '').replace(/^[A-Z]+/, (name) => places[name] ?? name),
  );
  return runInProcess(args, NOW);
}

describe('a wrong command line exits 2, says what is wrong and what to do, and writes nothing:', () => {
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
    ['an argument too many', `${publishing} extra`, /too many arguments/],
    ['no --store', 'publish --input IN', /required option '--store <address>' not specified[^]*--help/],
    ['no --store to verify', 'verify', /required option '--store <address>' not specified/],
    ['no --store to ask about', 'status', /required option '--store <address>' not specified/],
    ['no --input', 'publish --store FRESH', /required option '--input <dir>' not specified/],
    [
      'a store that is no address',
      'publish --input IN --store ./data',
      /"\.\/data" is not a store address; write file:PATH, for example/,
    ],
    [
      'a store that is no address, to verify',
      'verify --store ./data',
      /is not a store address; write file:PATH/,
    ],
    [
      'an unknown chain',
      `${publishing} --chain etherum`,
      /'etherum'.*chains are bitcoin, ethereum, arbitrum, base/,
    ],
    ['a chain without a file', `${publishing} --chain base`, /--chain base: there is no base\.csv in /],
    [
      'an as-of that is no instant',
      `${publishing} --as-of yesterday`,
      /'yesterday'.*write 2026-08-19 or 2026-08-19T06:00:00Z/,
    ],
    ['an as-of that does not exist', `${publishing} --as-of 2025-02-30`, /'2025-02-30'.*write 2026-08-19/],
    ['an as-of without a zone', `${publishing} --as-of 2025-01-10T06:00:00`, /write 2026-08-19/],
    [
      'an as-of ahead of the clock',
      `${publishing} --as-of 2025-06-01T00:05:01Z`,
      /2025-06-01T00:05:01Z is ahead of .* 2025-06-01T00:00:00Z; give an earlier instant/,
    ],
    [
      'an as-of before the last release',
      `${again} --as-of 2025-01-10T05:59:59Z`,
      /2025-01-10T05:59:59Z lies before .* 2025-01-10T06:00:00Z; give that instant or a later one/,
    ],
    [
      '--existing where no store is',
      `${publishing} --existing`,
      /holds no store; check the address, or create one .* without --existing/,
    ],
    [
      'a directory that is not there',
      'publish --input FOLDER/none --store FRESH',
      /--input .*none: cannot be read \(ENOENT\); give the directory of the metrics/,
    ],
    [
      'a file instead of a directory',
      'publish --input IN/bitcoin.csv --store FRESH',
      /bitcoin\.csv: cannot be read \(ENOTDIR\)/,
    ],
    [
      'a directory without metrics',
      'publish --input FOLDER --store FRESH',
      /holds none of bitcoin\.csv, ethereum\.csv, arbitrum\.csv, base\.csv; give the directory/,
    ],
    [
      '--plan alone',
      `${publishing} --plan ${'0'.repeat(64)}`,
      /--plan goes with --accept-restatements "<reason>"/,
    ],
    [
      'a --plan that is no digest',
      `${publishing} --accept-restatements why --plan 0123`,
      /'0123'.*give the 64 hex digits that the plan showed/,
    ],
    [
      'an empty reason',
      `${publishing} --accept-restatements ''`,
      /give a public reason of 1 to 200 printable characters/,
    ],
    [
      'a reason of 201 characters',
      `${publishing} --accept-restatements ${'x'.repeat(201)}`,
      /1 to 200 printable characters/,
    ],
    ['a reason on two lines', `${publishing} --accept-restatements 'a\nb'`, /1 to 200 printable characters/],
    ['no store to verify', 'verify --store FRESH', /holds no store; check the address/],
    ['no store to ask about', 'status --store FRESH', /holds no store; check the address/],
  ])('%s', async (_name, line, message) => {
    const before = await readdir(folder.path, { recursive: true });
    const { code, stdout, stderr } = await run(line);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(stderr).not.toMatch(/this is a bug|\n {4}at /);
    expect(await readdir(folder.path, { recursive: true })).toEqual(before);
  });

  it.each([
    [
      'a directory with other things in it',
      'notes.txt',
      'mine',
      /is not empty \(it holds notes\.txt\) and has no store\.json: .*choose another address/,
    ],
    [
      'a store of another format',
      'store.json',
      '{"format":2}',
      /store\.json is not of format 1; use the generator that made this store/,
    ],
    ['a store.json that is none', 'store.json', 'mine', /store\.json is not of format 1/],
  ])('%s', async (name, file, text, message) => {
    const other = path.join(folder.path, name);
    await mkdir(other, { recursive: true });
    await writeFile(path.join(other, file), text);
    for (const command of COMMANDS) {
      const inputs = ['publish', 'plan'].includes(command) ? ['--input', input] : [];
      const { code, stdout, stderr } = await runInProcess(
        [command, ...inputs, '--store', `file:${other}`],
        NOW,
      );
      expect({ command, code, stdout, stderr }).toEqual({
        command,
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(message),
      });
    }
    expect(await readdir(other)).toEqual([file]);
  });
});

it('says which version it is, and lists the option that asks for it', async () => {
  expect(await run('--version')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  });
  expect((await run('--help')).stdout).toMatch(/--version +say which version this is/);
});

describe('an as-of', () => {
  it('may lie five minutes ahead of the clock', async () => {
    expect(await run('plan --input IN --store FRESH --as-of 2025-06-01T00:05:00Z')).toMatchObject({
      code: 0,
    });
  });

  it('may be the instant of the last release', async () => {
    expect(await run('publish --input IN --store STORE --as-of 2025-01-10T06:00:00Z')).toMatchObject({
      code: 0,
    });
  });

  it('may be a date, or an instant of another zone, and is truncated to the second', async () => {
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

  it('is the clock of the machine unless it is given', async () => {
    const { stdout } = await run('plan --input IN --store FRESH --json');
    expect(JSON.parse(stdout).published_at).toBe(NOW);
  });
});
