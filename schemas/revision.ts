import { parseDate } from './dates.js';

/** Whether a text is a published revision: a date that exists, a point, and a number from 1 on in six digits. */
export function isRevision(text: string): boolean {
  const [, date = '', number] = /^(\d{4}-\d{2}-\d{2})\.(\d{6})$/.exec(text) ?? [];
  return number !== undefined && number !== '000000' && parseDate(date) !== undefined;
}
