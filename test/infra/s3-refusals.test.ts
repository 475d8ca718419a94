import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';
import { openStore } from '../../infra/store/open-store.js';
import { META } from '../contract/store-use.js';
import { startRefusingS3, type Refusal, type RefusingS3 } from '../fixtures/refusing-s3.js';

const BODY = Buffer.from('text');

/** Every operation of the port that gets an answer with a body. */
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

describe('an S3 store, refused by the server,', () => {
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

  /** What the store says when it is asked. */
  async function complaintOf(ask: (store: ObjectStore) => Promise<unknown>): Promise<StoreError> {
    const error = await ask(store).then(
      (result) => `it resolved ${String(result)}`,
      (failure: unknown) => failure,
    );
    expect(error).toBeInstanceOf(StoreError);
    return error as StoreError; // as was just seen
  }

  const REFUSALS: readonly [string, Refusal, StoreError['code'], string][] = [
    [
      'for want of the bucket',
      { status: 404, code: 'NoSuchBucket', message: 'The specified bucket does not exist' },
      'address',
      'there is no bucket bucket; create it, or correct the address',
    ],
    [
      'because the bucket lies in another region',
      {
        status: 301,
        code: 'PermanentRedirect',
        message: 'Please send all future requests to this endpoint.',
        headers: { 'x-amz-bucket-region': 'eu-west-1' },
      },
      'address',
      'the bucket lies in region eu-west-1, not in the configured one; add ?region=eu-west-1 to the address, or set AWS_REGION',
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
      'the bucket lies in region eu-west-1, not in the configured one; add ?region=eu-west-1 to the address, or set AWS_REGION',
    ],
    [
      'for want of rights',
      { status: 403, code: 'AccessDenied', message: 'Access Denied' },
      'unavailable',
      'these credentials may not do that; give them the rights that infra/README.md lists',
    ],
    [
      'because the access key is unknown',
      {
        status: 403,
        code: 'InvalidAccessKeyId',
        message: 'The AWS Access Key Id does not exist in our records.',
      },
      'unavailable',
      'S3 does not know the access key; check the credentials in force',
    ],
    [
      'because the secret key is wrong',
      { status: 403, code: 'SignatureDoesNotMatch', message: 'The request signature does not match' },
      'unavailable',
      'the secret key does not fit the access key; check the credentials in force',
    ],
    [
      'because the credentials have expired',
      { status: 400, code: 'ExpiredToken', message: 'The provided token has expired.' },
      'unavailable',
      'the credentials have expired; renew them and run again',
    ],
    [
      'because the session token is not valid',
      { status: 400, code: 'InvalidToken', message: 'The provided token is malformed' },
      'unavailable',
      'the session token is not valid; renew the credentials and run again',
    ],
    [
      'because the object was archived',
      { status: 403, code: 'InvalidObjectState', message: "not valid for the object's storage class" },
      'unavailable',
      'the object lies in an archive; restore it, and let no lifecycle rule archive what the store holds',
    ],
    [
      'because it knows no conditional writes',
      {
        status: 501,
        code: 'NotImplemented',
        message: 'A header implies functionality that is not implemented',
      },
      'unavailable',
      'this server lacks what a store needs, conditional writes above all; use another S3 server',
    ],
    [
      'for a reason that we do not know',
      { status: 400, code: 'SomethingNew', message: 'Something is new.' },
      'unavailable',
      'S3 refused the request; mend that and run again',
    ],
  ];

  describe.each(REFUSALS)('%s', (_name, refusal, code, remedy) => {
    it.each(Object.entries(OPERATIONS))(
      'says where, what to do and what S3 said, at once: %s',
      async (_op, ask) => {
        server.refuse(refusal);
        expect(await complaintOf(ask)).toMatchObject({
          code,
          message: `s3://bucket/prefix/key: ${remedy} (${refusal.code ?? ''}: ${refusal.message ?? ''})`,
        });
        expect(server.asked()).toHaveLength(1);
      },
    );
  });

  it.each([
    [301, { 'x-amz-bucket-region': 'eu-west-1' }, 'address', 'the bucket lies in region eu-west-1'],
    [403, {}, 'unavailable', 'these credentials may not do that; give them the rights'],
    [400, {}, 'unavailable', 'S3 refused the request; mend that and run again'],
  ])('with the bare status %s to a HEAD, says what that means', async (status, headers, code, remedy) => {
    server.refuse({ status, headers });
    const { message, ...error } = await complaintOf((each) => each.head('key'));
    expect(error).toMatchObject({ code });
    expect(message.startsWith(`s3://bucket/prefix/key: ${remedy}`)).toBe(true);
  });

  it.each([
    ['200', { status: 200, body: '<html><body>Welcome<br></body></html>' }, ['list']],
    ['404', { status: 404, body: '<html><body>Not found<br></body></html>' }, Object.keys(OPERATIONS)],
    ['403', { status: 403, body: 'Blocked by the proxy' }, Object.keys(OPERATIONS)],
  ])('by a page of another server (%s), says that it is none of S3', async (_status, refusal, operations) => {
    server.refuse(refusal);
    for (const name of operations) {
      const { code, message } = await complaintOf(OPERATIONS[name] ?? (() => Promise.resolve()));
      expect({ name, code, message }).toEqual({
        name,
        code: 'unavailable',
        message: expect.stringMatching(
          /^s3:\/\/bucket\/prefix\/key: what answers at http:\/\/127\.0\.0\.1:\d+ is no S3 server; check the endpoint \([^\n]+\)$/,
        ),
      });
    }
  });

  it('says undefined of a missing object, and of nothing else', async () => {
    server.refuse({ status: 404, code: 'NoSuchKey', message: 'The specified key does not exist.' });
    expect([await store.get('key'), await store.head('key')]).toEqual([undefined, undefined]);
    expect(await store.compareAndSwap('key', BODY, '"etag"', META)).toBe('conflict');
  });

  it('says exists, or conflict, when a condition does not hold', async () => {
    server.refuse({ status: 412, code: 'PreconditionFailed', message: 'did not hold' });
    expect(await store.putIfAbsent('key', BODY, META)).toBe('exists');
    expect(await store.compareAndSwap('key', BODY, '"etag"', META)).toBe('conflict');
    expect(await store.compareAndSwap('key', BODY, null, META)).toBe('conflict');
  });

  describe('or not even asked, because this machine is not set up,', () => {
    const kept = { ...process.env };
    afterEach(() => {
      process.env = { ...before, ...kept, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
    });

    it.each([
      [
        'there is no region',
        ['AWS_REGION'],
        {},
        'address',
        'no region is set; add ?region=REGION to the address, or set AWS_REGION (Region is missing)',
      ],
      [
        'there are no credentials',
        ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
        { AWS_REGION: 'us-east-1' },
        'unavailable',
        'there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role for this machine (CredentialsProviderError: ',
      ],
      [
        'the token of a role cannot be read',
        ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
        {
          AWS_REGION: 'us-east-1',
          AWS_WEB_IDENTITY_TOKEN_FILE: '/nowhere/token',
          AWS_ROLE_ARN: 'arn:aws:iam::1:role/x',
        },
        'unavailable',
        "the credentials cannot be read; mend that and run again (ENOENT: no such file or directory, open '/nowhere/token')",
      ],
    ])('says so: %s', async (_name, unset, set, code, complaint) => {
      Object.assign(process.env, { AWS_EC2_METADATA_DISABLED: 'true', HOME: '/nowhere' }, set);
      for (const name of ['AWS_PROFILE', ...unset]) Reflect.deleteProperty(process.env, name);
      server.refuse({ status: 500 });
      const fresh = await openStore(`s3://bucket/prefix?endpoint=${server.endpoint}&path-style=true`);
      await expect(fresh.get('key')).rejects.toMatchObject({
        name: 'StoreError',
        code,
        message: expect.stringContaining(`s3://bucket/prefix/key: ${complaint}`),
      });
      expect(server.asked()).toEqual([]);
    });
  });
});
