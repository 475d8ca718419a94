import { configure, PROVIDER } from '../../../support/gateway/environments.js';
import { startSmallS3 } from '../../../support/s3/small-s3.js';
import { s3Error, startFakeS3, type FakeAnswer, type FakeS3 } from '../../../support/s3/fake-s3.js';
import { createFakeBilling } from '../../../../scripts/stripe/fake-billing.js';
import { PRICES } from '../../../support/stripe/billing.js';
import { examine, type Finding } from '../../../../gateway/io/doctor/examine.js';

const nowMs = Date.parse('2026-08-20T12:00:00Z');
const NO_KEY = s3Error(404, 'NoSuchKey', 'The specified key does not exist.');
const KEYS =
  '{"keys":[{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","kid":"1","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}';
const before = { ...process.env };
let server: FakeS3;
let answer: FakeAnswer = NO_KEY;
/** Answers to requests whose URL has this text, instead of `answer`. */
let answers: readonly (readonly [text: string, answer: FakeAnswer])[] = [];
/** The requests with `fetch`: to the store for its clock, and to the identity provider, such as `HEAD http://127.0.0.1:1`. */
let asked: string[] = [];

beforeAll(async () => {
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'us-east-1',
  });
  server = await startFakeS3(({ url }) => answers.find(([text]) => url.includes(text))?.[1] ?? answer);
});
afterAll(async () => {
  process.env = before;
  await server.dispose();
});
beforeEach(() => {
  asked = [];
  answer = NO_KEY;
  answers = [];
});

type SceneOptions = {
  /** Answers the requests with `fetch`. */
  readonly respond?: (address: string) => Response;
  readonly endpoint?: string;
  readonly more?: Readonly<Record<string, string>>;
};

/** Examines a configuration with stores at S3 and an identity provider; returns the findings by check. */
async function findAll({
  respond = () => new Response(KEYS),
  endpoint = server.endpoint,
  more = {},
}: SceneOptions = {}): Promise<ReadonlyMap<string, Finding>> {
  const configuration = configure({
    ...PROVIDER,
    CRD_STORE: 's3://releases/data',
    CRD_ACCOUNTS_STORE: 's3://accounts',
    CRD_S3_ENDPOINT: endpoint,
    CRD_S3_PATH_STYLE: 'true',
    CRD_PUBLIC_BASE_URL: 'https://data.example.com',
    ...more,
  });
  const found = new Map<string, Finding>();
  for await (const finding of examine({
    configuration,
    now: () => nowMs,
    apiVersion: 'none',
    storeLimitMs: 500,
    openBilling: () => createFakeBilling({ now: () => nowMs, prices: PRICES }),
    async fetch(input, { method = 'GET' } = {}) {
      const address = input instanceof Request ? input.url : String(input);
      asked.push(`${method} ${address}`);
      return Promise.resolve(respond(address));
    },
  })) {
    found.set(finding.what, finding);
  }
  return found;
}

/** Returns a function that creates the response of a store whose clock is ahead of this machine's. */
const ahead = (seconds: number) => (): Response =>
  new Response(null, { headers: { Date: new Date(nowMs + seconds * 1000).toUTCString() } });

it.each([
  ['3300', 'fine', 'its role can be assumed, for 60 minutes'],
  [
    '3301',
    'fault',
    'its role can be assumed, for 60 minutes, and no URL can live longer with time to renew it: set CRD_URL_TTL_SECONDS to 3300 or less',
  ],
])('URLs of %s s, signed by a role for an hour: %s', async (seconds, verdict, says) => {
  const sts = await startFakeS3(() => ({
    status: 200,
    body: `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
      <AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>
      <Expiration>${new Date(nowMs + 3_600_000).toISOString()}</Expiration>
    </Credentials></AssumeRoleResult></AssumeRoleResponse>`,
  }));
  process.env['AWS_ENDPOINT_URL_STS'] = sts.endpoint;
  const more = { CRD_SIGNER_ROLE: 'arn:aws:iam::123456789012:role/signer', CRD_URL_TTL_SECONDS: seconds };
  expect((await findAll({ more })).get('signer')).toEqual({ what: 'signer', verdict, says });
  await sts.dispose();
});

