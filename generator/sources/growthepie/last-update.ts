import { parseInstant, toInstant } from '../../../schemas/dates.js';
import { describeValue, shapeError } from '../shape-error.js';
import { SourceError } from '../source.js';

/** The exports are refreshed once a day; the rest allows for a delay. */
const MAX_AGE_MS = 36 * 3_600_000;
/** Tolerated difference between the clocks. */
const CLOCK_SKEW_MS = 10 * 60_000;
const WRITTEN = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

/**
 * Returns the instant of growthepie's last update, from `master.json`.
 * @throws SourceError 'shape', or 'not-yet' when the last update is more than 36 hours ago.
 */
export function parseLastUpdate(where: string, master: unknown, nowMs: number): string {
  const isObject = typeof master === 'object' && master !== null;
  const text = isObject && 'last_updated_utc' in master ? master.last_updated_utc : undefined;
  const updatedMs =
    typeof text === 'string' && WRITTEN.test(text) ? parseInstant(text.replace(' ', 'T') + 'Z') : undefined;
  const expected = 'last_updated_utc as YYYY-MM-DD HH:MM:SS';
  if (updatedMs === undefined) throw shapeError(where, expected, describeValue(text));
  if (updatedMs > nowMs + CLOCK_SKEW_MS) {
    throw shapeError(
      where,
      `last_updated_utc until ${toInstant(nowMs + CLOCK_SKEW_MS)}`,
      toInstant(updatedMs),
    );
  }
  if (nowMs - updatedMs > MAX_AGE_MS) {
    throw new SourceError(
      'not-yet',
      `${where}: expected an update within the last 36 hours, got ${toInstant(updatedMs)}.`,
    );
  }
  return toInstant(updatedMs);
}
