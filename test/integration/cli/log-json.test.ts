import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { runCli } from '../../../generator/cli.js';
import { createLogLines } from '../../../generator/terminal/log-lines.js';
import { EXIT_CODES } from '../../../generator/core/generator-error.js';
import { prepareRuns, FAILING_EXITS, NOW, type TestRuns } from '../../support/process/failing-runs.js';
import { BUILD, MAIN, runAsProcess } from '../../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const STAGES = ['input', 'state', 'plan', 'mark', 'write', 'record', 'commit', 'aliases'];
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

let folder: TemporaryFolder;
let runs: TestRuns;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  runs = await prepareRuns(folder.path);
}, 300_000);
afterAll(() => folder.dispose());

/** A line of the log. Its other members depend on the kind of line. */
type LogLine = { readonly level: string; readonly msg: string; readonly [name: string]: unknown };

/** Parses log lines. Asserts that each is a JSON object with level, time and text. */
function parseLog(log: string): LogLine[] {
  if (log === '') return [];
  expect(log.endsWith('\n')).toBe(true);
  const lines = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine); // checked next
  for (const line of lines) {
    expect(line).toMatchObject({
      level: expect.stringMatching(/^(info|warn|error)$/),
      time: expect.stringMatching(INSTANT),
      msg: expect.stringMatching(/\S/),
    });
  }
  return lines;
}

/** Runs a command line with --log-json within this process. */
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
    build: BUILD,
    openDiagnostics: ({ quiet }) =>
      createLogLines({ destination: { write: (text) => void log.push(text) }, quiet, now, clock: now }),
  });
  const lines = parseLog(log.join(''));
  return { exit, stdout: out.join('\n'), lines, last: lines.at(-1) };
}

/** Returns a Node option that runs `code` once the program has started, which is when it listens for uncaught exceptions. */
function runAtStart(code: string): string {
  const when = `event === "uncaughtException" && setImmediate(() => { ${code} })`;
  return `--import=data:text/javascript,${encodeURIComponent(`process.on("newListener", (event) => ${when})`)}`;
}

const stagesWith = (lines: readonly LogLine[], event: string): unknown[] =>
  lines.filter((line) => line['stage'] !== undefined && line['event'] === event).map((line) => line['stage']);

describe('--log-json of the program', () => {
  it('logs the start and end of each stage on stderr, and last the end of the run', async () => {
    const { code, stdout, stderr } = await runAsProcess([...runs.publishing(), '--log-json', '--json']);
    const lines = parseLog(stderr);
    expect({ code, levels: new Set(lines.map(({ level }) => level)) }).toEqual({
      code: 0,
      levels: new Set(['info']),
    });
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'published' });
    expect([stagesWith(lines, 'begin'), stagesWith(lines, 'end')]).toEqual([STAGES, STAGES]);
    expect(lines.at(-1)).toMatchObject({
      command: 'publish',
      event: 'end',
      exit: 'done',
      code: 0,
      seconds: expect.any(Number),
    });
  }, 300_000);

  it.each([
    [
      'a warning of Node',
      'process.emitWarning("look out")',
      { code: 0, line: { level: 'warn', msg: 'Warning: look out' } },
    ],
    [
      'a crash',
      'throw new Error("unforeseen")',
      {
        code: 1,
        line: { level: 'error', exit: 'bug', code: 1, msg: expect.stringMatching(/unforeseen\n {4}at /) },
      },
    ],
  ])('logs %s in the same format', async (_name, happening, { code, line }) => {
    const args = [runAtStart(happening), MAIN, 'status', '--store', `file:${runs.root}`, '--log-json'];
    const child = spawn(process.execPath, args, { env: {}, stdio: ['ignore', 'ignore', 'pipe'] });
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(child.exitCode).toBe(code);
    expect(parseLog(stderr)).toContainEqual(expect.objectContaining(line));
  });

  it('continues when the reader of its log closes the pipe', async () => {
    const child = spawn(process.execPath, [MAIN, ...runs.publishing(), '--log-json'], { env: {} });
    child.stdout.resume();
    await once(child.stderr, 'data');
    child.stderr.destroy();
    expect(await once(child, 'close')).toEqual([0, null]);
  }, 300_000);

  it('logs an interrupt as a failure in the last line', async () => {
    const child = spawn(process.execPath, [MAIN, ...runs.publishing(), '--log-json'], { env: {} });
    child.stderr.once('data', () => child.kill('SIGINT'));
    const [stderr, closed] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(closed).toEqual([130, null]);
    expect(parseLog(stderr).at(-1)).toMatchObject({ level: 'error', exit: 'interrupted', code: 130 });
  }, 300_000);
});

