import { execFile } from 'node:child_process';
import { cp, link, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { EXIT_CODES } from '../../../generator/core/generator-error.js';
import { recordStages, SILENT } from '../../../generator/run/progress.js';
import { writeRunReport, type RunReport } from '../../../generator/run/run-report.js';
import { prepareRuns, FAILING_EXITS, NOW, type TestRuns } from '../../support/process/failing-runs.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const PUBLISHING = ['input', 'state', 'plan', 'mark', 'write', 'record', 'commit', 'aliases'];
const PLANNING = PUBLISHING.slice(0, 3);
const NO_REQUESTS = { get: 0, head: 0, put: 0, list: 0, delete: 0 };

let folder: TemporaryFolder;
let runs: TestRuns;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  runs = await prepareRuns(path.join(folder.path));
}, 300_000);
afterAll(() => folder.dispose());

/** Each test has its own folder for its report. */
let reports = 0;
let file: string;
beforeEach(async () => {
  file = path.join(folder.path, `reports-${(reports += 1)}`, 'report.json');
  await mkdir(path.dirname(file));
});

const run = (...args: readonly string[]): Promise<GeneratorRun> => runInProcess(args, NOW);
const readReport = async (): Promise<RunReport> => JSON.parse(await readFile(file, 'utf8')) as RunReport; // checked by each test
const stagesOf = ({ stages }: RunReport, outcome: string): string[] =>
  stages.filter((stage) => stage.outcome === outcome).map(({ stage }) => stage);

