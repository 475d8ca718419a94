import { createHmac } from 'node:crypto';
import { base64url, exportSPKI, UnsecuredJWT, type CryptoKey } from 'jose';
import { PROBLEMS, GatewayError } from '../../../../gateway/core/problems.js';
import { createKeySet } from '../../../../gateway/io/identity/key-set.js';
import { createSessions, type Sessions } from '../../../../gateway/io/identity/sessions.js';
import {
  createProviderKey,
  startIdentityProvider,
  toJwk,
  type IdentityProvider,
  type ProviderKey,
  type TokenOptions,
} from '../../../support/gateway/identity-provider.js';

const NOW_S = 1_800_000_000;
/** Spelled out, so that a change to the accepted algorithms is noticed here. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const ED25519_NAMES = ['EdDSA', 'Ed25519'];
const REFUSED = {
  name: 'GatewayError',
  code: 'session-invalid',
  message: expect.stringMatching(
    /^The session token was refused \([a-z-]+\)\. (Sign|If the account page)/,
  ) as string,
  refusal: expect.stringMatching(/^[a-z-]+$/) as string,
  headers: { 'WWW-Authenticate': 'Bearer realm="dashboard", error="invalid_token"' },
};

let nowMs = NOW_S * 1000;
let provider: IdentityProvider;
let sessions: Sessions;
const refusals: { readonly code: string; readonly reason: string }[] = [];

beforeAll(async () => {
  provider = await startIdentityProvider(() => nowMs);
  sessions = createSessionsOf(provider);
});
afterAll(() => provider.dispose());
beforeEach(() => {
  nowMs = NOW_S * 1000;
});

function createSessionsOf({ jwksUrl, issuer, audience }: IdentityProvider, type?: string): Sessions {
  const keySet = createKeySet({
    address: { kind: 'url', url: jwksUrl },
    fetch,
    now: () => nowMs,
    onError: () => undefined,
  });
  return createSessions({
    keySet,
    issuer,
    audience,
    ...(type === undefined ? {} : { type }),
    now: () => nowMs,
    onRefused: (refusal) => refusals.push(refusal),
  });
}

async function authenticate(options: TokenOptions): Promise<{ account: string }> {
  return sessions.authenticate(`Bearer ${await provider.sign(options)}`);
}

function signRaw(header: object, payload: object, secret: string): string {
  const body = [header, payload].map((part) => base64url.encode(JSON.stringify(part))).join('.');
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
}

describe('a session', () => {
  it('belongs to the account that the token names', async () => {
    expect(await authenticate({ account: 'auth0|5f7c8ec7' })).toEqual({ account: 'auth0|5f7c8ec7' });
  });

  it.each(['bearer', 'BEARER', 'Bearer  '])('is accepted with the scheme "%s"', async (scheme) => {
    const token = await provider.sign();
    expect(await sessions.authenticate(`${scheme} ${token}`)).toEqual({ account: 'an-account' });
  });

  it('requires a token', async () => {
    await expect(sessions.authenticate(undefined)).rejects.toMatchObject({
      ...REFUSED,
      message: PROBLEMS['session-invalid'].meaning,
      refusal: undefined,
      headers: { 'WWW-Authenticate': 'Bearer realm="dashboard"' },
    });
  });

  it.each<[string, (token: string) => string]>([
    ['an empty header', () => ''],
    ['only the scheme', () => 'Bearer'],
    ['only the token', (token) => token],
    ['another scheme', (token) => `Basic ${token}`],
    ['two tokens', (token) => `Bearer ${token}, Bearer ${token}`],
    ['more than a token', (token) => `Bearer ${token} more`],
    ['two parts of a token', (token) => `Bearer ${token.slice(0, token.lastIndexOf('.'))}`],
    ['four parts', (token) => `Bearer ${token}.more`],
    ['an invalid token', () => 'Bearer a.b.c'],
    ['padded base64', (token) => `Bearer ${token}=`],
    ['a token without its signature', (token) => `Bearer ${token.slice(0, token.lastIndexOf('.') + 1)}`],
    ['a token with another signature', (token) => `Bearer ${token.slice(0, -4)}AAAA`],
    ['an altered payload', (token) => `Bearer ${token.replace(/\.[^.]{4}/, '.eyJz')}`],
    ['a token of more than 16 KiB', (token) => `Bearer ${'A'.repeat(16 * 1024)}${token}`],
  ])('is rejected for %s', async (_what, toHeader) => {
    await expect(sessions.authenticate(toHeader(await provider.sign()))).rejects.toMatchObject(REFUSED);
  });

  it.each<[string, TokenOptions]>([
    ['of another issuer', { claims: { iss: 'https://other.example/' } }],
    ['without an issuer', { claims: { iss: undefined } }],
    ['for another audience', { claims: { aud: 'other' } }],
    ['for other audiences', { claims: { aud: ['other', 'another'] } }],
    ['without an audience', { claims: { aud: undefined } }],
    ['that never expires', { claims: { exp: undefined } }],
    ['whose expiry is a text', { claims: { exp: '2099-01-01' } }],
    ['that expired 30 seconds ago', { claims: { exp: NOW_S - 30 } }],
    ['that is valid in 31 seconds', { claims: { nbf: NOW_S + 31 } }],
    ['without a subject', { claims: { sub: undefined } }],
    ['with an empty subject', { claims: { sub: '' } }],
    ['with a number as subject', { claims: { sub: 7 } }],
    ['with a subject of 256 bytes', { claims: { sub: 'a'.repeat(256) } }],
    ['with a subject of 86 characters in 258 bytes', { claims: { sub: '€'.repeat(86) } }],
    ['with a subject of two lines', { claims: { sub: 'a\nb' } }],
    ['with an invisible character in the subject', { claims: { sub: 'a\u200bb' } }],
    ['with an extension that must be understood', { header: { crit: ['urn:x'], 'urn:x': 1 } }],
  ])('is rejected for a token %s', async (_what, options) => {
    await expect(authenticate(options)).rejects.toMatchObject(REFUSED);
  });

  it.each<[string, TokenOptions]>([
    ['that expired 29 seconds ago', { claims: { exp: NOW_S - 29 } }],
    ['that is valid in 30 seconds', { claims: { nbf: NOW_S + 30 } }],
    [
      'for several audiences including the expected one',
      { claims: { aud: ['other', 'chain-reference-data'] } },
    ],
    ['that names no key while there is only one', { header: { kid: undefined } }],
  ])('is accepted for a token %s', async (_what, options) => {
    expect(await authenticate(options)).toEqual({ account: 'an-account' });
  });

  it.each([
    ['255 letters', 'a'.repeat(255)],
    ['85 characters of three bytes', '€'.repeat(85)],
  ])('is accepted for a subject of %s', async (_what, account) => {
    expect(await authenticate({ account })).toEqual({ account });
  });

  it('is rejected for a token that another key signed under the same key id', async () => {
    const other = { ...(await createProviderKey()), kid: provider.keys()[0]?.kid ?? '' };
    await expect(authenticate({ key: other })).rejects.toMatchObject(REFUSED);
  });

  it('is rejected for a token that contains its own key or the address of one', async () => {
    const other = await createProviderKey();
    const attacker = await startIdentityProvider(() => nowMs);
    const jwk = await toJwk(other);
    const kid = provider.keys()[0]?.kid;
    for (const header of [{ jwk }, { jwk, kid }, { jku: attacker.jwksUrl }, { x5u: attacker.jwksUrl, kid }]) {
      await expect(authenticate({ key: other, header })).rejects.toMatchObject(REFUSED);
    }
    expect(attacker.asked()).toBe(0);
    await attacker.dispose();
  });

  it('ignores a key or an address in a token with a valid signature', async () => {
    const jwk = await toJwk(await createProviderKey());
    const header = { jwk, jku: 'http://127.0.0.1:1/', x5u: 'http://127.0.0.1:1/' };
    expect(await authenticate({ header })).toEqual({ account: 'an-account' });
  });

  it('is rejected for a token without a signature', async () => {
    const { issuer, audience } = provider;
    const claims = { iss: issuer, aud: audience, sub: 'an-account', exp: NOW_S + 60 };
    const token = new UnsecuredJWT(claims).encode();
    for (const text of [token, `${token}AAAA`]) {
      await expect(sessions.authenticate(`Bearer ${text}`)).rejects.toMatchObject(REFUSED);
    }
  });

  it('is rejected for a token signed with the public key as a shared secret', async () => {
    const [key] = provider.keys();
    const spki = await exportSPKI(key?.publicKey as CryptoKey); // the provider always has a key
    const claims = { iss: provider.issuer, aud: provider.audience, sub: 'an-account', exp: NOW_S + 60 };
    for (const secret of [spki, spki.trim(), JSON.stringify(await provider.jwks())]) {
      const token = signRaw({ alg: 'HS256', kid: key?.kid }, claims, secret);
      await expect(sessions.authenticate(`Bearer ${token}`)).rejects.toMatchObject(REFUSED);
    }
  });

  it.each(['__proto__', 'constructor', 'Ed25519', 'ES256K', 'HS512', 'none', '', 7, null])(
    'is rejected for a token with the algorithm %p',
    async (alg) => {
      const token = signRaw({ alg, kid: provider.keys()[0]?.kid }, { sub: 'a' }, 'secret');
      await expect(sessions.authenticate(`Bearer ${token}`)).rejects.toMatchObject(REFUSED);
    },
  );
});

const SIGN_IN = 'Sign in again.';
const OPERATOR =
  'If the account page sent it, signing in again does not help: the operator of this service must correct its configuration.';

it.each<[string, string, string, TokenOptions]>([
  ['audience', OPERATOR, 'unexpected "aud" claim value', { claims: { aud: 'other' } }],
  ['issuer', OPERATOR, 'unexpected "iss" claim value', { claims: { iss: 'https://other.example' } }],
  ['claims', OPERATOR, 'missing required "aud" claim', { claims: { aud: undefined } }],
  ['claims', OPERATOR, '"exp" claim must be a number', { claims: { exp: 'soon' } }],
  ['expired', SIGN_IN, '"exp" claim timestamp check failed', { claims: { exp: NOW_S - 60 } }],
  ['not-yet-valid', OPERATOR, '"nbf" claim timestamp check failed', { claims: { nbf: NOW_S + 60 } }],
  ['type', OPERATOR, 'the token is not a plain JWT', { header: { typ: 'at+jwt' } }],
  ['events', SIGN_IN, 'the token reports events', { claims: { events: {} } }],
  ['subject', OPERATOR, 'the subject of the token is not a valid account id', { claims: { sub: '' } }],
  ['key', SIGN_IN, 'no applicable key found in the JSON Web Key Set', { header: { kid: 'unknown' } }],
])(
  'refuses with the code %s, the advice %p, and words to the operator: %s',
  async (code, advice, reason, options) => {
    const known = refusals.length;
    const refused = {
      ...REFUSED,
      message: `The session token was refused (${code}). ${advice}`,
      refusal: code,
    };
    await expect(authenticate(options)).rejects.toMatchObject(refused);
    expect(refusals.slice(known)).toEqual([{ code, reason }]);
  },
);

it('names the code of a token that cannot be verified, or has another type than the configured one', async () => {
  const token = await provider.sign();
  const codeOf = async (header: string, verified = sessions): Promise<string | undefined> => {
    await expect(verified.authenticate(header)).rejects.toMatchObject(REFUSED);
    return refusals.at(-1)?.code;
  };
  expect(await codeOf('Bearer ory_at_opaque')).toBe('no-jwt');
  expect(await codeOf(`Bearer ${'A'.repeat(16 * 1024)}${token}`)).toBe('too-long');
  expect(await codeOf(`Bearer ${token.slice(0, -4)}AAAA`)).toBe('signature');
  expect(await codeOf(`Bearer ${signRaw({ alg: 'HS256' }, {}, 'secret')}`)).toBe('algorithm');
  expect(await codeOf('Bearer a.b.c')).toBe('invalid');
  expect(await codeOf(`Bearer ${token}`, createSessionsOf(provider, 'at+jwt'))).toBe('type');
  const untyped = await provider.sign({ header: { typ: undefined } });
  expect(await codeOf(`Bearer ${untyped}`, createSessionsOf(provider, 'at+jwt'))).toBe('type');
});

it('reports no reason for a request without a token, and no name that the sender of a token chose', async () => {
  const known = refusals.length;
  await expect(sessions.authenticate(undefined)).rejects.toMatchObject({ code: 'session-invalid' });
  expect(refusals.slice(known)).toEqual([]);
  const name = 'x" \n'.repeat(1_000);
  await expect(authenticate({ header: { crit: [name], [name]: 1 } })).rejects.toMatchObject(REFUSED);
  expect(refusals.at(-1)).toEqual({
    code: 'invalid',
    reason: 'an extension of the token is not recognized',
  });
});

it('tells who sends an API key that the path needs a session, and not the operator', async () => {
  const known = refusals.length;
  await expect(sessions.authenticate('Bearer crd_test_x')).rejects.toMatchObject({
    refusal: 'api-key',
    message:
      'The session token was refused (api-key). It is an API key, and this path needs a session: sign in on the account page.',
  });
  expect(refusals.slice(known)).toEqual([]);
});

describe('the type of a token', () => {
  const outcomeOf = async (verified: Sessions, typ: unknown): Promise<unknown> =>
    verified.authenticate(`Bearer ${await provider.sign({ header: { typ } })}`).then(
      ({ account }) => account,
      (error: unknown) => error,
    );

  it.each([undefined, 'JWT', 'jwt', 'Jwt', 'application/jwt', 'application/JWT'])(
    'can be %p by default',
    async (typ) => expect(await outcomeOf(sessions, typ)).toBe('an-account'),
  );

  it.each([
    'logout+jwt',
    'at+jwt',
    'dpop+jwt',
    'secevent+jwt',
    'JOSE',
    'text/jwt',
    'jwt ',
    '',
    7,
    null,
    ['JWT'],
  ])('cannot be %p by default', async (typ) => expect(await outcomeOf(sessions, typ)).toMatchObject(REFUSED));

  it('must be exactly the configured one', async () => {
    const verified = createSessionsOf(provider, 'at+jwt');
    for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt']) {
      expect(await outcomeOf(verified, typ)).toBe('an-account');
    }
    for (const typ of [undefined, 'JWT', 'logout+jwt', 'at+jwt2', '', 7, null]) {
      expect(await outcomeOf(verified, typ)).toMatchObject(REFUSED);
    }
    expect(await outcomeOf(createSessionsOf(provider, 'JWT'), undefined)).toMatchObject(REFUSED);
  });
});

describe('a logout token', () => {
  const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout';
  const TYPES = [undefined, 'JWT', 'logout+jwt', 'at+jwt'];

  it.each([{ [LOGOUT]: {} }, {}, null, 'none', []])(
    'opens no session, whatever its type, with the events %j',
    async (events) => {
      for (const type of [undefined, ...TYPES]) {
        const verified = createSessionsOf(provider, type);
        for (const typ of TYPES) {
          const token = await provider.sign({ header: { typ }, claims: { events } });
          await expect(verified.authenticate(`Bearer ${token}`)).rejects.toMatchObject(REFUSED);
        }
      }
    },
  );
});

describe('the algorithms', () => {
  let keys: readonly ProviderKey[];
  let many: IdentityProvider;
  beforeAll(async () => {
    many = await startIdentityProvider(() => nowMs);
    keys = await Promise.all(ALGORITHMS.map((alg) => createProviderKey(alg)));
    await many.rotate(keys);
  });
  afterAll(() => many.dispose());

  it('of the list are all accepted', async () => {
    const verified = createSessionsOf(many);
    for (const key of keys) {
      const header = `Bearer ${await many.sign({ key, account: key.alg })}`;
      expect(await verified.authenticate(header)).toEqual({ account: key.alg });
    }
  });

  it.each(ED25519_NAMES.flatMap((alg) => [...ED25519_NAMES, undefined].map((keyAlg) => [alg, keyAlg])))(
    'include %s for a key of Ed25519 whose algorithm is %p',
    async (alg, keyAlg) => {
      const key = await createProviderKey('EdDSA');
      const published = { ...(await toJwk(key)), alg: keyAlg };
      many.answerWith((_req, res) => res.end(JSON.stringify({ keys: [published] })));
      const token = await many.sign({ key, header: { alg } });
      expect(await createSessionsOf(many).authenticate(`Bearer ${token}`)).toEqual({ account: 'an-account' });
      many.answerWith();
    },
  );

  it('allow a provider to publish a key of Ed25519 under both names', async () => {
    const key = await createProviderKey('EdDSA');
    await many.rotate(ED25519_NAMES.map((alg) => ({ ...key, alg })));
    for (const alg of ED25519_NAMES) {
      const token = await many.sign({ key, header: { alg } });
      expect(await createSessionsOf(many).authenticate(`Bearer ${token}`)).toEqual({ account: 'an-account' });
    }
    await many.rotate(keys);
  });

  it.each(ED25519_NAMES)('refuse %s for a key of another kind', async (alg) => {
    const key = await createProviderKey('ES256');
    await many.rotate([key]);
    const token = signRaw({ alg, kid: key.kid }, { sub: 'a' }, 'secret');
    await expect(createSessionsOf(many).authenticate(`Bearer ${token}`)).rejects.toMatchObject(REFUSED);
    await many.rotate(keys);
  });

  it('must match the key', async () => {
    const [one, other] = keys;
    if (one === undefined || other === undefined) throw new Error('no keys');
    const token = await many.sign({ key: { ...one, kid: other.kid } });
    await expect(createSessionsOf(many).authenticate(`Bearer ${token}`)).rejects.toMatchObject(REFUSED);
  });
});

it('throws identity-unavailable while the provider has never answered', async () => {
  const down = await startIdentityProvider(() => nowMs);
  down.answerWith((_req, res) => res.writeHead(500).end());
  const token = await down.sign();
  const outcome = createSessionsOf(down).authenticate(`Bearer ${token}`);
  await expect(outcome).rejects.toBeInstanceOf(GatewayError);
  await expect(outcome).rejects.toMatchObject({
    code: 'identity-unavailable',
    headers: { 'Retry-After': '5' },
  });
  await down.dispose();
});
