import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import type { RunReport } from '../../../generator/run/run-report.js';
import { runAsProcess } from '../../support/process/generator-run.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';

const FIRST = '2025-06-01T06:00:00Z';
const AGAIN = '2025-06-01T07:00:00Z';

/** Returns the number of store operations of an unchanged run, from its report. */
async function countRequests(days: number): Promise<number> {
  const folder = await createTemporaryFolder();
  const report = path.join(folder.path, 'report.json');
  const input = await writeSmallInput(path.join(folder.path, 'input'), {
    days: Object.fromEntries(CHAIN_IDS.map((chain) => [chain, days])),
  });
  const store = `file:${path.join(folder.path, 'store')}`;
  for (const asOf of [FIRST, AGAIN]) {
    const args = ['publish', '--input', input, '--store', store, '--as-of', asOf, '--report', report];
    expect(await runAsProcess(args)).toMatchObject({ code: 0 });
  }
  const { requests, result } = JSON.parse(await readFile(report, 'utf8')) as RunReport; // our own format
  expect(result).toMatchObject({ outcome: 'unchanged' });
  await folder.dispose();
  return Object.values(requests).reduce((sum, count) => sum + count, 0);
}

it('needs at most 40 store operations when nothing has changed, however long the history is', async () => {
  const [short = NaN, long = NaN] = await Promise.all([3, 120].map(countRequests));
  expect(short).toBeLessThanOrEqual(40);
  expect(long).toBe(short);
}, 300_000);
