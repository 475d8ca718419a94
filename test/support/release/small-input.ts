import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';

/** The first date of every small input. */
export const FIRST_DATE = '2025-01-01';

/** The shortest valid sources of a chain. */
export const SOURCES = [{ name: 'Sample', licence: 'CC0' }];

/** Options for `writeSmallInput`: the number of dates of each chain, and a `revised` date whose count differs by one. */
export type SmallInput = {
  readonly days: { readonly [chain in Chain]?: number };
  readonly revised?: string;
};

/** Writes an input directory with simulated metrics, and returns its path. */
export async function writeSmallInput(folder: string, { days, revised }: SmallInput): Promise<string> {
  const chains = CHAIN_IDS.filter((chain) => days[chain] !== undefined);
  const texts = chains.map(
    (chain) => [`${chain}.csv`, metricsCsv(chain, days[chain] ?? 0, revised)] as const,
  );
  return writeInput(folder, { ...Object.fromEntries(texts), 'sources.json': sourcesJson(chains) });
}

/** Writes the files of an input directory, and returns its path. */
export async function writeInput(
  folder: string,
  files: { readonly [name: string]: string | Uint8Array },
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await Promise.all(Object.entries(files).map(([name, body]) => writeFile(path.join(folder, name), body)));
  return folder;
}

/** Returns the text of `sources.json` for these chains. */
export function sourcesJson(chains: readonly Chain[]): string {
  return JSON.stringify(Object.fromEntries(chains.map((chain) => [chain, SOURCES])));
}

/** Returns a metrics file with `days` dates of metrics that every chain has: a wave with a weekly pattern. */
export function metricsCsv(chain: Chain, days: number, revised?: string): string {
  const rows = Array.from({ length: days }, (_, t) => {
    const date = addDays(FIRST_DATE, t);
    const wave = 1 + 0.2 * Math.sin(t / 9) + 0.05 * (t % 7) + chain.length / 100;
    const count = Math.round(300_000 * wave) + (date === revised ? 1 : 0);
    return [
      date,
      count,
      Math.round(count * 1.7),
      (count * 0.0001 * wave).toFixed(6),
      (0.00005 * wave).toExponential(3),
    ];
  });
  return ['date,tx_count,active_addresses,fees_total,fee_median', ...rows.map(String), ''].join('\n');
}
