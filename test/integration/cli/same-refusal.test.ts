import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { REFUSAL_KEY } from '../../../schemas/paths.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { metricsCsv, writeInput, writeSmallInput } from '../../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const FIRST = '2025-01-11T06:00:00Z';
const LATER = '2025-01-11T07:00:00Z';
const BITCOIN = '1 published date would be restated, 2025-01-05 to 2025-01-05';

/** The first run of a process computes the fingerprint of the writers. */
const SLOW_MS = 300_000;

let folder: TemporaryFolder;
let input: string;
let store: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  input = await writeSmallInput(path.join(folder.path, 'input'), { days: { bitcoin: 5, base: 5 } });
  store = `file:${folder.path}/store`;
  expect(await publish('2025-01-10')).toMatchObject({ code: 0 });
  await revise('bitcoin');
}, SLOW_MS);
afterEach(() => folder.dispose());

/** Runs at an instant, or at the start of a date, without --as-of, as a schedule does. */
const run = (command: string, now: string, ...options: string[]): Promise<GeneratorRun> =>
  runInProcess([command, '--input', input, '--store', store, ...options], now.padEnd(20, 'T00:00:00Z'));
const publish = (now: string, ...options: string[]): Promise<GeneratorRun> => run('publish', now, ...options);
const status = (...options: string[]): Promise<GeneratorRun> =>
  runInProcess(['status', '--store', store, ...options], '2025-01-11T08:00:00Z');
const document = ({ code, stdout }: GeneratorRun): Record<string, unknown> => ({
  code,
  ...(JSON.parse(stdout) as object),
});
const publishJson = async (now: string, ...options: string[]): Promise<Record<string, unknown>> =>
  document(await publish(now, '--json', ...options));
const statusJson = async (...options: string[]): Promise<Record<string, unknown>> =>
  document(await status('--json', ...options));
const record = (): Promise<string | undefined> =>
  readFile(path.join(folder.path, 'store', REFUSAL_KEY), 'utf8').catch(() => undefined);

/** Writes a file whose last published date differs. */
const revise = (chain: 'bitcoin' | 'base', days = 5): Promise<string> =>
  writeInput(input, { [`${chain}.csv`]: metricsCsv(chain, days, '2025-01-05') });
const restore = (chain: 'bitcoin' | 'base', days = 5): Promise<string> =>
  writeInput(input, { [`${chain}.csv`]: metricsCsv(chain, days) });

/** Runs a proposed command with a reason in it. */
function runProposed(command: string): Promise<GeneratorRun> {
  const [program, ...args] = execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
  expect(program).toBe('generator');
  return runInProcess(
    args.map((arg) => (arg === '<public reason>' ? 'corrected upstream' : arg)),
    LATER,
  );
}