describe('--report', () => {
  it.each(['date,tx_count\n2025-01-01,1\n', '{"schema":"store/2"}'])(
    'does not replace a file that is not a report: %j',
    async (text) => {
      await writeFile(file, text);
      expect(await run(...runs.publishing(), '--report', file, '--quiet')).toEqual({
        code: 0,
        stdout: '',
        stderr: `--report ${file} was not written, because the file exists and is not a report. Name another file.\n`,
      });
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );

  it('contains the stages, requests, bytes and --json result of a publication', async () => {
    const { code, stdout } = await run(...runs.publishing(), '--report', file, '--json');
    const report = await readReport();
    const result = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(report).toEqual({
      schema: 'run-report/1',
      command: 'publish',
      stores: [expect.stringMatching(/^file:\/.*fresh-\d+$/)],
      started_at: '2025-01-12T00:00:00.000Z',
      ended_at: '2025-01-12T00:00:00.000Z',
      seconds: expect.any(Number),
      exit: { name: 'done', code: 0 },
      error: null,
      next: null,
      stages: PUBLISHING.map((stage) => ({
        stage,
        outcome: 'done',
        seconds: expect.any(Number),
        count: expect.any(Number),
        note: stage === 'mark' ? null : expect.stringMatching(/\S/),
      })),
      requests: expect.objectContaining({ delete: 0 }),
      bytes: { read: expect.any(Number), sent: expect.any(Number) },
      result,
    });
    const { objects, bytes } = result.written;
    const write = report.stages.find(({ stage }) => stage === 'write');
    expect(result).toMatchObject({ revision: '2025-01-11.000001', chains: { bitcoin: { restated: 0 } } });
    expect(objects).toBeGreaterThan(write?.count ?? NaN);
    expect(report.requests.put).toBeGreaterThanOrEqual(objects);
    expect(report.bytes.sent).toBeGreaterThanOrEqual(bytes);
  });

  it('shows that a plan sends nothing', async () => {
    const { stdout } = await run('plan', ...runs.publishing().slice(1), '--report', file, '--json');
    const report = await readReport();
    expect(report).toMatchObject({ command: 'plan', result: { dry_run: true, outcome: 'published' } });
    expect(report.result).toEqual(JSON.parse(stdout));
    expect(stagesOf(report, 'done')).toEqual(PLANNING);
    expect([report.requests.put, report.bytes.sent]).toEqual([0, 0]);
  });

  it('describes a run that changed nothing', async () => {
    await run(...runs.unchanged, '--report', file, '--quiet');
    const report = await readReport();
    expect(report).toMatchObject({ exit: { name: 'done', code: 0 }, result: { outcome: 'unchanged' } });
    expect([report.requests.put, report.bytes.sent]).toEqual([0, 0]);
    expect(report.bytes.read).toBeGreaterThan(0);
  });

  it('counts restated dates, and names their revision', async () => {
    const copy = path.join(path.dirname(file), 'store');
    await cp(runs.refusing, copy, { recursive: true });
    const args = runs.failing.refused.map((arg) => arg.replace(runs.refusing, copy));
    const accept = ['--accept-restatements', 'upstream corrected a count', '--report', file];
    expect(await run(...args, ...accept)).toMatchObject({ code: 0 });
    expect(await readReport()).toMatchObject({
      result: { revision: '2025-01-11.000001', chains: { bitcoin: { restated: 3, unchanged: 2 } } },
    });
  });

  it.each(['verify', 'status'])('describes %s', async (command) => {
    const { stdout } = await run(command, '--store', `file:${runs.root}`, '--report', file, '--json');
    const report = await readReport();
    expect(report).toMatchObject({ command, exit: { code: 0 }, result: JSON.parse(stdout) });
    expect(report.requests.get).toBeGreaterThan(0);
  });

  it.each(FAILING_EXITS)('describes a failed run: %s', async (exit) => {
    const { stderr } = await run(...runs.failing[exit], '--report', file);
    const report = await readReport();
    const { code } = EXIT_CODES[exit];
    expect(report).toMatchObject({ schema: 'run-report/1', exit: { name: exit, code } });
    if (report.error === null) expect(report.result).not.toBeNull();
    else expect(stderr.endsWith(`generator: ${report.error}\n  ${report.next}\n`)).toBe(true);
  });

  it('shows the stage in which a run failed', async () => {
    await run(...runs.failing.conflict, '--report', file);
    const report = await readReport();
    expect(stagesOf(report, 'done')).toEqual(PUBLISHING.slice(0, PUBLISHING.indexOf('commit')));
    expect(stagesOf(report, 'abandoned')).toEqual(['commit']);
    expect(report.bytes.sent).toBeGreaterThan(0);
  });

  it('shows what refused restatements would change', async () => {
    await run(...runs.failing.refused, '--report', file);
    expect(await readReport()).toMatchObject({
      error: null,
      result: {
        outcome: 'refused',
        plan_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        chains: { bitcoin: { refusal: { kind: 'restatement', restatement: { dates: 3 } } } },
      },
    });
  });

  it.each([
    ['FILE', ['status', '--stroe', 'file:x', '--report', 'FILE'], 'status'],
    ['=FILE', ['--report=FILE'], null],
  ])('describes a wrong command line (%s)', async (_name, words, command) => {
    await run(...words.map((word) => word.replace('FILE', file)));
    expect(await readReport()).toMatchObject({
      command,
      stores: [],
      exit: { name: 'usage', code: 2 },
      error: expect.stringMatching(/^(unknown|required) option/),
      stages: [],
      requests: NO_REQUESTS,
      bytes: { read: 0, sent: 0 },
      result: null,
    });
  });
});

describe('the file of --report', () => {
  const AN_OLD_ONE = '{"schema":"run-report/1"}';
  const report = (): Promise<GeneratorRun> =>
    run('status', '--store', `file:${runs.root}`, '--quiet', '--report', file);
  const listFolder = (): Promise<string[]> => readdir(path.dirname(file));

  it('is replaced, not overwritten: an open reader keeps the old report', async () => {
    await writeFile(file, AN_OLD_ONE);
    await link(file, `${file}.kept`);
    expect(await report()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readReport()).toMatchObject({ command: 'status' });
    expect(await readFile(`${file}.kept`, 'utf8')).toBe(AN_OLD_ONE);
    expect((await listFolder()).sort()).toEqual(['report.json', 'report.json.kept']);
  });

  it('may be a link, and stays one', async () => {
    await writeFile(`${file}.target`, '');
    await symlink('report.json.target', file);
    await report();
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(await readReport()).toMatchObject({ command: 'status' });
  });

  it('may be a pipe or a device, and stays one', async () => {
    await promisify(execFile)('mkfifo', [file]);
    const [text] = await Promise.all([readFile(file, 'utf8'), report()]);
    expect(JSON.parse(text)).toMatchObject({ command: 'status' });
    expect((await lstat(file)).isFIFO()).toBe(true);
  });

  it('to a pipe that nobody reads does not wait for a reader', async () => {
    await promisify(execFile)('mkfifo', [file]);
    expect(await report()).toEqual({
      code: 0,
      stdout: '',
      stderr: `--report ${file} cannot be written (ENXIO). Name a file in an existing, writable folder.\n`,
    });
  });

  it.each([
    ['in a folder that does not exist', 'missing/report.json', 'ENOENT'],
    ['below a file', 'file/report.json', 'ENOTDIR'],
    ['that is a folder', 'folder', 'EISDIR'],
  ])('%s is reported, and changes neither exit code nor result', async (_name, name, code) => {
    const top = path.dirname(file);
    await mkdir(path.join(top, 'folder'));
    await writeFile(path.join(top, 'file'), '');
    file = path.join(top, name);
    const message = `--report ${file} cannot be written (${code}). Name a file in an existing, writable folder.\n`;

    const done = await run('status', '--store', `file:${runs.root}`, '--json', '--report', file);
    expect(done).toMatchObject({ code: 0, stderr: message });
    expect(JSON.parse(done.stdout)).toMatchObject({ sequence: 1 });
    const failed = await run(...runs.failing.held, '--report', file);
    expect(failed).toMatchObject({ code: 9, stderr: expect.stringContaining(message) });
    expect(failed.stderr).toMatch(
      /\ngenerator: Publication is held: .*\n {2}generator unhold --store \S+\n$/,
    );
    expect((await readdir(top)).sort()).toEqual(['file', 'folder']);
  });

  it('is never incomplete, regardless of what fails', async () => {
    await writeFile(file, AN_OLD_ONE);
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const broken = { schema: 'run-report/1', result: circular } as unknown as RunReport; // a bug
    await expect(writeRunReport(file, broken)).rejects.toThrow(TypeError);
    expect([await readFile(file, 'utf8'), await listFolder()]).toEqual([AN_OLD_ONE, ['report.json']]);
  });
});

describe('recordStages', () => {
  it('records how long each stage took, its count, and whether it was abandoned', () => {
    let nowMs = 500;
    const { progress, stages } = recordStages(SILENT, () => nowMs);
    progress.begin('write', 3);
    progress.advance();
    progress.advance(2);
    nowMs += 1234.4;
    progress.end('3 files');
    progress.begin('commit');
    nowMs += 10;
    progress.abandon();
    progress.abandon();
    expect(stages).toEqual([
      { stage: 'write', outcome: 'done', seconds: 1.234, count: 3, note: '3 files' },
      { stage: 'commit', outcome: 'abandoned', seconds: 0.01, count: 0, note: null },
    ]);
  });
});
