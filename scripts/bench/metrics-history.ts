import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { addDays } from '../../schemas/dates.js';
import type { Chain } from '../../schemas/types.generated.js';
import { BenchError } from './bench.js';

/** The metrics of some chains as text: each a header and a row per date, ascending. */
export type MetricsHistory = {
  readonly sources: string;
  readonly chains: ReadonlyMap<Chain, { readonly header: string; readonly rows: readonly string[] }>;
};

/** An input directory of the generator, and the instant to publish it as of. */
export type BenchInput = { readonly folder: string; readonly asOf: string };

/**
 * Reads the real histories of all chains from a folder of `<chain>.csv` and `sources.json`.
 * @throws BenchError when one is not there.
 */
export async function readHistory(folder: string): Promise<MetricsHistory> {
  const read = async (name: string): Promise<string> => {
    try {
      return await readFile(path.join(folder, name), 'utf8');
    } catch (error) {
      throw new BenchError(
        `${path.join(folder, name)} cannot be read; the bench needs the real histories: give their folder with --history or CRD_HISTORY_DIR`,
        { cause: error },
      );
    }
  };
  const chains: MetricsHistory['chains'] = new Map(
    await Promise.all(
      CHAIN_IDS.map(async (chain) => {
        const [header = '', ...rows] = (await read(`${chain}.csv`))
          .split(/\r?\n/)
          .filter((line) => line !== '');
        return [chain, { header, rows }] as const;
      }),
    ),
  );
  return { sources: await read('sources.json'), chains };
}

/** The history of some of its chains, with the rows of each as `cut` leaves them. */
export function cutHistory(
  history: MetricsHistory,
  chains: readonly Chain[],
  cut: (rows: readonly string[]) => readonly string[],
): MetricsHistory {
  const kept = [...history.chains].filter(([chain]) => chains.includes(chain));
  return {
    sources: history.sources,
    chains: new Map(kept.map(([chain, { header, rows }]) => [chain, { header, rows: cut(rows) }])),
  };
}

/** Writes a history as an input directory, to be published on the morning after its last date. */
export async function writeHistory(folder: string, history: MetricsHistory): Promise<BenchInput> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'sources.json'), history.sources);
  for (const [chain, { header, rows }] of history.chains) {
    await writeFile(path.join(folder, `${chain}.csv`), `${[header, ...rows].join('\n')}\n`);
  }
  const last = [...history.chains.values()]
    .map(({ rows }) => rows.at(-1)?.slice(0, 10) ?? '')
    .sort()
    .at(-1);
  if (last === undefined || last === '') throw new BenchError(`${folder}: no rows are left of the history`);
  return { folder, asOf: `${addDays(last, 1)}T06:00:00Z` };
}