describe('publish that refuses what an earlier run refused', () => {
  it('exits 5 again, and says that it is the same refusal and since when', async () => {
    const first = await publishJson(FIRST);
    expect(first).toMatchObject({
      code: 5,
      same_as_before: false,
      refusal_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      chains: { bitcoin: { outcome: 'refused' }, base: { outcome: 'unchanged' } },
    });
    expect(first['chains']).not.toHaveProperty('bitcoin.refused_since');
    const written = await record();
    const again = await publish(LATER);
    expect(again.code).toBe(5);
    expect(again.stderr).toContain(
      `bitcoin: the same refusal as at ${FIRST}\nbitcoin: refused: ${BITCOIN}\n`,
    );
    expect(await publishJson(LATER)).toMatchObject({
      code: 5,
      same_as_before: true,
      refusal_digest: first['refusal_digest'],
      chains: { bitcoin: { refused_since: FIRST } },
    });
    expect(await record()).toBe(written);
  });

  it('is the same one when days are added, in a plan, and with a --plan that does not match', async () => {
    await publishJson(FIRST);
    const written = await record();
    await revise('bitcoin', 6);
    expect(await publishJson(LATER)).toMatchObject({ code: 5, same_as_before: true });
    expect(document(await run('plan', LATER, '--json'))).toMatchObject({ code: 5, same_as_before: true });
    const mismatch = ['--accept-restatements', 'corrected', '--plan', '0'.repeat(64)];
    expect(document(await run('plan', LATER, '--json', ...mismatch))).toMatchObject({ same_as_before: true });
    expect(await record()).toBe(written);
  });

  it('is another one when a value differs, or another chain is refused too', async () => {
    const first = await publishJson(FIRST);
    await revise('base');
    const second = await publishJson(LATER);
    expect(second).toMatchObject({
      code: 5,
      same_as_before: false,
      chains: { bitcoin: { refused_since: FIRST } },
    });
    expect(second['chains']).not.toHaveProperty('base.refused_since');
    const csv = metricsCsv('bitcoin', 5, '2025-01-05').replace(/^2025-01-05,(\d+)/m, '2025-01-05,1$1');
    await writeInput(input, { 'bitcoin.csv': csv });
    const third = await publishJson(LATER);
    expect(third).toMatchObject({ code: 5, same_as_before: false });
    expect(new Set([first, second, third].map((each) => each['refusal_digest'])).size).toBe(3);
    expect(await publishJson(LATER)).toMatchObject({ same_as_before: true });
  });

  it('is a new one again after a run that did not refuse', async () => {
    await publish(FIRST);
    await restore('bitcoin');
    expect(await publishJson(LATER)).toMatchObject({ code: 0, same_as_before: false, refusal_digest: null });
    await revise('bitcoin');
    expect(await publishJson(LATER)).toMatchObject({ code: 5, same_as_before: false });
  });

  it('is a new one until a run has exited 5 with it: a run that exits 3 for another file does not count', async () => {
    await writeInput(input, { 'base.csv': 'damaged\n' });
    expect(await publishJson(FIRST)).toMatchObject({ code: 3, same_as_before: false });
    expect(await statusJson()).toMatchObject({ code: 0, refusals: [] });
    await rm(path.join(input, 'base.csv'));
    expect(await publishJson(FIRST, '--require-all')).toMatchObject({ code: 3, same_as_before: false });
    await restore('base');
    expect(await publishJson(LATER)).toMatchObject({ code: 5, same_as_before: false });
    expect(await publishJson(LATER)).toMatchObject({ code: 5, same_as_before: true });
  });

  it('keeps its time through a run that exits 3, in which another refusal stays new', async () => {
    await publish(FIRST);
    const written = await record();
    await writeInput(input, { 'base.csv': 'damaged\n' });
    expect(await publishJson(LATER)).toMatchObject({
      code: 3,
      chains: { bitcoin: { refused_since: FIRST } },
    });
    expect(await record()).toBe(written);
    const csv = metricsCsv('bitcoin', 5, '2025-01-05').replace(/^2025-01-05,(\d+)/m, '2025-01-05,1$1');
    await writeInput(input, { 'bitcoin.csv': csv });
    expect(await publishJson(LATER)).toMatchObject({ code: 3, same_as_before: false });
    await restore('base');
    expect(await publishJson(LATER)).toMatchObject({ code: 5, same_as_before: false });
  });

  it('is the same one when another refusal is settled', async () => {
    await revise('base');
    await publish(FIRST);
    await restore('base');
    expect(await publishJson(LATER)).toMatchObject({ code: 5, same_as_before: true });
  });

  it('is the same one after its chain was on hold, and is not the next step meanwhile', async () => {
    await publish(FIRST);
    const hold = ['--chain', 'bitcoin', '--store', store];
    expect(await runInProcess(['hold', ...hold, '--reason', 'checked'], LATER)).toMatchObject({ code: 0 });
    expect(await publishJson(LATER)).toMatchObject({ code: 0, same_as_before: false });
    expect(await statusJson()).toMatchObject({
      refusals: [{ chain: 'bitcoin', since: FIRST }],
      next: expect.not.stringContaining('refused'),
    });
    expect(await runInProcess(['unhold', ...hold], LATER)).toMatchObject({ code: 0 });
    expect(await publishJson(LATER)).toMatchObject({
      code: 5,
      same_as_before: true,
      chains: { bitcoin: { refused_since: FIRST } },
    });
  });

  it('exits 5 with the whole explanation when the record is damaged, and leaves the record alone', async () => {
    const file = path.join(folder.path, 'store', REFUSAL_KEY);
    await writeInput(path.dirname(file), { [REFUSAL_KEY]: '{}' });
    const { code, stderr } = await publish(FIRST);
    expect(code).toBe(5);
    expect(stderr).toContain(
      'The record of refusals was not updated, so the next run may report a refusal as new: refusal.json',
    );
    expect(stderr).toContain(`bitcoin: refused: ${BITCOIN}\n`);
    expect(await record()).toBe('{}');
    const { next } = (await statusJson()) as { next: string };
    expect(next).toBe(
      `the record of refusals is damaged; to empty it, so that the next run fills it: generator repair --store ${store}`,
    );
    expect(
      await runInProcess(next.slice(next.indexOf('generator ')).split(' ').slice(1), LATER),
    ).toMatchObject({ code: 0 });
  });

  it('exits 5 with the whole explanation when the record cannot be read', async () => {
    await mkdir(path.join(folder.path, 'store', REFUSAL_KEY));
    const { code, stderr } = await publish(FIRST);
    expect({ code, stderr }).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`refused: ${BITCOIN}\n`),
    });
    expect(stderr).toContain('The record of refusals was not updated');
    await restore('bitcoin');
    expect(await publish(LATER)).toMatchObject({ code: 0 });
  });
});

