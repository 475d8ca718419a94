import { sha256Hex } from '../../../schemas/digest.js';
import { openStore } from '../../../infra/store/open-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { META } from '../../contract/store-use.js';
import {
  s3Error,
  startFakeS3,
  type FakeAnswer,
  type FakeRequest,
  type FakeS3,
} from '../../support/s3/fake-s3.js';
import { runOnS3 } from '../../support/s3/s3-run.js';

/** Servers with scripted responses of S3, for failures that LocalStack cannot produce. */
const running: FakeS3[] = [];
afterAll(() => Promise.all(running.map((server) => server.dispose())));

const ours = Buffer.from('ours');
const ETAG = '"9b2cf535f27731c974343645a3985328"';
const address = ({ endpoint }: FakeS3): string =>
  `s3://bucket/prefix?endpoint=${encodeURIComponent(endpoint)}&path-style=true`;

async function startServer(answer: (request: FakeRequest) => FakeAnswer | undefined): Promise<FakeS3> {
  const server = await startFakeS3(answer);
  running.push(server);
  return server;
}

const OPERATIONS: readonly (readonly [string, (store: ObjectStore) => Promise<unknown>])[] = [
  ['get', (store) => store.get('key')],
  ['head', (store) => store.head('key')],
  ['putIfAbsent', (store) => store.putIfAbsent('key', ours, META)],
  ['compareAndSwap', (store) => store.compareAndSwap('key', ours, ETAG, META)],
  ['delete', (store) => store.delete('key')],
  [
    'list',
    async (store) => {
      for await (const { key } of store.list('')) expect(key).toBeDefined();
    },
  ],
];

describe('if S3 rejects every request', () => {
  const redirected = s3Error(
    301,
    'PermanentRedirect',
    'The bucket must be addressed using another endpoint.',
  );
  it.each<[string, FakeAnswer, 'address' | 'unavailable', RegExp]>([
    [
      'the bucket does not exist',
      s3Error(404, 'NoSuchBucket', 'The specified bucket does not exist'),
      'address',
      /bucket bucket does not exist \(.+\)\. Create it or correct the address\.$/,
    ],
    [
      'the bucket is in another region',
      { ...redirected, headers: { 'x-amz-bucket-region': 'eu-west-1' } },
      'address',
      /the bucket is in region eu-west-1, not in the configured one \(.+\)\. Add \?region=eu-west-1 to the address/,
    ],
    [
      'the signature is for another region',
      s3Error(
        400,
        'AuthorizationHeaderMalformed',
        "The authorization header is malformed; the region 'us-east-1' is wrong; expecting 'eu-west-1'",
        '<Region>eu-west-1</Region>',
      ),
      'address',
      /the bucket is in region eu-west-1, not in the configured one \(.+\)\. Add \?region=eu-west-1 to the address/,
    ],
    [
      'permissions are missing',
      s3Error(403, 'AccessDenied', 'Access Denied'),
      'unavailable',
      /access denied \(.+\)\. Grant the permissions listed in RUNBOOK\.md of the program\.$/,
    ],
    [
      'the secret key is wrong',
      s3Error(403, 'SignatureDoesNotMatch', 'The request signature we calculated does not match'),
      'unavailable',
      /the secret key does not match the access key \(.+\)\. Check the credentials\.$/,
    ],
    [
      'the access key is unknown',
      s3Error(403, 'InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.'),
      'unavailable',
      /S3 does not know the access key \(.+\)\. Check the credentials\.$/,
    ],
    [
      'the credentials have expired',
      s3Error(400, 'ExpiredToken', 'The provided token has expired.'),
      'unavailable',
      /the credentials have expired \(.+\)\. Renew them and run again\.$/,
    ],
  ])('because %s, every operation reports it with a remedy', async (what, answer, code, message) => {
    const server = await startServer(() => answer);
    const store = await openStore(address(server));
    for (const [name, work] of OPERATIONS) {
      // The response to a HEAD request has no body, so a missing bucket looks like a missing key.
      const isUnexplained = name === 'head' && what === 'the bucket does not exist';
      const error = await work(store).catch((error: unknown) => error);
      if (isUnexplained) expect(error).toBeUndefined();
      else
        expect({ name, error }).toMatchObject({
          name,
          error: { code, message: expect.stringMatching(message) },
        });
    }
  });

  it('because the bucket is in another region, the generator exits 2 and says what to add to the address', async () => {
    const server = await startServer(() => ({
      ...redirected,
      headers: { 'x-amz-bucket-region': 'eu-west-1' },
    }));
    const run = await runOnS3(['verify', '--store', address(server)]);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('Add ?region=eu-west-1 to the address or set AWS_REGION.');
  });

  it('because the credentials have expired, the generator exits 7', async () => {
    const server = await startServer(() => s3Error(400, 'ExpiredToken', 'The provided token has expired.'));
    const run = await runOnS3(['verify', '--store', address(server)]);
    expect(run).toMatchObject({ code: 7, stdout: '' });
    expect(run.stderr).toMatch(/the credentials have expired \(.+\)\. Renew them and run again\./);
  });
});

