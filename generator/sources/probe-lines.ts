import { SourceError, type Probe } from './source.js';

/** Returns what a reading gives, or the difference that it found. @throws SourceError 'unavailable' */
export async function probeReading<T>(
  item: string,
  expected: string,
  read: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly difference: Probe }> {
  try {
    return { value: await read() };
  } catch (error) {
    if (!(error instanceof SourceError) || error.code === 'unavailable') throw error;
    return { difference: { item, expected, found: error.message, agrees: false } };
  }
}

/** Compares the magnitude of a number with that of its unit: at least `least`, at most `most`. */
export function probeMagnitude(
  item: string,
  value: string | undefined,
  [least, most]: readonly [least: number, most: number],
): Probe {
  const agrees = value !== undefined && Number(value) >= least && Number(value) <= most;
  return { item, expected: `between ${least} and ${most}`, found: value ?? 'none', agrees };
}
