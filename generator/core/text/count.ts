import { countWords } from './number-words.js';

/** Returns a number with its unit, such as "1 fault" or "2,000 faults". Precondition: the plural of `unit` ends in "s". */
export function count(number: number, unit: string): string {
  return `${countWords(number)} ${unit}${number === 1 ? '' : 's'}`;
}
