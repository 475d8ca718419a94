import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EXIT_CODES } from '../../../generator/core/generator-error.js';
import { describeBuild } from '../../../scripts/build/describe-build.js';
import { runGatewayProcess } from '../../support/gateway/gateway-process.js';
import { MAIN, runAsProcess, runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { runProgram } from '../../support/process/run-program.js';
import { publish } from '../../support/release/published-store.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

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
}, 300_000);
afterAll(() => folder.dispose());

const run = (...args: string[]): Promise<GeneratorRun> => runInProcess(args, NOW);

/** Adds the store of this test, and the input if needed, to a command line. */
function toArgs(line: string): string[] {
  const inputs = /^(publish|plan)/.test(line) ? ['--input', input] : [];
  return [...line.split(' '), ...inputs, '--store', `file:${root}`];
}

it('each built program prints the version of the product', async () => {
  const file = path.join(import.meta.dirname, '../../../package.json');
  const { version } = JSON.parse(await readFile(file, 'utf8')) as { version: string };
  expect(await runAsProcess(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  expect(await runGatewayProcess(['--version'], {})).toMatchObject({ code: 0, stdout: `${version}\n` });
});

it('each built program states the commit and the lock file that it was built from', async () => {
  const { commit, ...build } = await describeBuild(path.join(import.meta.dirname, '../../..'));
  const expected = { ...build, commit: expect.stringContaining(commit?.slice(0, 40) ?? '') as string };
  for (const run of [runAsProcess, (args: string[]) => runGatewayProcess(args, {})]) {
    const { code, stdout } = await run(['--version', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, expected]);
  }
});

describe('--help', () => {
  const meanings = Object.values(EXIT_CODES).map(({ code, meaning }) => `${code} ${meaning}`);
  /** Returns a text with single spaces: help wraps its lines. */
  const unwrapped = (text: string): string => text.replaceAll(/\s+/g, ' ');

  it.each(COMMANDS)('of %s shows an example, and where the exit codes are', async (command) => {
    const { code, stdout, stderr } = await runInProcess([command, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`Example:\n  generator ${command} `));
    expect(stdout).toMatch(/\n\nExit codes: generator --help\n$/);
    expect(stdout).toContain('--store <address>');
  });

  it('lists publish, plan, verify and status with a description, and every exit code', async () => {
    const { code, stdout } = await runInProcess(['--help']);
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} .*\\S`, 'm'));
    expect(unwrapped(stdout)).toContain(`Exit codes: ${meanings.join(' ')}`);
  });
});

describe('colour', () => {
  const forced = (...args: string[]): Promise<GeneratorRun> =>
    runProgram(process.execPath, [MAIN, ...args], { FORCE_COLOR: '1' });
  const status = ['status', '--store'];

  it('is in the text and the messages if FORCE_COLOR asks for it, and never in --json and --log-json', async () => {
    const store = `file:${root}`;
    expect((await forced(...status, store)).stdout).toContain('\u001b[31mOVERDUE\u001b[39m');
    expect((await forced('--help')).stdout).toContain('\u001b[1mUsage:\u001b[22m');
    expect((await forced(...status, `${store}-none`)).stderr).toMatch(
      /^\u001b\[31mgenerator:\u001b\[39m There/,
    );
    const plain = await forced(...status, store, '--json');
    expect(plain.stdout).toContain('"revision"');
    const logged = await forced(...status, `${store}-none`, '--json', '--log-json');
    expect(plain.stdout + plain.stderr + logged.stdout + logged.stderr).not.toContain('\u001b');
  });

  it('is absent from output that is not a terminal', async () => {
    const { stdout, stderr } = await runAsProcess([...status, `file:${root}`]);
    expect(stdout).toContain('OVERDUE');
    expect(stdout + stderr).not.toContain('\u001b');
  });
});

describe('a successful command', () => {
  it.each(['publish', 'plan', 'verify', 'verify --deep', 'status'])(
    'prints exactly one document on stdout with --json, and nothing on stderr: %s',
    async (line) => {
      const { code, stdout, stderr } = await run(...toArgs(line), '--json');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ sequence: 1 });
    },
  );

  it.each(['publish', 'verify'])('prints nothing with --quiet: %s', async (line) => {
    expect(await run(...toArgs(line), '--quiet')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('prints progress on stderr, and the result on stdout', async () => {
    const { code, stdout, stderr } = await runAsProcess(['verify', '--store', `file:${root}`]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^verified 2025-01-10\.000001 /),
    });
    expect(stderr).toMatch(/^verifying: 0 faults \([\d.]+ s\)\n$/);
  });

  it('prints no progress with --quiet', async () => {
    expect(await runAsProcess(['verify', '--quiet', '--store', `file:${root}`])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('that plans writes nothing', async () => {
    const before = await readdir(folder.path, { recursive: true });
    const { code, stdout } = await run('plan', '--input', input, '--store', `file:${folder.path}/fresh`);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^would be published \(nothing was written\): 2025-06-01\.000001/),
    });
    expect(await readdir(folder.path, { recursive: true })).toEqual(before);
  });
});

it('publish exits 7 with the path when the store cannot be written', async () => {
  const file = path.join(input, 'bitcoin.csv');
  const { code, stdout, stderr } = await publish(input, path.join(file, 'store'), '2025-01-10');
  expect({ code, stdout, stderr }).toEqual({ code: 7, stdout: '', stderr: expect.stringContaining(file) });
  expect(stderr).toMatch(/ENOTDIR: part of the path is a file, not a directory\. Use another store\./);
});

it('publish exits 6 with the lock when another host has it', async () => {
  const store = path.join(folder.path, 'locked');
  await mkdir(store);
  await writeFile(
    path.join(store, '.lock'),
    JSON.stringify({ host: 'another-host', boot: '1', pid: 4711, start: '1' }),
  );
  const { code, stdout, stderr } = await publish(input, store, '2025-01-10');
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(stderr).toContain(`${path.join(store, '.lock')} is locked by process 4711 on host another-host`);
});