describe('if S3 reports clock skew', () => {
  const HOUR_MS = 3_600_000;
  const ahead = (answer: FakeAnswer): FakeAnswer => ({
    ...answer,
    headers: { date: new Date(Date.now() + HOUR_MS).toUTCString() },
  });
  const skewed = (): FakeAnswer => {
    const times = `<ServerTime>${new Date(Date.now() + HOUR_MS).toISOString()}</ServerTime>`;
    return ahead(s3Error(403, 'RequestTimeTooSkewed', 'The difference is too large.', times));
  };

  it('requests are signed with the corrected time from then on', async () => {
    const server = await startServer(({ headers }) => {
      const signed = String(headers['x-amz-date']).replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5');
      const skewMs = Math.abs(Date.parse(signed) - (Date.now() + HOUR_MS));
      return skewMs < HOUR_MS / 4 ? ahead(s3Error(404, 'NoSuchKey', 'No such key.')) : skewed();
    });
    const store = await openStore(address(server));
    expect(await store.get('key')).toBeUndefined();
    expect(server.seen).toHaveLength(2);
    expect(await store.get('key')).toBeUndefined();
    expect(server.seen).toHaveLength(3);
  });

  it.each(OPERATIONS.slice(0, 2))(
    'for every signature, %s reports it',
    async (_name, work) => {
      const store = await openStore(address(await startServer(skewed)));
      await expect(work(store)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining("this machine's clock is wrong by more than 15 minutes"),
      });
    },
    300_000,
  );
});

describe('if S3 rejects a write because of a concurrent one (409)', () => {
  const undecided = s3Error(409, 'ConditionalRequestConflict', 'The conditional request cannot succeed.');
  const refused = s3Error(412, 'PreconditionFailed', 'At least one of the pre-conditions did not hold');
  const done = { status: 200, headers: { etag: ETAG } };
  const theirs = Buffer.from(sha256Hex('theirs'), 'hex').toString('base64');
  const found = { status: 200, headers: { etag: '"1"', 'x-amz-checksum-sha256': theirs } };

  /** Answers 409 to the first writes, and `last` to all later ones. */
  const startUndecided = (times: number, last: FakeAnswer): Promise<FakeS3> => {
    let writes = 0;
    return startServer(({ method }) => {
      if (method !== 'PUT') return found;
      writes += 1;
      return writes <= times ? undecided : last;
    });
  };

  it('it is retried until it succeeds', async () => {
    const server = await startUndecided(3, done);
    const store = await openStore(address(server));
    expect(await store.putIfAbsent('key', ours, META)).toBe('created');
    expect(server.seen).toHaveLength(4);
    expect(await store.compareAndSwap('key', ours, ETAG, META)).toBe(ETAG);
  });

  it('it ends with a conflict if the concurrent write has won', async () => {
    const swapping = await openStore(address(await startUndecided(1, refused)));
    expect(await swapping.compareAndSwap('key', ours, ETAG, META)).toBe('conflict');
    const putting = await openStore(address(await startUndecided(1, refused)));
    expect(await putting.putIfAbsent('key', ours, META)).toBe('exists');
  });

  it('the store is unavailable after too many of these responses', async () => {
    const store = await openStore(address(await startUndecided(Infinity, done)));
    await expect(store.putIfAbsent('key', ours, META)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/other writers keep changing this key \(.+\)\. Run again\.$/),
    });
  }, 300_000);
});

describe('if a response of S3 is incomplete', () => {
  it('the request is repeated', async () => {
    const server = await startServer(({ number }) => ({
      status: 200,
      headers: { etag: ETAG, 'content-length': number === 1 ? '8' : '4' },
      body: 'ours',
    }));
    const store = await openStore(address(server));
    expect(await store.get('key')).toMatchObject({ etag: ETAG, bytes: new Uint8Array(ours) });
    expect(server.seen).toHaveLength(2);
  }, 300_000);

  it('it is not repeated after the period for retries of the store', async () => {
    const headers = { etag: ETAG, 'content-length': '8' };
    const server = await startServer(() => ({ status: 200, headers, body: 'ours' }));
    const store = await openStore(address(server), { retryPeriodMs: 0 });
    await expect(store.get('key')).rejects.toMatchObject({ code: 'unavailable' });
    expect(server.seen).toHaveLength(1);
  }, 300_000);
});
