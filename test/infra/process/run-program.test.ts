import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const SOURCE = fileURLToPath(new URL('../../../infra/process/run-program.ts', import.meta.url));
const EXIT_CODES = { done: { code: 0 }, bug: { code: 70 }, interrupted: { code: 130 } };

/** The source as JavaScript, because Node.js runs no TypeScript. */
let module: string;
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  module = path.join(folder.path, 'run-program.mjs');
  await build({ entryPoints: [SOURCE], outfile: module, bundle: true, format: 'esm', platform: 'node' });
});
afterAll(() => folder.dispose());

type End = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Starts a program whose `run` has this body. `ready` resolves with its first output. */
function start(
  body: string,
  giveUpMs = 200,
): { child: ChildProcess; ready: Promise<unknown>; ended: Promise<End> } {
  const source = `
    import { runProgram } from ${JSON.stringify(module)};
    await runProgram({
      exitCodes: ${JSON.stringify(EXIT_CODES)},
      explain: (error) => ({ exit: 'bug', message: 'bug: ' + error.message }),
      report: ({ message }) => console.error(message),
      giveUpMs: ${giveUpMs},
      givenUp: { exit: 'interrupted', message: 'given up' },
      run: async (interrupted) => { ${body} },
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: 'pipe' });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = once(child, 'close').then((values): End => {
    const [code, signal] = values as [End['code'], End['signal']]; // the arguments of 'close'
    return { code, signal, ...output };
  });
  return { child, ready: once(child.stdout, 'data'), ended };
}

const FOREVER =
  'setInterval(() => undefined, 1000); console.log("ready"); await new Promise(() => undefined);';
const UNTIL_INTERRUPTED = `
  const end = new Promise((resolve) => interrupted.addEventListener('abort', resolve));
  setInterval(() => undefined, 1000);
  console.log('ready');
  await end;
  console.log('stopped');
  return 'interrupted';`;

describe('runProgram', () => {
  it('sets the exit code of the run', async () => {
    expect(await start("return 'done';").ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('keeps the exit code of a run whose output cannot be written, and says so', async () => {
    const full = await open('/dev/full', 'w');
    const source = `
      import { printLine, runProgram } from ${JSON.stringify(module)};
      const run = async () => (printLine('result'), 'done');
      await runProgram({ run, exitCodes: ${JSON.stringify(EXIT_CODES)}, giveUpMs: 1, explain: (error) => { throw error; } });`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
      stdio: ['ignore', full.fd, 'pipe'],
    });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    expect(await once(child, 'close')).toEqual([0, null]);
    await full.close();
    expect(stderr).toBe('The output is incomplete: stdout cannot be written (ENOSPC).\n');
  });

  it.each([
    ['a rejection of the run', "throw new Error('oops');"],
    ['an exception elsewhere', "setTimeout(() => { throw new Error('oops'); }); await new Promise(() => 0);"],
    ['an unhandled rejection', "void Promise.reject(new Error('oops')); await new Promise(() => 0);"],
  ])('reports %s as a bug, with its exit code', async (_what, body) => {
    expect(await start(body).ended).toMatchObject({ code: 70, stderr: 'bug: oops\n' });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('interrupts the run on %s, and lets it end', async (signal) => {
    const { child, ready, ended } = start(UNTIL_INTERRUPTED);
    await ready;
    child.kill(signal);
    expect(await ended).toEqual({ code: 130, signal: null, stdout: 'ready\nstopped\n', stderr: '' });
  });

  it('reports a run that does not end after an interrupt, and ends the process', async () => {
    const { child, ready, ended } = start(FOREVER);
    await ready;
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 130, signal: null, stdout: 'ready\n', stderr: 'given up\n' });
  });

  it('is killed by a second signal of the other kind', async () => {
    const { child, ready, ended } = start(
      `interrupted.onabort = () => console.log('again'); ${FOREVER}`,
      60_000,
    );
    await ready;
    const interrupted = once(child.stdout ?? child, 'data');
    child.kill('SIGINT');
    await interrupted;
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM', stdout: 'ready\nagain\n' });
  });

  it('continues when the reader of its output closes the pipe', async () => {
    const { child, ended } = start(
      "for (let i = 0; i < 50; i += 1) { console.log('x'.repeat(9999)); await new Promise(setImmediate); } return 'done';",
    );
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });
});
