import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { addDays } from '../../schemas/dates.js';
import type { Chain } from '../../schemas/types.generated.js';
import { BenchError } from './bench.js';

/** The metrics of some chains as CSV text. Rows are in ascending order of date. */
export type MetricsHistory = {
  readonly sources: string;
  readonly chains: ReadonlyMap<Chain, { readonly header: string; readonly rows: readonly string[] }>;
};

/** An input directory of the generator, and the as-of instant of its publication. */
export type BenchInput = { readonly folder: string; readonly asOf: string };

/**
 * Reads the history of all chains from a folder with `<chain>.csv` and `sources.json`.
 * @throws BenchError if a file is missing.
 */
export async function readHistory(folder: string): Promise<MetricsHistory> {
  const read = async (name: string): Promise<string> => {
    try {
      return await readFile(path.join(folder, name), 'utf8');
    } catch (error) {
      throw new BenchError(
        `${path.join(folder, name)} cannot be read. Set --history or CRD_HISTORY_DIR to the folder that contains metrics/.`,
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

/** Returns the history of these chains, with the rows that `cut` returns. */
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

/** Writes a history to an input directory. Its as-of is the morning after the last date. */
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
  if (last === undefined || last === '')
    throw new BenchError(`${folder}: the history has too few rows. Use a longer one.`);
  return { folder, asOf: `${addDays(last, 1)}T06:00:00Z` };
}

/** Number of days of the chains whose full history is longer than the sample. */
const FULL_DAYS: { readonly [chain in Chain]?: number } = {
  bitcoin: 6_400,
  ethereum: 4_000,
  arbitrum: 1_300,
};
/** Late enough that no chain gets days before its first block. */
const LAST_DATE = '2026-07-31';

/**
 * Returns the full history of all chains: the real one in `folder`, or a synthetic one of the same length that repeats
 * the days of the sample. @throws BenchError if `folder` has no history.
 */
export async function readFullHistory(folder: string | undefined, root: string): Promise<MetricsHistory> {
  if (folder !== undefined) return readHistory(path.resolve(folder, 'metrics'));
  const sample = await readHistory(path.join(root, 'scripts', 'sample'));
  const chains = [...sample.chains].map(([chain, { header, rows }]) => {
    return [chain, { header, rows: lengthen(rows, FULL_DAYS[chain] ?? rows.length) }] as const;
  });
  return { sources: sample.sources, chains: new Map(chains) };
}

/** Repeats rows until there is one for each day. */
function lengthen(rows: readonly string[], days: number): readonly string[] {
  return Array.from({ length: days }, (_, i) => {
    const back = days - 1 - i;
    const row = rows[rows.length - 1 - (back % rows.length)] ?? '';
    return addDays(LAST_DATE, -back) + row.slice(10);
  });
}