describe("the gateway's own credentials", () => {
  /** Answers as the credentials endpoint of a container of AWS does. */
  async function findWith(minutes: number | undefined, ttl: string): Promise<Finding | undefined> {
    const answer = {
      AccessKeyId: 'ASIA1',
      SecretAccessKey: 'secret',
      Token: 'token',
      Expiration: new Date(nowMs + (minutes ?? 0) * 60_000).toISOString(),
    };
    const container = await startFakeS3(() => ({ status: 200, body: JSON.stringify(answer) }));
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, ...others } = process.env;
    if (minutes !== undefined)
      process.env = {
        ...others,
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${container.endpoint}/credentials`,
        AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
        AWS_CONFIG_FILE: '/nowhere',
      };
    const found = await findAll({ more: { CRD_URL_TTL_SECONDS: ttl } });
    process.env = { ...others, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret };
    await container.dispose();
    return found.get('signer');
  }
  const OWN = 'CRD_SIGNER_ROLE is not set: the gateway signs with its own credentials';

  it.each<[number | undefined, string, Finding['verdict'], string]>([
    [undefined, '43200', 'fine', `${OWN}, which do not end`],
    [360, '21300', 'fine', `${OWN}, which end in 360 minutes`],
    [
      360,
      '21301',
      'advice',
      `${OWN}, which end in 360 minutes; no URL outlives them, so URLs that are signed now end before CRD_URL_TTL_SECONDS (21301)`,
    ],
    [
      9,
      '300',
      'advice',
      `${OWN}, which end in 9 minutes; no URL outlives them, so URLs that are signed now end before CRD_URL_TTL_SECONDS (300)`,
    ],
    [10, '300', 'fine', `${OWN}, which end in 10 minutes`],
  ])('that end in %s minutes, and URLs of %s s: %s', async (minutes, ttl, verdict, says) => {
    expect(await findWith(minutes, ttl)).toEqual({ what: 'signer', verdict, says });
  });
});

describe('the public address', () => {
  const url = 'https://data.example.com/api/v1/status';
  const location = (to: string) => () => new Response(null, { status: 307, headers: { Location: to } });
  it.each<[string, () => Response, Finding['verdict'], RegExp]>([
    ['answers', () => new Response('{}'), 'fine', /^https:.*\/status answers 200$/],
    ['redirects to another host', location('https://cdn.example.com/api/v1/status'), 'fine', /307/],
    ['redirects to itself', location(url), 'fault', /redirects to itself: set CRD_PUBLIC_FILES=serve/],
    ['has no file', () => new Response(null, { status: 403 }), 'advice', /answers 403/],
    [
      'does not answer',
      () => {
        throw new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND') });
      },
      'advice',
      /cannot be read: no answer \(getaddrinfo ENOTFOUND\)/,
    ],
  ])('that %s', async (_what, respond, verdict, says) => {
    const found = await findAll({ respond: (at) => (at === url ? respond() : new Response(KEYS)) });
    expect(found.get('public files')).toMatchObject({ verdict, says: expect.stringMatching(says) });
    expect(asked).toContain(`HEAD ${url}`);
  });

  it('is not asked if the gateway serves the files', async () => {
    const found = await findAll({ more: { CRD_PUBLIC_FILES: 'serve' } });
    expect(found.get('public files')?.verdict).toBe('skipped');
    expect(asked).not.toContain(`HEAD ${url}`);
  });
});

describe('the sign-in of the account page', () => {
  const issuer = 'https://login.example.com/';
  const discovery = 'https://login.example.com/.well-known/openid-configuration';
  const endpoint = 'https://login.example.com/token';
  const document = {
    issuer,
    authorization_endpoint: 'https://login.example.com/auth',
    token_endpoint: endpoint,
    end_session_endpoint: 'https://login.example.com/logout',
    scopes_supported: ['openid'],
  };
  let signOutStatus = 200;
  const OPEN = { 'Access-Control-Allow-Origin': '*' };
  const REFUSED = { 'Access-Control-Allow-Origin': 'https://data.example.com' };
  /** Examines a provider that answers with these headers. */
  async function findSignIn(
    headers: { readonly ofDiscovery?: Record<string, string>; readonly ofTokens?: Record<string, string> },
    changes: object = {},
    more: Readonly<Record<string, string>> = {},
  ): Promise<Finding | undefined> {
    const found = await findAll({
      more: { CRD_OIDC_CLIENT_ID: 'account-page', ...more },
      respond: (address) => {
        if (address === discovery)
          return Response.json({ ...document, ...changes }, { headers: headers.ofDiscovery ?? OPEN });
        if (address === endpoint)
          return Response.json(
            { error: 'invalid_grant' },
            { status: 400, headers: headers.ofTokens ?? REFUSED },
          );
        if (address === document.end_session_endpoint) return new Response(null, { status: signOutStatus });
        return new Response(KEYS);
      },
    });
    return found.get('account page');
  }

  it('is fine if pages of the public address can read the discovery document and the token endpoint', async () => {
    expect(await findSignIn({})).toEqual({
      what: 'account page',
      verdict: 'fine',
      says: 'its provider offers what the page needs, to pages of https://data.example.com too; signing in was not tried',
    });
    expect(asked).toContain(`POST ${endpoint}`);
    expect(asked.filter((each) => each.startsWith('OPTIONS'))).toEqual([]);
  });

  it.each<[string, { ofDiscovery?: Record<string, string>; ofTokens?: Record<string, string> }, string]>([
    ['no origin', { ofTokens: {} }, 'its token endpoint (answer 400)'],
    [
      'another origin',
      { ofTokens: { 'Access-Control-Allow-Origin': 'https://other.example.com' } },
      'its token endpoint (answer 400)',
    ],
    [
      'none of its documents',
      { ofDiscovery: {}, ofTokens: {} },
      'its discovery document (answer 200) and its token',
    ],
  ])('is a fault if the provider allows %s', async (_what, headers, says) => {
    const found = await findSignIn(headers);
    expect(found?.verdict).toBe('fault');
    expect(found?.says).toContain(`pages of https://data.example.com cannot read ${says}`);
    expect(found?.says).toContain('allow that origin (CORS) at the provider');
  });

  it('uses the origin of the dashboard if that is the account page', async () => {
    const billing = {
      CRD_STRIPE_SECRET_KEY: 'sk_live_12345678',
      CRD_STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
      CRD_STRIPE_PRICE_SINGLE_CHAIN: 'price_1',
      CRD_STRIPE_PRICE_RESEARCH: 'price_2',
    };
    const says = async (url: string): Promise<string> => {
      const found = await findSignIn({ ofTokens: {} }, {}, { ...billing, CRD_DASHBOARD_URL: url });
      return found?.says ?? '';
    };
    expect(await says('https://api.example.com/account')).toContain(
      'pages of https://api.example.com cannot',
    );
    expect(await says('https://shop.example.com/mine')).toContain('pages of https://data.example.com cannot');
  });

  it('is advice if the provider does not list a scope, or signs out elsewhere or not at all', async () => {
    expect(await findSignIn({}, {}, { CRD_OIDC_SCOPES: 'openid email' })).toMatchObject({
      verdict: 'advice',
      says: 'it does not list these scopes of CRD_OIDC_SCOPES: email; if the page says invalid_scope, remove them',
    });
    expect(await findSignIn({}, { end_session_endpoint: 'https://sso.example.com/end' })).toMatchObject({
      verdict: 'advice',
      says: 'its sign-out is at https://sso.example.com; add that to CRD_OIDC_ORIGINS, or browsers block it',
    });
    expect((await findSignIn({}, { end_session_endpoint: undefined }))?.says).toContain(
      'no end_session_endpoint',
    );
  });

  it.each([
    [404, 'post', 'advice'],
    [405, 'post', 'advice'],
    [403, 'post', 'advice'], // Django refuses forms of other sites
    [302, 'post', 'fine'],
    [400, 'post', 'fine'],
    [404, 'get', 'fine'],
  ])('whose sign-out answers %i to POST, and is asked by %s, is %s', async (status, how, verdict) => {
    signOutStatus = status;
    const found = await findSignIn({}, {}, { CRD_OIDC_SIGN_OUT: how });
    signOutStatus = 200;
    expect(found?.verdict).toBe(verdict);
    if (verdict === 'advice')
      expect(found?.says).toBe(
        `its sign-out answers ${status} to POST; allow it at the provider, or set CRD_OIDC_SIGN_OUT=get`,
      );
    expect(asked.includes('POST https://login.example.com/logout')).toBe(how === 'post');
  });

  it('is a fault if the token endpoint does not answer', async () => {
    const found = await findAll({
      more: { CRD_OIDC_CLIENT_ID: 'account-page' },
      respond: (address) => {
        if (address === endpoint) throw new TypeError('fetch failed', { cause: new Error('refused') });
        return address === discovery ? Response.json(document, { headers: OPEN }) : new Response(KEYS);
      },
    });
    expect(found.get('account page')).toMatchObject({
      verdict: 'fault',
      says: `${endpoint} cannot be read: no answer (refused)`,
    });
  });
});

