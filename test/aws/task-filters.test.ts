import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import { isMatch, select } from '../support/aws/filter-pattern.js';
import { runInProcess } from '../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';
import { writeSmallInput } from '../support/release/small-input.js';

const SLOW_MS = 300_000;

const { Service } = await readTemplates();
type Filter = { readonly name: string; readonly pattern: string; readonly value: string };
const filters = Object.values(resourcesOf(Service, 'AWS::Logs::MetricFilter'))
  .filter(({ Properties }) => JSON.stringify(Properties?.['LogGroupName']).includes('RunsTasksLog'))
  .map(({ Properties }): Filter => {
    const [found] = Properties?.['MetricTransformations'] as { MetricName: string; MetricValue: string }[];
    const { MetricName = '', MetricValue = '' } = found ?? {};
    return { name: MetricName, pattern: String(Properties?.['FilterPattern']), value: MetricValue };
  });

let folder: TemporaryFolder;
let input: string;
let store: string[];
beforeAll(async () => {
  folder = await createTemporaryFolder();
  input = await writeSmallInput(path.join(folder.path, 'input'), { days: { base: 130 } });
  store = ['--store', `file:${path.join(folder.path, 'store')}`];
});
afterAll(() => folder.dispose());

/** Runs the generator like a task, and returns the values that the filters find in its report. */
async function countsOf(...args: readonly string[]): Promise<Record<string, number>> {
  const report = path.join(folder.path, 'report');
  await runInProcess([...args, ...store, '--quiet', '--log-json', '--report', report]);
  const line = JSON.stringify(JSON.parse(await readFile(report, 'utf8'))); // a device gets it on one line
  const found = filters.filter(({ pattern }) => isMatch(pattern, line));
  return Object.fromEntries(
    found.map(({ name, value }) => [
      name,
      Number(value.startsWith('$') ? select(value, JSON.parse(line)) : value),
    ]),
  );
}

it(
  'the runs of a store are counted by how they ended',
  async () => {
    expect(await countsOf('publish', '--input', input)).toEqual({ PublishEnded: 1 });
    const lag = expect.any(Number) as number;
    const ages = { ReleaseAge: 0, 'Lag-base': lag };
    const status = ['status', '--max-lag-days', '999999'];
    expect(await countsOf(...status)).toEqual({ MonitorEnded: 1, ...ages });

    await changeFee(path.join(input, 'base.csv'));
    expect(await countsOf('publish', '--input', input)).toEqual({ PublishEnded: 1, PublishRefused: 1 });
    expect(await countsOf(...status)).toEqual({ MonitorEnded: 1, ...ages }); // exit 5, which publish has reported

    expect(await countsOf('hold', '--reason', 'a test')).toEqual({});
    expect(await countsOf('publish', '--input', input)).toEqual({ PublishEnded: 1 });

    await writeFile(path.join(folder.path, 'store', 'current.json'), '{}');
    expect(await countsOf(...status)).toEqual({ MonitorEnded: 1, StoreDamaged: 1 });
    expect(await countsOf('publish', '--input', input)).toEqual({});
  },
  SLOW_MS,
);

it(
  'a run that needs a person has not ended well',
  async () => {
    expect(await countsOf('publish', '--input', path.join(folder.path, 'missing'))).toEqual({});
    expect(await countsOf('status', '--max-lag-days', 'many')).toEqual({});
  },
  SLOW_MS,
);

/** Changes a value of a published date. */
async function changeFee(file: string): Promise<void> {
  const rows = (await readFile(file, 'utf8')).split('\n');
  const row = rows[60] ?? '';
  rows[60] = row.replace(/(\d)(?=[^\d]*$)/, (digit) => String((Number(digit) + 1) % 10));
  await writeFile(file, rows.join('\n'));
}
