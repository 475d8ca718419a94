/** Returns a number with its unit, such as "1 fault" or "2 faults". Precondition: the plural of `unit` ends in "s". */
export function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}
