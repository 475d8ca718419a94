import { canonicalJson } from '../../../schemas/canonical-json.js';
import { TRUST_TYPES } from '../../../schemas/trust/trust-documents.js';
import { TrustError } from '../../../schemas/trust/trust-error.js';
import { openJws, thumbprintOf, toReceived, verifySignature } from '../../../schemas/trust/verify-jws.js';
import { testSigner, type TestKeyName } from '../../../scripts/trust/test-keys.js';

const subject = '/api/v1/timestamp.jws';
const encode = (value: string | Uint8Array): string => Buffer.from(value).toString('base64url');

const codeOf = (error: unknown): unknown => (error instanceof TrustError ? error.code : error);
const KID = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs';
const HEADER = { alg: 'EdDSA', kid: KID, typ: TRUST_TYPES.timestamp };

/** Signs a payload under a header that may say anything. */
async function signed(
  name: TestKeyName,
  header: object | string,
  payload: string | Uint8Array = '{"a":1}',
): Promise<string> {
  const { sign } = await testSigner(name);
  const text = typeof header === 'string' ? header : JSON.stringify(header);
  const input = `${encode(text)}.${encode(payload)}`;
  return `${input}.${encode(await sign(Buffer.from(input)))}`;
}

describe('a signed document', () => {
  const open = (text: string): unknown => {
    try {
      const { kid, content } = openJws({ text, subject }, 'timestamp');
      return { kid, content };
    } catch (error) {
      return codeOf(error);
    }
  };

  it('has a key and a content', async () => {
    expect(open(await signed('root', HEADER))).toEqual({ kid: KID, content: { a: 1 } });
  });

  it.each<[string, object | string]>([
    ['jws-malformed', { ...HEADER, kid: undefined }],
    ['jws-malformed', { ...HEADER, kid: 7 }],
    ['jws-malformed', { ...HEADER, kid: `${KID}\u001b[2J` }],
    ['jws-malformed', { alg: 'EdDSA', jwk: {}, kid: KID, typ: TRUST_TYPES.timestamp }],
    ['jws-malformed', { '\u001b[2J': {}, ...HEADER }],
    ['jws-kind', { ...HEADER, typ: TRUST_TYPES['key-set'] }],
    ['jws-kind', { ...HEADER, typ: 'CRD-timestamp+jws' }],
    ['jws-kind', { ...HEADER, typ: { toString: 1 } }],
    ['jws-algorithm', { ...HEADER, alg: 'none' }],
    ['jws-algorithm', { ...HEADER, alg: 'toString' }],
    ['jws-algorithm', { ...HEADER, alg: { toString: 1 } }],
    ['jws-algorithm', { ...HEADER, alg: undefined }],
    ['jws-malformed', []],
    ['jws-malformed', 'null'],
    ['jws-malformed', { typ: HEADER.typ, alg: HEADER.alg, kid: KID }],
    ['jws-malformed', JSON.stringify(HEADER).replace('{', '{"alg":"none",')],
    ['jws-malformed', ` ${JSON.stringify(HEADER)}`],
    ['jws-malformed', `\uFEFF${JSON.stringify(HEADER)}`],
  ])('is refused as %s with the header %j', async (code, header) => {
    expect(open(await signed('root', header))).toBe(code);
  });

  it.each<[string, string | Uint8Array]>([
    ['a space', '{"a": 1}'],
    ['members in another order', '{"b":1,"a":1}'],
    ['a repeated member', '{"a":1,"a":1}'],
    ['a byte order mark', '\uFEFF{"a":1}'],
    ['an escape that is not needed', String.raw`{"a":"\u0061"}`],
    ['half a character', String.raw`{"a":"\ud800"}`],
    ['NaN', '{"a":NaN}'],
    ['a number with a fraction of 0', '{"a":1.0}'],
    ['a number beyond the exact ones', '{"a":9007199254740993}'],
    ['a number below 0 that is 0', '{"a":-0}'],
    ['bytes that are not UTF-8', Buffer.from('{"a":"\xff"}', 'latin1')],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
    ['nothing', ''],
    ['something behind it', '{"a":1}{}'],
  ])('is refused if its payload has %s', async (_, payload) => {
    expect(open(await signed('root', HEADER, payload))).toBe('jws-malformed');
  });

  it.each(['', '.', '..', 'a.b.c', 'e30', 'e30.e30', 'e30.e30.e30.e30', '{}', 'bnVsbA.e30.e30'])(
    'is refused if it is "%s"',
    (text) => {
      expect(open(text)).toBe('jws-malformed');
    },
  );

  it.each<[string, (text: string) => string]>([
    ['a byte order mark before it', (text) => `\uFEFF${text}`],
    ['a no-break space behind it', (text) => `${text}\u00a0`],
    ['a line feed behind it', (text) => `${text}\n`],
    ['padding', (text) => `${text}==`],
    ['spare bits in its last character', (text) => `${text.slice(0, -1)}${nextOf(text.at(-1) ?? '')}`],
    ['the other alphabet of Base64', (text) => text.replace(/[-_]/g, (each) => (each === '-' ? '+' : '/'))],
    ['a fourth part', (text) => `${text}.${text.split('.').at(-1)}`],
  ])('is refused with %s', async (_, change) => {
    const text = await signed('release-a', HEADER, canonicalJson({ a: '?>?>?>~~~' }));
    const changed = change(text);
    expect(changed).not.toBe(text);
    const received = toReceived(Buffer.from(changed), subject);
    expect(open(received.text)).toBe('jws-malformed');
  });

  it('is refused in words without control characters', async () => {
    const text = await signed('root', { ...HEADER, typ: '\u001b[2J\u009b\n' });
    expect(() => openJws({ text, subject }, 'timestamp')).toThrow(/^[ -~]*$/);
  });
});

/** Returns the next character of Base64url: of a last character with spare bits 0, the one with the same bytes. */
function nextOf(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(character) + 1] ?? '';
}

describe('a signature', () => {
  const verify = async (text: string, name: TestKeyName): Promise<unknown> => {
    const { jwk } = await testSigner(name);
    try {
      await verifySignature(openJws({ text, subject }, 'timestamp'), jwk);
      return 'proven';
    } catch (error) {
      return codeOf(error);
    }
  };

  it.each(['root', 'p256-root'] as const)('by %s is proven', async (name) => {
    const alg = name === 'root' ? 'EdDSA' : 'ES256';
    expect(await verify(await signed(name, { ...HEADER, alg }), name)).toBe('proven');
  });

  it.each([
    ['by another key', 'jws-altered', (text: string) => text, 'stranger'],
    ['under a key of another kind', 'jws-algorithm', (text: string) => text, 'p256-root'],
    ['that is too short', 'jws-malformed', (text: string) => text.slice(0, -2), 'root'],
    ['that is too long', 'jws-malformed', (text: string) => `${text}AA`, 'root'],
    ['that is missing', 'jws-malformed', (text: string) => text.replace(/[^.]*$/, ''), 'root'],
    ['of other bytes', 'jws-altered', (text: string) => text.replace(/\.[^.]*\./, '.e30.'), 'root'],
  ] as const)('%s is refused', async (_, code, change, name) => {
    expect(await verify(change(await signed('root', HEADER)), name)).toBe(code);
  });
});

describe('the thumbprint of a key', () => {
  it('is that of RFC 8037, appendix A.3', async () => {
    const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
    expect(await thumbprintOf({ kty: 'OKP', crv: 'Ed25519', x })).toBe(
      'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    );
  });
});
