import { configure, PROVIDER } from '../../../support/gateway/environments.js';
import { startSmallS3 } from '../../../support/s3/small-s3.js';
import { s3Error, startFakeS3, type FakeAnswer, type FakeS3 } from '../../../support/s3/fake-s3.js';
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
    openBilling: () => {
      throw new Error('billing is not configured');
    },
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
