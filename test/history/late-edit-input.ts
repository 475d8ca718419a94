import type { InputSeries } from '../../generator/core/input-series.js';
import { createRandom } from '../fixtures/seeded.js';
import { drawEdits, type Edit } from './drawn-edits.js';
import { cutBetween } from './edited-series.js';
import { readHistory } from './history-data.js';

const SEED = 7;
const DRAWN_EDITS = 90;

/** The part of history that is edited: a year of dependency, and time for what it carries on. */
export const FIRST = '2022-10-01';
export const SECOND = '2022-10-02';
export const LAST_BUT_ONE = '2023-12-30';
export const LAST = '2023-12-31';

/** The real series that are published and then edited. */
export async function readEditedHistory(): Promise<readonly InputSeries[]> {
  const history = await readHistory();
  return history.map((series) => cutBetween(series, FIRST, LAST));
}

/** The edits that chance decides, always the same ones. */
export function drawnEdits(inputs: readonly InputSeries[]): readonly Edit[] {
  return drawEdits(inputs, DRAWN_EDITS, createRandom(SEED));
}
