import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseS3Address } from '../../infra/store/s3-address.js';
import { resolveS3Signing } from '../../infra/store/s3-signing.js';
import { startLoopbackServer } from '../fixtures/loopback-server.js';

const before = { ...process.env };
beforeEach(() => {
  const unset = Object.keys(process.env).filter((name) => name.startsWith('AWS_'));
  for (const name of unset) Reflect.deleteProperty(process.env, name);
  const empty = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };
  Object.assign(process.env, empty, { AWS_EC2_METADATA_DISABLED: 'true' });
});
afterAll(() => {
  process.env = before;
});

describe('the place that URLs of a store are signed for', () => {
  it.each([
    ['s3://releases?region=us-east-1', 'https://releases.s3.us-east-1.amazonaws.com', '/'],
    ['s3://releases/data/v1?region=eu-west-1', 'https://releases.s3.eu-west-1.amazonaws.com', '/data/v1/'],
    ['s3://releases/a?region=cn-north-1', 'https://releases.s3.cn-north-1.amazonaws.com.cn', '/a/'],
    [
      's3://releases/a?region=eu-west-1&path-style=true',
      'https://s3.eu-west-1.amazonaws.com',
      '/releases/a/',
    ],
    [
      's3://my.dotted.bucket/a?region=eu-west-1',
      'https://s3.eu-west-1.amazonaws.com',
      '/my.dotted.bucket/a/',
    ],
    [
      's3://releases/year=2026?region=eu-west-1',
      'https://releases.s3.eu-west-1.amazonaws.com',
      '/year%3D2026/',
    ],
    [
      's3://releases/a?region=us-east-1&endpoint=http://127.0.0.1:4566&path-style=true',
      'http://127.0.0.1:4566',
      '/releases/a/',
    ],
    [
      's3://releases/a?region=us-east-1&endpoint=https://s3.example.com:9443',
      'https://releases.s3.example.com:9443',
      '/a/',
    ],
    [
      's3://releases?region=us-east-1&endpoint=https://objects.example.com/base/&path-style=true',
      'https://objects.example.com',
      '/base/releases/',
    ],
  ])('of %s is at %s%s', async (address, origin, path) => {
    const { place } = await resolveS3Signing(parseS3Address(address));
    expect(place).toMatchObject({ origin, path });
  });

  it('has the region of the address, and that of the environment when it says none', async () => {
    process.env['AWS_REGION'] = 'eu-north-1';
    const regions = ['s3://releases?region=us-east-1', 's3://releases'].map(
      async (address) => (await resolveS3Signing(parseS3Address(address))).place.region,
    );
    expect(await Promise.all(regions)).toEqual(['us-east-1', 'eu-north-1']);
  });

  it('is that of the environment, where the address names no endpoint', async () => {
    process.env['AWS_ENDPOINT_URL_S3'] = 'https://objects.example.com:9000';
    const [own, named] = await Promise.all(
      ['', '&endpoint=https://other.example.com'].map((endpoint) =>
        resolveS3Signing(parseS3Address(`s3://releases?region=us-east-1&path-style=true${endpoint}`)),
      ),
    );
    expect(own?.place.origin).toBe('https://objects.example.com:9000');
    expect(named?.place.origin).toBe('https://other.example.com');
  });

  it('is signed for the region that S3 checks, also where the region is global', async () => {
    const { place } = await resolveS3Signing(parseS3Address('s3://releases?region=aws-global'));
    expect(place.region).toBe('us-east-1');
  });

  it('is not guessed when nothing says the region', async () => {
    await expect(resolveS3Signing(parseS3Address('s3://releases'))).rejects.toThrow(/region/i);
  });

  it.each([
    ['AWS_USE_FIPS_ENDPOINT', 'https://releases.s3-fips.us-east-1.amazonaws.com'],
    ['AWS_USE_DUALSTACK_ENDPOINT', 'https://releases.s3.dualstack.us-east-1.amazonaws.com'],
  ])('heeds %s, as the rest of the store does', async (name, origin) => {
    process.env[name] = 'true';
    const { place } = await resolveS3Signing(parseS3Address('s3://releases?region=us-east-1'));
    expect(place.origin).toBe(origin);
  });
});

it('signs with the credentials of the standard chain, the session token with them', async () => {
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
    AWS_CREDENTIAL_EXPIRATION: '2999-01-01T00:00:00Z',
  });
  const { provide } = await resolveS3Signing(parseS3Address('s3://releases?region=us-east-1'));
  expect(await provide()).toMatchObject({
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'secret',
    sessionToken: 'token',
    expiration: new Date('2999-01-01T00:00:00Z'),
  });
});

it('signs with the credentials of a role that is assumed anew each time it is asked', async () => {
  const asked: URLSearchParams[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    asked.push(new URLSearchParams(await text(request)));
    response.setHeader('Content-Type', 'text/xml').end(
      `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
        <AccessKeyId>ASIA${asked.length}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>
        <SessionToken>token</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration>
      </Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    );
  };
  const sts = await startLoopbackServer((request, response) => void answer(request, response));
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL_STS: sts.endpoint,
  });
  const role = 'arn:aws:iam::123456789012:role/signer';
  const { provide } = await resolveS3Signing(parseS3Address('s3://releases?region=us-east-1'), role);
  const expiration = new Date('2999-01-01T00:00:00Z');
  expect(await provide()).toMatchObject({ accessKeyId: 'ASIA1', sessionToken: 'token', expiration });
  expect(await provide()).toMatchObject({ accessKeyId: 'ASIA2' });
  expect(asked.map((each) => [each.get('Action'), each.get('RoleArn'), each.get('DurationSeconds')])).toEqual(
    [1, 2].map(() => ['AssumeRole', role, '3600']),
  );
  await sts.dispose();
});