describe("the store's clock", () => {
  it.each([0, 29, -29, 30, -30])('can be %i s ahead of this machine', async (seconds) => {
    expect((await findAll({ respond: ahead(seconds) })).get('clock')).toEqual({
      what: 'clock',
      verdict: 'fine',
      says: `this machine and the store are ${Math.abs(seconds)} s apart`,
    });
    expect(asked).toContain(`HEAD ${server.endpoint}`);
  });

  it.each([31, -31, 3_600, -86_400])('cannot be %i s ahead of this machine', async (seconds) => {
    expect((await findAll({ respond: ahead(seconds) })).get('clock')).toEqual({
      what: 'clock',
      verdict: 'fault',
      says: `this machine and the store are ${Math.abs(seconds)} s apart; set this machine's clock`,
    });
  });

  it.each<[string, Record<string, string>]>([
    ['no Date header', {}],
    ['an empty Date header', { Date: '' }],
    ['an invalid Date header', { Date: 'yesterday' }],
  ])('is a fault when the response has %s', async (_what, headers) => {
    expect((await findAll({ respond: () => new Response(null, { headers }) })).get('clock')).toEqual({
      what: 'clock',
      verdict: 'fault',
      says: 'the store does not send the time in its Date header',
    });
  });

  it('is read from an error response too', async () => {
    const headers = { Date: new Date(nowMs).toUTCString() };
    const found = await findAll({ respond: () => new Response(null, { status: 403, headers }) });
    expect(found.get('clock')?.verdict).toBe('fine');
  });

  it('is a fault when the store does not answer, and the other checks still run', async () => {
    const found = await findAll({
      respond: (address) => {
        if (address === server.endpoint) throw new TypeError('fetch failed');
        return new Response(KEYS);
      },
    });
    expect(found.get('clock')).toMatchObject({
      verdict: 'fault',
      says: expect.stringMatching(/the store.*fetch failed/),
    });
    expect(found.get('identity provider')).toMatchObject({ verdict: 'fine', says: 'its keys can be read' });
  });
});

