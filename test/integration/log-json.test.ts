import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { runCli } from '../../generator/cli.js';
import { createLogLines } from '../../generator/commands/log-lines.js';
import { EXIT_CODES } from '../../generator/core/generator-error.js';
import { createGround, FAILING_EXITS, NOW, type Ground } from '../fixtures/failed-runs.js';
import { MAIN, runAsProcess } from '../fixtures/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

const STAGES = ['input', 'state', 'plan', 'mark', 'write', 'record', 'commit', 'aliases'];
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

let folder: TemporaryFolder;
let ground: Ground;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  ground = await createGround(folder.path);
}, 60_000);
afterAll(() => folder.dispose());

/** A line of the log. Which members it has besides depends on what it says. */
type LogLine = { readonly level: string; readonly msg: string; readonly [name: string]: unknown };

/** Passes when every line is a JSON object of a level, a time and a text. */
function parseLog(log: string): LogLine[] {
  if (log === '') return [];
  expect(log.endsWith('\n')).toBe(true);
  const lines = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine); // judged next
  for (const line of lines) {
    expect(line).toMatchObject({
      level: expect.stringMatching(/^(info|warn|error)$/),
      time: expect.stringMatching(INSTANT),
      msg: expect.stringMatching(/\S/),
    });
  }
  return lines;
}

/** Runs a command line with its log within this process. */
async function run(
  ...args: readonly string[]
): Promise<{ exit: string; stdout: string; lines: LogLine[]; last: LogLine | undefined }> {
  const out: string[] = [];
  const log: string[] = [];
  const { signal } = new AbortController();
  const now = (): number => Date.parse(NOW);
  const exit = await runCli([...args, '--log-json'], {
    print: (text) => void out.push(text),
    now,
    interrupted: signal,
    stopped: signal,
    diagnosis: ({ quiet }) =>
      createLogLines({ destination: { write: (text) => void log.push(text) }, quiet, now }),
  });
  const lines = parseLog(log.join(''));
  return { exit, stdout: out.join('\n'), lines, last: lines.at(-1) };
}

/** An option of Node that lets something happen once the program has begun. */
function letHappen(code: string): string {
  const when = `event === "uncaughtException" && setImmediate(() => { ${code} })`;
  return `--import=data:text/javascript,${encodeURIComponent(`process.on("newListener", (event) => ${when})`)}`;
}

const told = (lines: readonly LogLine[], event: string): unknown[] =>
  lines.filter((line) => line['stage'] !== undefined && line['event'] === event).map((line) => line['stage']);

describe('--log-json of the program', () => {
  it('tells on stderr of each stage as it begins and ends, and last of the end of the run', async () => {
    const { code, stdout, stderr } = await runAsProcess([...ground.publishing(), '--log-json', '--json']);
    const lines = parseLog(stderr);
    expect({ code, levels: new Set(lines.map(({ level }) => level)) }).toEqual({
      code: 0,
      levels: new Set(['info']),
    });
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'published' });
    expect([told(lines, 'begin'), told(lines, 'end')]).toEqual([STAGES, STAGES]);
    expect(lines.at(-1)).toMatchObject({
      command: 'publish',
      event: 'end',
      exit: 'done',
      code: 0,
      seconds: expect.any(Number),
    });
  }, 20_000);

  it.each([
    [
      'a warning of Node itself',
      'process.emitWarning("look out")',
      { code: 0, line: { level: 'warn', msg: 'Warning: look out' } },
    ],
    [
      'its own crash',
      'throw new Error("unforeseen")',
      {
        code: 1,
        line: { level: 'error', exit: 'bug', code: 1, msg: expect.stringMatching(/unforeseen\n {4}at /) },
      },
    ],
  ])('tells in the same way of %s', async (_name, happening, { code, line }) => {
    const args = [letHappen(happening), MAIN, 'status', '--store', `file:${ground.root}`, '--log-json'];
    const child = spawn(process.execPath, args, { env: {}, stdio: ['ignore', 'ignore', 'pipe'] });
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(child.exitCode).toBe(code);
    expect(parseLog(stderr)).toContainEqual(expect.objectContaining(line));
  });

  it('goes on when nobody reads its log any more', async () => {
    const child = spawn(process.execPath, [MAIN, ...ground.publishing(), '--log-json'], { env: {} });
    child.stdout.resume();
    await once(child.stderr, 'data');
    child.stderr.destroy();
    expect(await once(child, 'close')).toEqual([0, null]);
  }, 20_000);

  it('says last that it was interrupted, as a failure', async () => {
    const child = spawn(process.execPath, [MAIN, ...ground.publishing(), '--log-json'], { env: {} });
    child.stderr.once('data', () => child.kill('SIGINT'));
    const [stderr, closed] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(closed).toEqual([130, null]);
    expect(parseLog(stderr).at(-1)).toMatchObject({ level: 'error', exit: 'interrupted', code: 130 });
  }, 20_000);
});

