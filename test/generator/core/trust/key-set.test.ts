import { parseInstant, toInstant } from '../../../../schemas/dates.js';
import {
  createKeySet,
  isInForce,
  OVERLAP_DAYS,
  rotateKeys,
  VALID_DAYS,
  type NamedKey,
} from '../../../../generator/core/trust/key-set.js';

const DAY_MS = 86_400_000;
const START_MS = parseInstant('2026-03-01T00:00:00Z') ?? NaN;
const key = (name: string): NamedKey => ({
  kid: name.repeat(43),
  jwk: { kty: 'OKP', crv: 'Ed25519', x: name.repeat(43) },
});
const [root, a, b] = [key('r'), key('a'), key('b')];
const first = createKeySet(
  { site: 'https://data.example.com', root: root.jwk, release: a, signedFromSequence: 1 },
  START_MS,
);
const after = (days: number): number => START_MS + days * DAY_MS;
const ends = ({ keys }: typeof first): Record<string, string> =>
  Object.fromEntries(keys.map(({ kid, valid_until: until }) => [kid.charAt(0), until]));

describe('rotateKeys', () => {
  it('renews all keys in force without a new one', () => {
    expect(ends(rotateKeys(first, undefined, after(300)))).toEqual({ a: toInstant(after(300 + VALID_DAYS)) });
  });

  it('does not renew a key that a new one is replacing', () => {
    const rotated = rotateKeys(first, b, after(10));
    const renewed = rotateKeys(rotated, undefined, after(13));
    expect(ends(renewed)).toEqual({
      a: toInstant(after(10 + OVERLAP_DAYS)),
      b: toInstant(after(13 + VALID_DAYS)),
    });
  });

  it('renews a key in its last week if there is no other', () => {
    const renewed = rotateKeys(first, undefined, after(VALID_DAYS - 2));
    expect(isInForce(renewed.keys[0], after(VALID_DAYS + 100))).toBe(true);
  });
});

describe('the root key', () => {
  it('cannot sign releases too', () => {
    const options = { site: first.site, root: root.jwk, release: root, signedFromSequence: 1 };
    expect(() => createKeySet(options, START_MS)).toThrow('The root key cannot sign releases too');
    expect(() => rotateKeys(first, root, after(1))).toThrow('The root key cannot sign releases too');
  });
});
