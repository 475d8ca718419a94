import { toDate } from '../../../schemas/dates.js';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** Formats a date `YYYY-MM-DD` for people: `26 September 2023`. */
export function dateWords(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return `${Number(day)} ${MONTHS[Number(month) - 1] ?? ''} ${year}`;
}

/** Formats an instant for people: `28 September 2023, 00:00 UTC`. */
export function instantWords(instant: string): string {
  return `${dateWords(instant.slice(0, 10))}, ${instant.slice(11, 16)} UTC`;
}

/** Formats a day number for people, as `dateWords`. */
export function dayWords(dayNumber: number): string {
  return dateWords(toDate(dayNumber));
}

/** Returns the first three letters of a month, from 1 to 12. */
export function monthLetters(month: number): string {
  return (MONTHS[month - 1] ?? '').slice(0, 3);
}