/** The verdict of a server that keeps its promises. */
const SAFE =
  '{"schema":"store-check/1","checked_at":"2026-08-20T06:00:00Z","server":null,"verdict":"safe","single_writer":false}';

/** A fault that an operator can read: a sentence without a stack, a document or a class name. */
const READABLE = expect.not.stringMatching(
  /\n|^\s*[[{<]|\w+Error\b|AWS SDK|Unexpected|undefined|\[object/,
) as string;

describe('a store', () => {
  it('that does not answer is a readable fault, for releases and accounts', async () => {
    const found = await findAll({ endpoint: 'http://127.0.0.1:1' });
    for (const what of ['store', 'accounts store']) {
      expect(found.get(what)).toEqual({ what, verdict: 'fault', says: READABLE });
      expect(found.get(what)?.says).toMatch(/reach|answer|connect/);
    }
  });

  it.each<[string, FakeAnswer, RegExp]>([
    ['denies access', s3Error(403, 'AccessDenied', 'Access Denied'), /refuse|denied|may not|permission/i],
    ['does not exist', s3Error(404, 'NoSuchBucket', 'The specified bucket does not exist'), /does not exist/],
  ])('that %s is a readable fault, for releases and accounts', async (_what, refusal, words) => {
    answer = refusal;
    const found = await findAll();
    for (const what of ['store', 'accounts store']) {
      expect(found.get(what)).toEqual({ what, verdict: 'fault', says: READABLE });
      expect(found.get(what)?.says).toMatch(words);
    }
  });

  it('of accounts that can be listed but not read is a readable fault', async () => {
    const body = '<ListBucketResult><Contents><Key>accounts/a.json</Key></Contents></ListBucketResult>';
    answers = [
      ['/store-check.json', { status: 200, body: SAFE, headers: { etag: '"1"' } }],
      ['list-type=2', { status: 200, body }],
      ['/accounts/a.json', s3Error(403, 'AccessDenied', 'Access Denied')],
    ];
    const found = await findAll();
    expect(found.get('accounts store')).toMatchObject({
      verdict: 'fault',
      says: expect.stringContaining('s3://accounts/accounts/a.json: access denied'),
    });
  });

  it('of accounts whose server loses writes is a fault, and one of releases that strangers read', async () => {
    const s3 = await startSmallS3({ swap: 'first', isPublic: true });
    s3.objects.set('data/current.json', Buffer.from('{}'));
    const found = await findAll({ endpoint: s3.endpoint });
    await s3.dispose();
    expect(found.get('accounts store')).toEqual({
      what: 'accounts store',
      verdict: 'fault',
      says: expect.stringMatching(
        /loses writes .* when two processes write at once: 8 swaps at once .* Use another server:/,
      ),
    });
    expect(found.get('links')).toEqual({
      what: 'links',
      verdict: 'fault',
      says: 'a GET without a signature is answered: anybody can read the bucket; a GET with a wrong signature is answered: signatures are not checked; a GET after the link has ended is answered: links never end; paid files are not protected: close the bucket, or use another server',
    });
  });

  it('without a release is a fault that says what to do', async () => {
    expect((await findAll()).get('store')).toEqual({
      what: 'store',
      verdict: 'fault',
      says: 'nothing is published there yet: run "generator publish"',
    });
  });

  it.each(['', 'no JSON', '{}', '{"schema":"pointer/1"}'])(
    'with the pointer %j is a readable fault',
    async (body) => {
      answer = { status: 200, body };
      expect((await findAll()).get('store')).toEqual({ what: 'store', verdict: 'fault', says: READABLE });
    },
  );
});

describe('an identity provider', () => {
  it('is advised against the audience that every client of a realm of Keycloak has', async () => {
    const found = await findAll({ more: { CRD_JWT_AUDIENCE: 'account' } });
    expect(found.get('identity provider')).toEqual({
      what: 'identity provider',
      verdict: 'advice',
      says: 'its keys can be read; Keycloak gives tokens of every client the audience account: use another CRD_JWT_AUDIENCE',
    });
  });

  it.each<[string, () => Response, RegExp]>([
    [
      'that does not answer',
      () => {
        throw new TypeError('fetch failed');
      },
      /fetch failed/,
    ],
    ['that is broken', () => new Response('oops', { status: 500 }), /answered 500/],
    ['that has moved', () => new Response(null, { status: 404 }), /answered 404/],
    ['without keys', () => new Response('{"keys":[]}'), /has no keys/],
    ['with an invalid document', () => new Response('<html>'), /JSON/],
    ['with a document that is too large', () => new Response(' '.repeat(70_000)), /more than 65536 bytes/],
  ])('%s is a fault: its keys cannot be read, and why', async (_what, respond, words) => {
    const says = expect.stringMatching(/^its keys cannot be read: \S/);
    const found = await findAll({ respond });
    expect(found.get('identity provider')).toEqual({ what: 'identity provider', verdict: 'fault', says });
    expect(found.get('identity provider')?.says).toMatch(words);
    expect(asked).toContain(`GET ${PROVIDER.CRD_JWKS}`);
  });
});
