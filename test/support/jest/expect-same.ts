import { isDeepStrictEqual } from 'node:util';

/**
 * Asserts that two values are equal, like `expect(found).toEqual(expected)`. For loops that compare thousands of times:
 * `expect` builds all its matchers at each call, which takes longer than the comparison.
 */
export function expectSame(found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
}
