import { TRUST_TYPES } from '../../../schemas/trust/trust-documents.js';
import { TrustError } from '../../../schemas/trust/trust-error.js';
import { keyIdOf, thumbprintOf, verifySignature } from '../../../schemas/trust/verify-jws.js';
import { testSigner, type TestKeyName } from '../../../scripts/trust/test-keys.js';

const subject = '/api/v1/timestamp.jws';
const encode = (value: string | Uint8Array): string => Buffer.from(value).toString('base64url');

/** Signs a payload under a header that may say anything. */
async function signed(name: TestKeyName, header: object, payload = '{"a":1}'): Promise<string> {
  const { sign } = await testSigner(name);
  const input = `${encode(JSON.stringify(header))}.${encode(payload)}`;
  return `${input}.${encode(await sign(Buffer.from(input)))}`;
}

const codeOf = (error: unknown): unknown => (error instanceof TrustError ? error.code : error);
const KID = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs';
const HEADER = { alg: 'EdDSA', kid: KID, typ: TRUST_TYPES.timestamp };

describe('the id of the key', () => {
  const read = (text: string): unknown => {
    try {
      return keyIdOf({ text, subject }, 'timestamp');
    } catch (error) {
      return codeOf(error);
    }
  };

  it('is in the header', async () => {
    expect(read(await signed('root', HEADER))).toBe(KID);
  });

  it.each<[string, object]>([
    ['jws-malformed', { ...HEADER, kid: undefined }],
    ['jws-malformed', { ...HEADER, kid: 7 }],
    ['jws-malformed', { ...HEADER, kid: `${KID}\u001b[2J` }],
    ['jws-malformed', { ...HEADER, jwk: {} }],
    ['jws-malformed', { ...HEADER, '\u001b[2J': {} }],
    ['jws-kind', { ...HEADER, typ: TRUST_TYPES['key-set'] }],
    ['jws-kind', { ...HEADER, typ: 'CRD-timestamp+jws' }],
    ['jws-kind', { ...HEADER, typ: { toString: 1 } }],
    ['jws-algorithm', { ...HEADER, alg: 'none' }],
    ['jws-algorithm', { ...HEADER, alg: 'toString' }],
    ['jws-algorithm', { ...HEADER, alg: { toString: 1 } }],
    ['jws-algorithm', { ...HEADER, alg: undefined }],
    ['jws-malformed', []],
  ])('is refused as %s: %j', async (code, header) => {
    expect(read(await signed('root', header))).toBe(code);
  });

  it.each(['', '.', '..', 'a.b.c', 'e30', 'e30.e30', 'e30.e30.e30.e30', '{}', 'bnVsbA.e30.e30'])(
    'is refused as malformed: "%s"',
    (text) => {
      expect(read(text)).toMatch(/^jws-(malformed|kind)$/);
    },
  );

  it('is refused in words without control characters', async () => {
    const text = await signed('root', { ...HEADER, typ: '\u001b[2J\u009b\n' });
    expect(() => keyIdOf({ text, subject }, 'timestamp')).toThrow(/^[ -~]*$/);
  });
});

describe('a signature', () => {
  const verify = async (text: string, name: TestKeyName): Promise<unknown> => {
    const { jwk } = await testSigner(name);
    return verifySignature({ text, subject }, jwk).then((payload) => Buffer.from(payload).toString(), codeOf);
  };

  it.each(['root', 'p256-root'] as const)('by %s proves the payload', async (name) => {
    const alg = name === 'root' ? 'EdDSA' : 'ES256';
    expect(await verify(await signed(name, { ...HEADER, alg }), name)).toBe('{"a":1}');
  });

  it.each([
    ['by another key', 'jws-altered', (text: string) => text, 'stranger'],
    ['under a key of another kind', 'jws-algorithm', (text: string) => text, 'p256-root'],
    ['that is too short', 'jws-malformed', (text: string) => text.slice(0, -1), 'root'],
    ['that is too long', 'jws-malformed', (text: string) => `${text}A`, 'root'],
    ['that is missing', 'jws-malformed', (text: string) => text.replace(/[^.]*$/, ''), 'root'],
    ['with padding', 'jws-malformed', (text: string) => `${text}==`, 'root'],
    ['with a space', 'jws-malformed', (text: string) => text.replace(/.$/, ' '), 'root'],
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
