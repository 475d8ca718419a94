import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import type { RequestCounts } from '../../../infra/store/counting-store.js';
import { BenchError, type BenchOptions } from '../bench.js';
import { runChild } from '../child-process.js';
import { cutHistory, writeHistory, type MetricsHistory } from '../metrics-history.js';

/** Number of store operations of an unchanged run on a store with `days` days of each chain. */
export type UnchangedRun = { readonly days: number; readonly requests: number };

/** Publishes the last days of a history to a directory twice, and returns the operations in the second run's report. */
export async function countUnchanged(
  history: MetricsHistory,
  days: number,
  options: BenchOptions,
): Promise<UnchangedRun> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-s3-'));
  try {
    const cut = cutHistory(history, CHAIN_IDS, (rows) => rows.slice(-days));
    const { folder: input, asOf } = await writeHistory(path.join(folder, 'input'), cut);
    const report = path.join(folder, 'report.json');
    for (const each of [asOf, asOf.replace('T06:', 'T07:')]) {
      const where = ['--input', input, '--store', `file:${path.join(folder, 'store')}`, '--as-of', each];
      const args = ['publish', ...where, '--quiet', '--report', report];
      await runChild({ script: 'generator/main.js', args, peakFile: path.join(folder, 'peak') }, options);
    }
    const { requests, result } = JSON.parse(await readFile(report, 'utf8')) as Report; // the product's own report
    if (result.outcome !== 'unchanged')
      throw new BenchError(`The outcome of the second run is ${result.outcome}, not unchanged`);
    return { days, requests: Object.values(requests).reduce((sum, count) => sum + count, 0) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Report = { readonly requests: RequestCounts; readonly result: { readonly outcome: string } };
