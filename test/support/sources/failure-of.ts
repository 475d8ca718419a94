import type { SourceError } from '../../../generator/sources/source.js';

/** Returns the error of a reading that must fail. */
export async function failureOf(reading: Promise<unknown>): Promise<SourceError> {
  return (await reading.then(
    () => undefined,
    (error: unknown) => error,
  )) as SourceError; // the test checks what it is
}
