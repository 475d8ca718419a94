import path from 'node:path';
import type { Chain } from '../../schemas/types.generated.js';
import { addDays } from '../../schemas/dates.js';
import { readHistory, type MetricsHistory } from './metrics-history.js';

/** As many days as the chains have that have a longer history than the sample's. */
const DAYS: { readonly [chain in Chain]?: number } = { bitcoin: 6_400, ethereum: 4_000, arbitrum: 1_300 };
/** So late that the first of all those days lies after the first of its chain. */
const LAST_DATE = '2026-07-31';

/**
 * The full history of all chains: the real one in `folder`, or else one that is as long and made up, of the sample's
 * days again and again. @throws BenchError when the real one is not there.
 */
export async function readFullHistory(folder: string | undefined, root: string): Promise<MetricsHistory> {
  if (folder !== undefined) return readHistory(path.resolve(folder, 'metrics'));
  const sample = await readHistory(path.join(root, 'scripts', 'sample'));
  const chains = [...sample.chains].map(([chain, { header, rows }]) => {
    return [chain, { header, rows: lengthen(rows, DAYS[chain] ?? rows.length) }] as const;
  });
  return { sources: sample.sources, chains: new Map(chains) };
}

/** So many days, the rows again and again. */
function lengthen(rows: readonly string[], days: number): readonly string[] {
  return Array.from({ length: days }, (_, i) => {
    const back = days - 1 - i;
    const row = rows[rows.length - 1 - (back % rows.length)] ?? '';
    return addDays(LAST_DATE, -back) + row.slice(10);
  });
}
