import { parseDate } from './dates.js';

/** Returns whether a text is a revision: a date that exists, a dot, and a six-digit number that is not 0. */
export function isRevision(text: string): boolean {
  const [, date = '', number] = /^(\d{4}-\d{2}-\d{2})\.(\d{6})$/.exec(text) ?? [];
  return number !== undefined && number !== '000000' && parseDate(date) !== undefined;
}
