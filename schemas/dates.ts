/** Calendar dates as whole UTC days. A day number counts days since 1970-01-01. */

const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const END_MS = Date.parse('9999-12-31T23:59:59Z') + 1000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Returns the day number of a date, or `undefined` if the date does not exist (2025-02-30, 2025-2-3). */
export function parseDate(text: string): number | undefined {
  if (!DATE.test(text)) return undefined;
  const date = new Date(`${text}T00:00:00Z`); // 30 February becomes a day in March
  return date.getUTCDate() === Number(text.slice(8)) ? date.getTime() / DAY_MS : undefined;
}

/**
 * Returns the day number of a date that is known to be valid.
 * @throws RangeError for any other text.
 */
export function toDayNumber(date: string): number {
  const day = parseDate(date);
  if (day === undefined) throw new RangeError(`not a date: ${date}`);
  return day;
}

/** Returns the date `YYYY-MM-DD` of a day number. */
export function toDate(dayNumber: number): string {
  return new Date(dayNumber * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the date `days` after `date`, or before it if `days` is negative. */
export function addDays(date: string, days: number): string {
  return toDate(toDayNumber(date) + days);
}

/** Returns the end of a UTC day, in milliseconds since the epoch. */
export function endOfDayMs(dayNumber: number): number {
  return (dayNumber + 1) * DAY_MS;
}

/** Returns the whole days from `fromMs` to `toMs`, rounded down. */
export function wholeDaysBetween(fromMs: number, toMs: number): number {
  return Math.floor((toMs - fromMs) / DAY_MS);
}

/** Returns the time as `YYYY-MM-DDTHH:MM:SSZ`, truncated to the second. */
export function toInstant(ms: number): string {
  return new Date(Math.floor(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

/**
 * Returns the milliseconds since the epoch of an RFC 3339 timestamp, truncated to the second. A date means its
 * 00:00:00Z. Returns `undefined` for any other text.
 */
export function parseInstant(text: string): number | undefined {
  const day = parseDate(text);
  if (day !== undefined) return day * DAY_MS;
  const parts = INSTANT.exec(text);
  if (parts?.[1] === undefined || parseDate(parts[1]) === undefined) return undefined;
  const ms = Math.floor(Date.parse(text) / 1000) * 1000;
  return ms >= FIRST_MS && ms < END_MS ? ms : undefined;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** Returns the day of the week of a valid date, in three letters. */
export function weekdayOf(date: string): (typeof WEEKDAYS)[number] {
  return WEEKDAYS[(((toDayNumber(date) + 4) % 7) + 7) % 7] ?? 'Sun'; // day 0 was a Thursday
}