describe('--log-json', () => {
  it.each(FAILING_EXITS)('says last that a run failed, at level error and by name: %s', async (exit) => {
    const { exit: ended, stdout, lines, last } = await run(...ground.failing[exit], '--json');
    expect(ended).toBe(exit);
    const { code } = EXIT_CODES[exit];
    expect(last).toMatchObject({ level: 'error', event: 'end', exit, code, msg: expect.any(String) });
    expect(lines.filter(({ level }) => level === 'error')).toEqual([last]);
    expect(JSON.parse(stdout)).toBeInstanceOf(Object);
  });

  it('keeps what is no failure of the run at level warn', async () => {
    const { lines } = await run(...ground.failing['input-invalid']);
    const warnings = lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
    expect(warnings).toEqual([
      expect.stringMatching(/^bitcoin\.csv:2:2: tx_count "x" is not a number/),
      expect.stringMatching(/^input invalid: /),
    ]);
  });

  it('says of the stage in which a run fails that it was abandoned, and nothing of its end', async () => {
    const { lines } = await run(...ground.failing.conflict);
    expect(told(lines, 'abandoned')).toEqual(['commit']);
    expect(told(lines, 'end')).toEqual(STAGES.slice(0, STAGES.indexOf('commit')));
  });

  it.each([
    [
      'an unknown option',
      ['status', '--store', 'file:x', '--stroe', 'y'],
      /^unknown option '--stroe'\n\(Did you mean/,
    ],
    ['an unknown command', ['publsh'], /^unknown command 'publsh'/],
    ['no command', [], /^(unknown option '--log-json'|no command was given)/],
    ['an option that lacks', ['status'], /^required option '--store <address>' not specified/],
    ['a word that is no number', ['status', '--max-lag-days', 'two'], /give a whole number of days/],
  ])('says of a command line with %s, in one line, what is wrong with it', async (_name, args, message) => {
    const { exit, stdout, lines } = await run(...args);
    expect({ exit, stdout }).toEqual({ exit: 'usage', stdout: '' });
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'error',
        event: 'end',
        exit: 'usage',
        code: 2,
        msg: expect.stringMatching(message),
      }),
    ]);
  });

  it('gives with --json one document of a command line that was not understood', async () => {
    const { stdout } = await run('status', '--store', 'file:x', '--stroe', 'y', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'failed',
      error: { name: 'usage', code: 2, message: expect.stringMatching(/^unknown option '--stroe'/) },
    });
  });

  it('says nothing with --quiet of a run that goes well', async () => {
    expect(await run(...ground.unchanged, '--quiet')).toMatchObject({ exit: 'done', stdout: '', lines: [] });
  });

  it('says with --quiet why a run failed, and nothing of stages', async () => {
    const { exit, lines } = await run(...ground.failing.refused, '--quiet');
    expect(exit).toBe('refused');
    expect(lines.filter((line) => 'stage' in line)).toEqual([]);
    expect(lines.map(({ level }) => level)).toContain('warn');
  });
});

describe('the log of a long stage', () => {
  it('says every ten seconds how far it has come', () => {
    const log: string[] = [];
    let nowMs = 0;
    const { progress } = createLogLines({
      destination: { write: (text) => void log.push(text) },
      quiet: false,
      now: () => nowMs,
    });
    progress.begin('write', 300);
    for (let i = 0; i < 250; i += 1) {
      nowMs += 100;
      progress.advance();
    }
    progress.end('300 files');
    const lines = parseLog(log.join('')).map(({ event, seconds, count, total, note }) => [
      ...[event, seconds, count, total, note],
    ]);
    expect(lines).toEqual([
      ['begin', undefined, undefined, 300, undefined],
      ['progress', 10, 100, 300, undefined],
      ['progress', 20, 200, 300, undefined],
      ['end', 25, 250, 300, '300 files'],
    ]);
  });
});
