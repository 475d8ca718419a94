import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { RequestCounts } from '../../infra/store/counting-store.js';
import { BenchError, type BenchTerms } from './bench.js';
import { runChild } from './child-process.js';
import { cutHistory, writeHistory, type MetricsHistory } from './metrics-history.js';

/** How many operations an unchanged run asks of a store that holds so many days of each chain. */
export type UnchangedRun = { readonly days: number; readonly requests: number };

/** Publishes the last days of a history to a directory, and the same again an hour later; by its report, what that asks. */
export async function countUnchanged(
  history: MetricsHistory,
  days: number,
  terms: BenchTerms,
): Promise<UnchangedRun> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-s3-'));
  try {
    const cut = cutHistory(history, CHAIN_IDS, (rows) => rows.slice(-days));
    const { folder: input, asOf } = await writeHistory(path.join(folder, 'input'), cut);
    const report = path.join(folder, 'report.json');
    for (const each of [asOf, asOf.replace('T06:', 'T07:')]) {
      const where = ['--input', input, '--store', `file:${path.join(folder, 'store')}`, '--as-of', each];
      const args = ['publish', ...where, '--quiet', '--report', report];
      await runChild({ script: 'generator/main.js', args, peakFile: path.join(folder, 'peak') }, terms);
    }
    const { requests, result } = JSON.parse(await readFile(report, 'utf8')) as Report; // the product's own report
    if (result.outcome !== 'unchanged') throw new BenchError(`the second run was ${result.outcome}`);
    return { days, requests: Object.values(requests).reduce((sum, count) => sum + count, 0) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Report = { readonly requests: RequestCounts; readonly result: { readonly outcome: string } };