describe('--log-json', () => {
  it.each(FAILING_EXITS)(
    'names the exit of a failed run in the last line, at level error: %s',
    async (exit) => {
      const { exit: ended, stdout, lines, last } = await run(...runs.failing[exit], '--json');
      expect(ended).toBe(exit);
      const { code } = EXIT_CODES[exit];
      expect(last).toMatchObject({ level: 'error', event: 'end', exit, code, msg: expect.any(String) });
      expect(lines.filter(({ level }) => level === 'error')).toEqual([last]);
      expect(JSON.parse(stdout)).toBeInstanceOf(Object);
    },
  );

  it('logs input faults at level warn', async () => {
    const { lines } = await run(...runs.failing['input-invalid']);
    const warnings = lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
    expect(warnings).toEqual([
      expect.stringMatching(/^bitcoin\.csv:2:2: tx_count "x" is not a number/),
      expect.stringMatching(/^input invalid: .*\nFix the input and run again:\n {2}generator publish /),
    ]);
  });

  it('logs the stage in which a run fails as abandoned, without an end', async () => {
    const { lines } = await run(...runs.failing.conflict);
    expect(stagesWith(lines, 'abandoned')).toEqual(['commit']);
    expect(stagesWith(lines, 'end')).toEqual(STAGES.slice(0, STAGES.indexOf('commit')));
  });

  it.each([
    [
      'an unknown option',
      ['status', '--store', 'file:x', '--stroe', 'y'],
      /^unknown option '--stroe'\n\(Did you mean/,
    ],
    ['an unknown command', ['publsh'], /^unknown command 'publsh'/],
    ['no command', [], /^(unknown option '--log-json'|no command was given)/],
    ['a missing option', ['status'], /^required option '--store <address>' not specified/],
    ['an argument that is not a number', ['status', '--max-lag-days', 'two'], /Write a whole number of days/],
  ])('explains a command line with %s in one line', async (_name, args, message) => {
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

  it('prints one document for a wrong command line with --json', async () => {
    const { stdout } = await run('status', '--store', 'file:x', '--stroe', 'y', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'failed',
      error: { name: 'usage', code: 2, message: expect.stringMatching(/^unknown option '--stroe'/) },
    });
  });

  it('logs nothing for a successful run with --quiet', async () => {
    expect(await run(...runs.unchanged, '--quiet')).toMatchObject({ exit: 'done', stdout: '', lines: [] });
  });

  it('logs with --quiet why a run failed, but no stages', async () => {
    const { exit, lines } = await run(...runs.failing.refused, '--quiet');
    expect(exit).toBe('refused');
    expect(lines.filter((line) => 'stage' in line)).toEqual([]);
    expect(lines.map(({ level }) => level)).toContain('warn');
  });
});

describe('the log of a long stage', () => {
  it('reports its progress every ten seconds', () => {
    const log: string[] = [];
    let nowMs = 0;
    const { progress } = createLogLines({
      destination: { write: (text) => void log.push(text) },
      quiet: false,
      now: () => nowMs,
      clock: () => nowMs,
    });
    progress.begin('write', 300);
    for (let i = 0; i < 250; i += 1) {
      nowMs += 100;
      progress.advance();
    }
    progress.end('300 files');
    const lines = parseLog(log.join('')).map(({ event, seconds, count, total, note }) => [
      event,
      seconds,
      count,
      total,
      note,
    ]);
    expect(lines).toEqual([
      ['begin', undefined, undefined, 300, undefined],
      ['progress', 10, 100, 300, undefined],
      ['progress', 20, 200, 300, undefined],
      ['end', 25, 250, 300, '300 files'],
    ]);
  });
});
