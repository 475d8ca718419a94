import { StoreError, type ObjectStore } from '../../../../infra/store/object-store.js';
import { openStore } from '../../../../infra/store/open-store.js';
import { META } from '../../../contract/store-use.js';
import { startRefusingS3, type Refusal, type RefusingS3 } from '../../../support/s3/refusing-s3.js';

const BODY = Buffer.from('text');

/** All operations except `head`, whose response has no body. */
const OPERATIONS: Readonly<Record<string, (store: ObjectStore) => Promise<unknown>>> = {
  get: (store) => store.get('key'),
  putIfAbsent: (store) => store.putIfAbsent('key', BODY, META),
  compareAndSwap: (store) => store.compareAndSwap('key', BODY, '"etag"', META),
  list: async (store) => {
    for await (const { key } of store.list('key')) return key;
    return undefined;
  },
  delete: (store) => store.delete('key'),
};

describe('an S3 store whose server rejects a request', () => {
  const before = { ...process.env };
  let server: RefusingS3;
  let store: ObjectStore;
  beforeAll(async () => {
    Object.assign(process.env, {
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'us-east-1',
    });
    server = await startRefusingS3();
    store = await openStore(`s3://bucket/prefix?endpoint=${server.endpoint}&path-style=true`);
  });
  afterAll(async () => {
    process.env = before;
    await server.dispose();
  });

  async function errorOf(call: (store: ObjectStore) => Promise<unknown>): Promise<StoreError> {
    const error = await call(store).then(
      (result) => `it resolved ${String(result)}`,
      (failure: unknown) => failure,
    );
    expect(error).toBeInstanceOf(StoreError);
    return error as StoreError; // checked above
  }

  type Advice = readonly [problem: string, remedy: string];
  const REFUSALS: readonly [string, Refusal, StoreError['code'], Advice][] = [
    [
      'because the bucket does not exist',
      { status: 404, code: 'NoSuchBucket', message: 'The specified bucket does not exist' },
      'address',
      ['bucket bucket does not exist', 'Create it or correct the address.'],
    ],
    [
      'because the bucket is in another region',
      {
        status: 301,
        code: 'PermanentRedirect',
        message: 'Please send all future requests to this endpoint.',
        headers: { 'x-amz-bucket-region': 'eu-west-1' },
      },
      'address',
      [
        'the bucket is in region eu-west-1, not in the configured one',
        'Add ?region=eu-west-1 to the address or set AWS_REGION.',
      ],
    ],
    [
      'because the signature is for another region',
      {
        status: 400,
        code: 'AuthorizationHeaderMalformed',
        message: "the region 'us-east-1' is wrong; expecting 'eu-west-1'",
        headers: { 'x-amz-bucket-region': 'eu-west-1' },
      },
      'address',
      [
        'the bucket is in region eu-west-1, not in the configured one',
        'Add ?region=eu-west-1 to the address or set AWS_REGION.',
      ],
    ],
    [
      'because of missing permissions',
      { status: 403, code: 'AccessDenied', message: 'Access Denied' },
      'unavailable',
      ['access denied', 'Grant the permissions listed in RUNBOOK.md of the program.'],
    ],
    [
      'because the access key is unknown',
      {
        status: 403,
        code: 'InvalidAccessKeyId',
        message: 'The AWS Access Key Id does not exist in our records.',
      },
      'unavailable',
      ['S3 does not know the access key', 'Check the credentials.'],
    ],
    [
      'because the secret key is wrong',
      { status: 403, code: 'SignatureDoesNotMatch', message: 'The request signature does not match' },
      'unavailable',
      ['the secret key does not match the access key', 'Check the credentials.'],
    ],
    [
      'because the credentials have expired',
      { status: 400, code: 'ExpiredToken', message: 'The provided token has expired.' },
      'unavailable',
      ['the credentials have expired', 'Renew them and run again.'],
    ],
    [
      'because the session token is not valid',
      { status: 400, code: 'InvalidToken', message: 'The provided token is malformed' },
      'unavailable',
      ['the session token is not valid', 'Renew the credentials and run again.'],
    ],
    [
      'because the object is archived',
      { status: 403, code: 'InvalidObjectState', message: "not valid for the object's storage class" },
      'unavailable',
      [
        'the object is archived',
        'Restore it, and remove the lifecycle rule that archives objects of the store.',
      ],
    ],
    [
      'because it does not support conditional writes',
      {
        status: 501,
        code: 'NotImplemented',
        message: 'A header implies functionality that is not implemented',
      },
      'unavailable',
      [
        'the server does not support a feature that the store needs, most likely conditional writes',
        'Use another S3 server.',
      ],
    ],
    [
      'for an unknown reason',
      { status: 400, code: 'SomethingNew', message: 'Something is new.' },
      'unavailable',
      ['S3 rejected the request', 'Fix the cause and run again.'],
    ],
  ];

  describe.each(REFUSALS)('%s', (_name, refusal, code, [problem, remedy]) => {
    it.each(Object.entries(OPERATIONS))(
      'reports the address, the cause and a remedy without a retry: %s',
      async (_op, call) => {
        server.refuse(refusal);
        expect(await errorOf(call)).toMatchObject({
          code,
          message: `s3://bucket/prefix/key: ${problem} (${refusal.code ?? ''}: ${(refusal.message ?? '').replace(/\.$/, '')}). ${remedy}`,
        });
        expect(server.asked()).toHaveLength(1);
      },
    );
  });

  it.each([
    [
      301,
      { 'x-amz-bucket-region': 'eu-west-1' },
      'address',
      /the bucket is in region eu-west-1, .+ Add \?region=eu-west-1 /,
    ],
    [403, {}, 'unavailable', /access denied \(.+\)\. Grant the permissions /],
    [400, {}, 'unavailable', /S3 rejected the request \(.+\)\. Fix the cause and run again\.$/],
  ])('explains the bare status %s of a HEAD request', async (status, headers, code, explanation) => {
    server.refuse({ status, headers });
    const { message, ...error } = await errorOf((each) => each.head('key'));
    expect(error).toMatchObject({ code });
    expect(message).toMatch(/^s3:\/\/bucket\/prefix\/key: /);
    expect(message).toMatch(explanation);
  });

  it.each([
    ['200', { status: 200, body: '<html><body>Welcome<br></body></html>' }, ['list']],
    ['404', { status: 404, body: '<html><body>Not found<br></body></html>' }, Object.keys(OPERATIONS)],
    ['403', { status: 403, body: 'Blocked by the proxy' }, Object.keys(OPERATIONS)],
  ])('reports a page of another server (%s) as not S3', async (_status, refusal, operations) => {
    server.refuse(refusal);
    for (const name of operations) {
      const { code, message } = await errorOf(OPERATIONS[name] ?? (() => Promise.resolve()));
      expect({ name, code, message }).toEqual({
        name,
        code: 'unavailable',
        message: expect.stringMatching(
          /^s3:\/\/bucket\/prefix\/key: http:\/\/127\.0\.0\.1:\d+ is not an S3 server \([^\n]+\)\. Check the endpoint\.$/,
        ),
      });
    }
  });

  it('resolves undefined for a missing object, and reports a conflict for a swap of it', async () => {
    server.refuse({ status: 404, code: 'NoSuchKey', message: 'The specified key does not exist.' });
    expect([await store.get('key'), await store.head('key')]).toEqual([undefined, undefined]);
    expect(await store.compareAndSwap('key', BODY, '"etag"', META)).toBe('conflict');
  });

  it('reports "exists" or "conflict" if a condition does not hold', async () => {
    server.refuse({ status: 412, code: 'PreconditionFailed', message: 'did not hold' });
    expect(await store.putIfAbsent('key', BODY, META)).toBe('exists');
    expect(await store.compareAndSwap('key', BODY, '"etag"', META)).toBe('conflict');
    expect(await store.compareAndSwap('key', BODY, null, META)).toBe('conflict');
  });

  describe('or whose server gets no request because this machine lacks settings', () => {
    afterEach(() => {
      process.env = { ...before, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
    });

    it.each([
      [
        'no region',
        ['AWS_REGION'],
        {},
        'address',
        'no valid region is set (Region is missing). Add ?region=REGION to the address or set AWS_REGION.',
      ],
      [
        'missing credentials',
        ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
        { AWS_REGION: 'us-east-1' },
        'unavailable',
        'no credentials were found (CredentialsProviderError: ',
      ],
      [
        'an unreadable token of a role',
        ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
        {
          AWS_REGION: 'us-east-1',
          AWS_WEB_IDENTITY_TOKEN_FILE: '/nowhere/token',
          AWS_ROLE_ARN: 'arn:aws:iam::1:role/x',
        },
        'unavailable',
        "the credentials cannot be read (ENOENT: no such file or directory, open '/nowhere/token'). Fix the cause and run again.",
      ],
    ])('reports %s', async (_name, unset, set, code, message) => {
      Object.assign(process.env, { AWS_EC2_METADATA_DISABLED: 'true', HOME: '/nowhere' }, set);
      for (const name of ['AWS_PROFILE', ...unset]) Reflect.deleteProperty(process.env, name);
      server.refuse({ status: 500 });
      const fresh = await openStore(`s3://bucket/prefix?endpoint=${server.endpoint}&path-style=true`);
      await expect(fresh.get('key')).rejects.toMatchObject({
        name: 'StoreError',
        code,
        message: expect.stringContaining(`s3://bucket/prefix/key: ${message}`),
      });
      expect(server.asked()).toEqual([]);
    });
  });
});