it('plan records no refusal', async () => {
  expect(document(await run('plan', FIRST, '--json'))).toMatchObject({ code: 5, same_as_before: false });
  expect(await record()).toBeUndefined();
});

it('a run that refuses nothing records nothing', async () => {
  await restore('bitcoin');
  expect(await publish(FIRST)).toMatchObject({ code: 0 });
  expect(await record()).toBeUndefined();
});

describe('status of a store with a refusal', () => {
  it('exits 5 and reports it with the command that accepts it, until that is run', async () => {
    const { refusal_digest } = await publishJson(FIRST, '--full', '--quiet');
    const { code, stdout, stderr } = await status();
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: `${store}: bitcoin has been refused since ${FIRST}\n`,
    });
    expect(stdout).toContain(`\nrefused    bitcoin since ${FIRST}: ${BITCOIN}\n`);
    const report = await statusJson();
    const [refusal] = report['refusals'] as { accept: string }[];
    expect(report).toMatchObject({ code: 5, refusal_digest });
    expect(refusal).toEqual({
      chain: 'bitcoin',
      since: FIRST,
      summary: BITCOIN,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      accept: expect.stringMatching(
        /^generator publish .*--full --accept-restatements '<public reason>' --plan [0-9a-f]{64}$/,
      ),
      plan_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      also_accepts: [],
    });
    expect(stdout).toMatch(
      /^next +bitcoin has been refused since .* write the public reason into this command/m,
    );
    expect(stdout.trimEnd().endsWith(refusal?.accept ?? 'none')).toBe(true);
    expect(await runProposed(refusal?.accept ?? '')).toMatchObject({ code: 0 });
    expect(await statusJson()).toMatchObject({ code: 0, refusals: [], refusal_digest: null });
    expect((await status()).stdout).toMatch(/^refused {4}no$/m);
  });

  it('shows a command that works in any directory, without the options that say how the run reported', async () => {
    const at = (target: string): string => path.relative(process.cwd(), target);
    const where = [`--input=${at(input)}`, '--store', `file:${at(path.join(folder.path, 'store'))}`];
    const reporting = ['--report', path.join(folder.path, 'report.json'), '--log-json', '--json', '--quiet'];
    await runInProcess(['publish', ...where, ...reporting, '--full'], FIRST);
    const [refusal] = (await statusJson())['refusals'] as { accept: string }[];
    expect(refusal?.accept.split(' --accept-restatements ')[0]).toBe(
      `generator publish --input=${input} --store ${store} --full`,
    );
  });

  it('names the other chains that the command accepts too, also one that it does not report', async () => {
    await revise('base');
    await publish(FIRST);
    for (const options of [[], ['--chain', 'bitcoin'], ['--ignore', 'base']])
      expect(await statusJson(...options)).toMatchObject({
        next: expect.stringMatching(/^bitcoin .* into this command \(this also accepts base\) and run it: /),
      });
    const { refusals } = (await statusJson()) as { refusals: { accept: string }[] };
    expect(refusals).toMatchObject([{ also_accepts: ['base'] }, { also_accepts: ['bitcoin'] }]);
    expect(await runProposed(refusals[0]?.accept ?? '')).toMatchObject({ code: 0 });
    expect(await statusJson()).toMatchObject({ code: 0, refusals: [] });
  });

  it('does not report a refusal that was accepted by a run that was killed before it updated the record', async () => {
    await publish(FIRST);
    const left = (await record()) ?? '';
    expect(await publish(LATER, '--accept-restatements', 'corrected upstream')).toMatchObject({ code: 0 });
    await writeInput(path.join(folder.path, 'store'), { [REFUSAL_KEY]: left });
    expect(await statusJson()).toMatchObject({ code: 0, refusals: [], refusal_digest: null });
  });

  it('no longer names "nothing to do" as the next step, and exits 0 again once the input is fixed', async () => {
    expect((await status()).stdout).toMatch(/^next +nothing to do|^next .*overdue/m);
    await publish(FIRST);
    expect((await status()).stdout).not.toMatch(/^next +nothing to do|^next .*overdue/m);
    await restore('bitcoin');
    await publish(LATER);
    expect(await status()).toMatchObject({ code: 0, stderr: '' });
  });

  it('says that no option accepts history that the input lost', async () => {
    await restore('bitcoin', 3);
    await publish(FIRST);
    expect(await statusJson()).toMatchObject({
      code: 5,
      refusals: [
        { chain: 'bitcoin', accept: null, summary: expect.stringContaining('the input ends on 2025-01-03') },
      ],
      next: expect.stringContaining('fix the input, no option accepts this'),
    });
  });

  it('keeps the refusal of a chain that later runs do not judge', async () => {
    await revise('base');
    await publish(FIRST);
    await restore('base');
    expect(await publishJson(LATER, '--chain', 'base')).toMatchObject({ code: 0 });
    expect(await statusJson()).toMatchObject({ code: 5, refusals: [{ chain: 'bitcoin', since: FIRST }] });
    await rm(path.join(input, 'bitcoin.csv'));
    expect(await publish(LATER)).toMatchObject({ code: 0 });
    expect(await statusJson()).toMatchObject({ code: 5, refusals: [{ chain: 'bitcoin', since: FIRST }] });
  });

  it('reports only the chains of --chain, without those of --ignore, also to a monitor', async () => {
    await publish(FIRST);
    expect(await statusJson('--max-lag-days', '9')).toMatchObject({ code: 5, lagging: [] });
    expect(await statusJson('--max-lag-days', '1')).toMatchObject({ code: 8 });
    expect(await statusJson('--ignore', 'bitcoin')).toMatchObject({ code: 0, refusals: [] });
    expect(await statusJson('--chain', 'base')).toMatchObject({ code: 0, refusals: [] });
  });

  it('exits 8 when the record is damaged, and repair empties it', async () => {
    await publish(FIRST);
    await writeInput(path.join(folder.path, 'store'), { [REFUSAL_KEY]: '{"schema":"refusal/1"}' });
    expect(await statusJson()).toMatchObject({ code: 8, damage: expect.stringContaining(REFUSAL_KEY) });
    const verify = (): Promise<GeneratorRun> => runInProcess(['verify', '--store', store]);
    expect(await verify()).toMatchObject({ code: 8, stderr: expect.stringContaining(`${REFUSAL_KEY}: `) });
    const repair = await runInProcess(['repair', '--store', store, '--json']);
    expect(document(repair)).toMatchObject({ code: 0, outcome: 'repaired', restored: [REFUSAL_KEY] });
    expect(await verify()).toMatchObject({ code: 0 });
    expect(await publishJson(LATER)).toMatchObject({ code: 5, same_as_before: false });
  });
});
