import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

let folder: TemporaryFolder;
let where: readonly string[];
beforeEach(async () => {
  folder = await createTemporaryFolder();
  const input = path.join(folder.path, "the operator's input");
  where = ['--input', input, '--store', `file:${folder.path}/store`, '--as-of', '2025-01-11T06:00:00Z'];
  await writeSmallInput(input, { days: { bitcoin: 5 } });
  expect(await runInProcess(['publish', ...where])).toMatchObject({ code: 0 });
  await writeSmallInput(input, { days: { bitcoin: 5 }, revised: '2025-01-05' });
});
afterEach(() => folder.dispose());

/** Returns the arguments of the command that a run printed last, as a shell splits them. */
function printedCommand({ stderr }: GeneratorRun): string[] {
  const command = stderr.trimEnd().split('\n').at(-1) ?? '';
  const [program, ...args] = execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
  expect(program).toBe('generator');
  return args;
}

const withReason = (args: readonly string[]): string[] =>
  args.map((arg) => (arg === '<public reason>' ? 'corrected upstream' : arg));

describe.each(['plan', 'publish'])('%s that refuses a restatement', (command) => {
  it('ends with the whole command that accepts it, with all options that were given', async () => {
    const refused = await runInProcess([command, ...where, '--chain=bitcoin', '--full', '--quiet']);
    expect(refused).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('1 published date would be restated'),
    });
    const args = printedCommand(refused);
    expect(args).toEqual([
      'publish',
      ...where,
      '--chain=bitcoin',
      '--full',
      '--quiet',
      '--accept-restatements',
      '<public reason>',
      '--plan',
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
    expect(await runInProcess(withReason(args))).toMatchObject({ code: 0 });
  });

  it('proposes a command that does not publish before the reason is written', async () => {
    const { code, stderr } = await runInProcess(printedCommand(await runInProcess([command, ...where])));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('Replace "<public reason>" with the reason that readers will see.'),
    });
  });
});

it('publish with the plan of another input proposes the right plan and keeps the reason', async () => {
  const old = ['--plan', '0'.repeat(64), '--accept-restatements=corrected upstream'];
  const refused = await runInProcess(['publish', ...old, ...where]);
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('--plan does not match') });
  const args = printedCommand(refused);
  expect(args.slice(-4, -1)).toEqual(['--accept-restatements', 'corrected upstream', '--plan']);
  expect(args.filter((arg) => arg.startsWith('--plan'))).toHaveLength(1);
  expect(await runInProcess(args)).toMatchObject({ code: 0 });
});
