import { countWords } from './number-words.js';

/** Returns a number with its unit, such as "1 fault" or "2,000 faults". Precondition: the plural of `unit` ends in "s". */
export function count(number: number, unit: string): string {
  return `${countWords(number)} ${plural(number, unit)}`;
}

/** Returns the word that fits a number: "fault" or "faults", "is" or "are". */
export function plural(number: number, one: string, many = `${one}s`): string {
  return number === 1 ? one : many;
}
