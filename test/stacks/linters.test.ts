import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installLocked } from '../../scripts/python/install-locked.js';
import { exampleFolder } from '../support/aws/aws-synth.js';
import { runProgram, type ProgramRun } from '../support/process/run-program.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const SLOW_MS = 300_000;
/** cfn-lint: the CDK declares some dependencies twice (W3005); app.ts names the availability zones, so that the CDK does not look them up (W3010). */
const IGNORED = ['W3005', 'W3010'];
const STACKS = ['Backup', 'Store', 'Service', 'Delivery', 'Backfill'];

/** A finding in the report of checkov. */
type Finding = {
  readonly check_id: string;
  readonly resource: string;
  readonly check_result: { readonly suppress_comment?: string };
};

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.dispose(), SLOW_MS);

/** Runs a Python program of `test/python`, offline. Its folder there, in `.python` and the program have the same name. */
function runLinter(name: string, args: readonly string[]): Promise<ProgramRun> {
  const python = installLocked({
    what: name,
    requirements: fileURLToPath(new URL(`../python/${name}/requirements.txt`, import.meta.url)),
    folder: fileURLToPath(new URL(`../../.python/${name}`, import.meta.url)),
  });
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder.path };
  return runProgram(path.join(path.dirname(python), name), args, env);
}

it(
  'the stacks pass cfn-lint',
  async () => {
    const files = STACKS.map((stack) => path.join(exampleFolder(), `${stack}.template.json`));
    const regions = ['--regions', 'eu-west-1', 'eu-central-1', 'us-east-1', 'us-east-2'];
    const run = await runLinter('cfn-lint', [
      '--format',
      'parseable',
      '--ignore-checks',
      ...IGNORED,
      ...regions,
      '--',
      ...files,
    ]);
    expect(run).toEqual({ code: 0, stdout: '', stderr: '' });
  },
  SLOW_MS,
);

it(
  'the stacks pass checkov, which reports only findings with a reason',
  async () => {
    const { code, stdout } = await runLinter('checkov', [
      '--framework',
      'cloudformation',
      '--skip-download',
      '--output',
      'json',
      '--directory',
      exampleFolder(),
    ]);
    const { results } = JSON.parse(stdout) as { results: Record<string, Finding[]> };
    expect(results['failed_checks']?.map(({ check_id, resource }) => [check_id, resource])).toEqual([]);
    expect(code).toBe(0);
    expect(results['passed_checks']?.length).toBeGreaterThan(300);
    const reasons = results['skipped_checks']?.map(({ check_result }) => check_result.suppress_comment) ?? [];
    expect(reasons.filter((reason = '') => reason.length < 30)).toEqual([]);
  },
  SLOW_MS,
);
