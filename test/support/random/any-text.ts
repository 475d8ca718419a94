import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST_CODE_POINT = 0x10ffff;

/**
 * Draws text of any code points but surrogates, which are no characters of their own. `fc.string` with the unit 'binary' draws the same, but first builds a table of all code
 * points, which takes half a second.
 */
export function anyText({ minLength = 0, maxLength }: fc.ArrayConstraints = {}): fc.Arbitrary<string> {
  const codePoint = fc
    .integer({ min: 0, max: LAST_CODE_POINT - SURROGATES })
    .map((n) => String.fromCodePoint(n < FIRST_SURROGATE ? n : n + SURROGATES));
  return fc
    .array(codePoint, { minLength, ...(maxLength === undefined ? {} : { maxLength }) })
    .map((characters) => characters.join(''));
}
