import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain, MetricName } from '../../schemas/types.generated.js';
import { openStore } from '../../infra/store/open-store.js';
import { INPUT_LIMITS, openInputFolder } from '../../generator/input/input-folder.js';
import { BUCKET_DATES, BUCKET_METRICS } from './demo-bucket.js';

type Served = { readonly sample: string; readonly since: string; readonly hasBucket: boolean };

/** Returns, as sentences, how what was collected differs from what was served since a date. */
export async function findDifferences(
  collected: string,
  { sample, since, hasBucket }: Served,
): Promise<string[]> {
  const input = await openInputFolder(collected, openStore);
  const names = await input.list();
  const differences: string[] = [];
  for (const chain of CHAIN_IDS) {
    const name = `${chain}.csv`;
    const found = names.includes(name) ? await text(await input.open(name, INPUT_LIMITS.metricsFile)) : '';
    const { rest, filled } = takeColumns(linesSince(found, since), bucketMetricsOf(chain));
    if (rest !== linesSince(await readFile(path.join(sample, name), 'utf8'), since))
      differences.push(`the collected ${name} differs from that of the sample`);
    if (hasBucket && chain === 'ethereum' && filled.join() !== BUCKET_DATES.join())
      differences.push(`the bucket filled in ${filled.join(', ') || 'no date'} of ${name}`);
  }
  return differences;
}

/** Returns a CSV from a date on. An earlier demo may have collected more. */
function linesSince(csv: string, since: string): string {
  const [header = '', ...lines] = csv.split('\n');
  return [header, ...lines.filter((line) => line === '' || line >= since)].join('\n');
}

function bucketMetricsOf(chain: Chain): readonly MetricName[] {
  return chain === 'ethereum' ? BUCKET_METRICS : [];
}

/** Returns a CSV without these columns, and the dates on which all of them have values. */
function takeColumns(csv: string, metrics: readonly string[]): { rest: string; filled: string[] } {
  const rows = csv.split('\n').map((line) => line.split(','));
  const [header = []] = rows;
  const isTaken = (_cell: string, i: number): boolean => metrics.includes(header[i] ?? '');
  const rest = rows.map((cells) => cells.filter((cell, i) => !isTaken(cell, i)).join(','));
  const filled = rows
    .slice(1)
    .filter((cells) => cells.filter(isTaken).filter((cell) => cell !== '').length === metrics.length)
    .map(([date = '']) => date);
  return { rest: rest.join('\n'), filled };
}
