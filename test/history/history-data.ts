import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { InputSeries } from '../../generator/core/input/input-series.js';
import { toDirectory } from '../../generator/input/input-folder.js';
import { readInput } from '../../generator/input/read-input.js';
import { parseInstant } from '../../schemas/dates.js';
import type { Chain } from '../../schemas/types.generated.js';

/** Path of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The as-of of the real history: the day after its last date. */
export const AS_OF = '2026-08-19';

const FOLDER = path.resolve(ROOT, process.env['CRD_HISTORY_DIR'] ?? '../shared/data');

/**
 * Returns the directory of the real metrics: `metrics` in CRD_HISTORY_DIR, by default in `../shared/data`.
 * @throws Error if it is missing, so that no test of the real history is skipped.
 */
export function metricsFolder(): string {
  const folder = path.join(FOLDER, 'metrics');
  for (const chain of CHAIN_IDS) {
    const file = path.join(folder, `${chain}.csv`);
    if (existsSync(file)) continue;
    throw new Error(`${file} is missing. Set CRD_HISTORY_DIR to the folder that contains metrics/.`);
  }
  return folder;
}

/** Reads the real series of every chain. @throws Error if they are missing or have faults. */
export async function readHistory(): Promise<readonly InputSeries[]> {
  const asOfMs = parseInstant(AS_OF) ?? NaN;
  const { series, faults } = await readInput({ folder: toDirectory(metricsFolder()), asOfMs });
  if (faults.length > 0) throw new Error(`the real history has faults: ${JSON.stringify(faults)}`);
  return series;
}

/** Returns the series of one chain. @throws Error if it is missing. */
export function seriesOf(inputs: readonly InputSeries[], chain: Chain): InputSeries {
  const series = inputs.find((each) => each.chain === chain);
  if (series === undefined) throw new Error(`no series of ${chain}`);
  return series;
}
