import path from 'node:path';
import { addDays } from '../../../schemas/dates.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { FIRST_DATE, metricsCsv, sourcesJson, writeInput } from '../../support/release/small-input.js';

const DAYS = 150;
const NOW = `${addDays(FIRST_DATE, DAYS)}T06:00:00Z`;
const LINE =
  'bitcoin: 0 of 150 days have a label: active_addresses, fee_median and use of block space are missing; data quality 33.8 %, 50 % needed; with active_addresses or fee_median: 50.8 %';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.dispose());

/** Returns a metrics file with only these columns of the small input. */
function withColumns(days: number, columns: readonly string[]): string {
  const [header = [], ...rows] = metricsCsv('bitcoin', days)
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  const kept = ['date', ...columns].map((name) => header.indexOf(name));
  return [header, ...rows].map((cells) => `${kept.map((at) => cells[at]).join(',')}\n`).join('');
}

/** Writes an input, and returns a function that runs a command on it and on a store of its own. */
async function inputOf(
  name: string,
  files: { readonly [chain: string]: string },
): Promise<(command: string, ...more: string[]) => Promise<GeneratorRun>> {
  const csv = Object.fromEntries(Object.entries(files).map(([chain, text]) => [`${chain}.csv`, text]));
  const input = await writeInput(path.join(folder.path, name), {
    ...csv,
    'sources.json': sourcesJson(Object.keys(files) as ('bitcoin' | 'base')[]),
  });
  return (command, ...more) => {
    const inputs = command === 'status' ? [] : ['--input', input];
    return runInProcess([command, ...inputs, '--store', `file:${input}-store`, ...more], NOW);
  };
}

type Json = { readonly chains: { readonly [chain: string]: { readonly label_gap?: object | null } } };
const gapOf = ({ stdout }: GeneratorRun, chain: string): unknown =>
  (JSON.parse(stdout) as Json).chains[chain]?.label_gap;

it('plan, publish and status say why no day of a chain has a label, in the same line and the same JSON', async () => {
  const run = await inputOf('two', {
    bitcoin: withColumns(DAYS, ['tx_count', 'fees_total']),
    base: metricsCsv('base', DAYS),
  });
  const lines: (string | undefined)[] = [];
  const gaps: unknown[] = [];
  for (const command of ['plan', 'publish', 'publish', 'status', 'plan']) {
    const text = await run(command);
    const isWritten = command === 'publish';
    lines.push(...text.stdout.split('\n').filter((line) => line.includes(' a label')));
    if (!isWritten || gaps.length > 1) gaps.push(gapOf(await run(command, '--json'), 'bitcoin'));
  }
  expect(lines).toHaveLength(5);
  expect(new Set(lines).size).toBe(1);
  expect(lines[0]).toBe(LINE);
  expect(gaps).toHaveLength(3);
  for (const gap of gaps) {
    expect(gap).toEqual(gaps[0]);
    expect(gap).toMatchObject({
      days: DAYS,
      labelled_days: 0,
      data_quality: 0.338356164,
      minimum_data_quality: 0.5,
      remedy: { metrics: [['active_addresses'], ['fee_median']] },
    });
  }
  expect(gapOf(await run('status', '--json'), 'base')).toBeNull();
  expect(gapOf(await run('plan', '--json'), 'base')).toBeUndefined();
});

it('the status of a monitor makes no request for it', async () => {
  const run = await inputOf('monitored', { bitcoin: withColumns(5, ['tx_count']) });
  await run('publish');
  expect(gapOf(await run('status', '--json', '--max-lag-days', '999'), 'bitcoin')).toBeNull();
});

it('a short history has the date of its first label, and that date gets it', async () => {
  const first = addDays(FIRST_DATE, 99);
  const short = await inputOf('short', { base: metricsCsv('base', 60) });
  expect((await short('plan')).stdout).toMatch(new RegExp(`; the first label is that of ${first}\n`));
  const long = await inputOf('long', { base: metricsCsv('base', 100) });
  expect((await long('plan')).stdout).not.toContain('a label');
});

it('plan and publish count the new dates for which the input has no row', async () => {
  const rows = metricsCsv('base', 9).split('\n');
  const run = await inputOf('rowless', { base: rows.filter((_, i) => i < 3 || i > 5).join('\n') });
  for (const command of ['plan', 'publish']) {
    const { stdout } = await run(command);
    expect(stdout).toContain('\nbase: 3 of the 9 new dates have no row in the input\n');
  }
  expect((await run('publish')).stdout).not.toContain('no row');
});
