import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InputSeries } from '../../generator/core/input-series.js';
import { toDirectory } from '../../generator/io/input-folder.js';
import { readInput } from '../../generator/io/read-input.js';
import { parseInstant } from '../../schemas/dates.js';
import type { Chain } from '../../schemas/types.generated.js';

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The instant as of which the real history is read: the day after its last date. */
export const AS_OF = '2026-08-19';

const FOLDER = path.resolve(ROOT, process.env['CRD_HISTORY_DIR'] ?? '../shared/data');

/**
 * The directory of the real metrics: `metrics` below CRD_HISTORY_DIR, or below the folder that lies beside the repository.
 * @throws Error when there is none: a test of real history fails without it and is never skipped.
 */
export function metricsFolder(): string {
  const folder = path.join(FOLDER, 'metrics');
  if (!existsSync(path.join(folder, 'bitcoin.csv'))) {
    throw new Error(
      `the tests of real history need ${path.join(folder, 'bitcoin.csv')}; set CRD_HISTORY_DIR to the folder that holds metrics/`,
    );
  }
  return folder;
}

/** Reads the real series of every chain. @throws Error when there are none, or one has a fault. */
export async function readHistory(): Promise<readonly InputSeries[]> {
  const asOfMs = parseInstant(AS_OF) ?? NaN;
  const { series, faults } = await readInput({ folder: toDirectory(metricsFolder()), asOfMs });
  if (faults.length > 0) throw new Error(`the real history has faults: ${JSON.stringify(faults)}`);
  return series;
}

/** The series of one chain. @throws Error when there is none. */
export function seriesOf(all: readonly InputSeries[], chain: Chain): InputSeries {
  const series = all.find((each) => each.chain === chain);
  if (series === undefined) throw new Error(`no series of ${chain}`);
  return series;
}
