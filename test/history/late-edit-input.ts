import type { InputSeries } from '../../generator/core/input/input-series.js';
import { createRandom } from '../support/random/seeded.js';
import { drawEdits, type Edit } from './drawn-edits.js';
import { cutBetween } from './edited-series.js';
import { readHistory } from './history-data.js';

const SEED = 7;
const DRAWN_EDITS = 95;
/** Number of drawn edits that are planned. */
export const PLANNED_EDITS = Number(process.env['CRD_EDITS'] ?? String(DRAWN_EDITS));

/** The part of the history that is edited: longer than the year of dependent dates and the state carried after it. */
export const FIRST = '2022-10-01';
export const SECOND = '2022-10-02';
export const LAST_BUT_ONE = '2023-12-30';
export const LAST = '2023-12-31';

/** Returns the real series that are published and then edited. */
export async function readEditedHistory(): Promise<readonly InputSeries[]> {
  const history = await readHistory();
  return history.map((series) => cutBetween(series, FIRST, LAST));
}

/** Returns random edits, the same ones on each run. */
export function drawnEdits(inputs: readonly InputSeries[]): readonly Edit[] {
  return drawEdits(inputs, DRAWN_EDITS, createRandom(SEED));
}
