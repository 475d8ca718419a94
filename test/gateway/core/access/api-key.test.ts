import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { createApiKey, isKeyId, KEY_MODES, parseApiKey } from '../../../../gateway/core/access/api-key.js';
import { SCHEMAS } from '../../../../schemas/schemas.generated.js';
import { findSchemaFaults } from '../../../../schemas/validate.js';
import { anyText } from '../../../support/random/any-text.js';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const VECTORS = new URL('../../../../schemas/examples/valid/api-key/', import.meta.url);
const vectors = readdirSync(VECTORS).map((file): [string, string] => [
  file,
  JSON.parse(readFileSync(new URL(file, VECTORS), 'utf8')) as string, // the example tests validate it
]);
const modeOf = (text: string): 'live' | 'test' => (text.startsWith('crd_live_') ? 'live' : 'test');

const mode = fc.constantFrom(...KEY_MODES);
const random = (size: number): Uint8Array => randomBytes(size);

describe('parseApiKey', () => {
  it.each(vectors)('accepts the vector %s only in its own mode', (_file, text) => {
    const own = modeOf(text);
    expect(parseApiKey(text, own)).toEqual({ id: text.slice(9, 17), mode: own, text });
    expect(parseApiKey(text, own === 'live' ? 'test' : 'live')).toBeUndefined();
  });

  it('returns the key that was created', () => {
    fc.assert(
      fc.property(mode, (each) => {
        const key = createApiKey(each, random);
        expect(parseApiKey(key.text, each)).toEqual(key);
        expect(findSchemaFaults('api-key', key.text)).toEqual([]);
        expect(isKeyId(key.id)).toBe(true);
      }),
    );
  });

  it.each(vectors)('rejects %s with any one character changed', (_file, text) => {
    const accepted = Array.from(text).flatMap((character, at) =>
      Array.from(`${DIGITS}_- \n\u0000\u00e9`)
        .filter((other) => other !== character)
        .map((other) => text.slice(0, at) + other + text.slice(at + 1))
        .filter((changed) => KEY_MODES.some((each) => parseApiKey(changed, each) !== undefined)),
    );
    expect(accepted).toEqual([]);
  });

  it('rejects a key with two adjacent characters swapped', () => {
    fc.assert(
      fc.property(mode, fc.integer({ min: 0, max: 54 }), (each, at) => {
        const { text } = createApiKey(each, random);
        const [one = '', other = ''] = text.slice(at, at + 2);
        fc.pre(one !== other);
        const exchanged = text.slice(0, at) + other + one + text.slice(at + 2);
        expect(parseApiKey(exchanged, each)).toBeUndefined();
      }),
    );
  });

  it('rejects every proper prefix and suffix of a key, and a key with text around it', () => {
    const { text } = createApiKey('live', random);
    const parts = Array.from(text, (_, at) => [text.slice(0, at), text.slice(at + 1)]).flat();
    const wrapped = [' ', '\n', '\r\n', '\t', '"', ',', ', ', 'x', '0', '\u0000'].flatMap((extra) => [
      text + extra,
      extra + text,
    ]);
    for (const other of [...parts, ...wrapped, `${text}, ${text}`, text + text, text.toUpperCase()]) {
      expect([other, parseApiKey(other, 'live')]).toEqual([other, undefined]);
    }
  });

  it('does not throw for any text', () => {
    const texts = [fc.string(), anyText(), fc.string({ minLength: 56, maxLength: 56 })];
    fc.assert(fc.property(fc.oneof(...texts), mode, (text, each) => parseApiKey(text, each) === undefined));
    expect(parseApiKey('crd_live_'.repeat(1_000_000), 'live')).toBeUndefined();
  });
});

describe('createApiKey', () => {
  it('discards bytes that would make some digits more likely', () => {
    const asked: number[] = [];
    const key = createApiKey('test', (size) => {
      asked.push(size);
      // 248 to 255 have no digit; the second time all bytes have one.
      return Uint8Array.from({ length: size }, (_, i) => (asked.length === 1 && i % 2 === 0 ? 248 : 247));
    });
    expect(asked).toEqual([40, 20]);
    expect(key.text.slice(9, 50).replace('_', '')).toBe('z'.repeat(40));
  });

  it('maps the byte values below 248 to digits, four to each digit', () => {
    const counts = new Map<string, number>();
    for (let byte = 0; byte < 248; byte += 1) {
      const { id } = createApiKey('live', (size) => new Uint8Array(size).fill(byte));
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    expect(new Map(Array.from(DIGITS, (digit) => [digit.repeat(8), 4]))).toEqual(counts);
  });
});

it('creates ids of the form that the account schema requires', () => {
  expect(SCHEMAS.account.properties.keys.propertyNames.pattern).toBe('^[0-9A-Za-z]{8}$');
  expect(['Example1', 'toString'].every(isKeyId)).toBe(true);
  expect(['', 'Example', 'Example12', 'Exampl_1', 'Example1\n', '__proto__'].some(isKeyId)).toBe(false);
});
