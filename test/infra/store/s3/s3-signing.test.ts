import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { readS3Address } from '../../../../infra/store/s3/s3-address.js';
import { resolveS3Signing } from '../../../../infra/store/s3/s3-signing.js';
import { createTemporaryFolder } from '../../../support/process/temporary-folder.js';
import { startLoopbackServer } from '../../../support/process/loopback-server.js';

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

describe('the place of a store', () => {
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
  ])('of %s is %s%s', async (address, origin, expected) => {
    const { location } = await resolveS3Signing(readS3Address(address));
    expect(location).toMatchObject({ origin, path: expected });
  });

  it('has the region of the address, or by default that of the environment', async () => {
    process.env['AWS_REGION'] = 'eu-north-1';
    const regions = ['s3://releases?region=us-east-1', 's3://releases'].map(
      async (address) => (await resolveS3Signing(readS3Address(address))).location.region,
    );
    expect(await Promise.all(regions)).toEqual(['us-east-1', 'eu-north-1']);
  });

  it('has the endpoint of the environment if the address does not contain one', async () => {
    process.env['AWS_ENDPOINT_URL_S3'] = 'https://objects.example.com:9000';
    const [own, named] = await Promise.all(
      ['', '&endpoint=https://other.example.com'].map((endpoint) =>
        resolveS3Signing(readS3Address(`s3://releases?region=us-east-1&path-style=true${endpoint}`)),
      ),
    );
    expect(own?.location.origin).toBe('https://objects.example.com:9000');
    expect(named?.location.origin).toBe('https://other.example.com');
  });

  it('has the region that S3 expects in signatures, even if the configured region is global', async () => {
    const { location } = await resolveS3Signing(readS3Address('s3://releases?region=aws-global'));
    expect(location.region).toBe('us-east-1');
  });

  it('is an error if no region is set', async () => {
    await expect(resolveS3Signing(readS3Address('s3://releases'))).rejects.toThrow(/region/i);
  });

  it.each([
    ['AWS_USE_FIPS_ENDPOINT', 'https://releases.s3-fips.us-east-1.amazonaws.com'],
    ['AWS_USE_DUALSTACK_ENDPOINT', 'https://releases.s3.dualstack.us-east-1.amazonaws.com'],
  ])('depends on %s, like the requests of the store', async (name, origin) => {
    process.env[name] = 'true';
    const { location } = await resolveS3Signing(readS3Address('s3://releases?region=us-east-1'));
    expect(location.origin).toBe(origin);
  });
});

it('provides the credentials of the standard chain, including a session token', async () => {
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
    AWS_CREDENTIAL_EXPIRATION: '2999-01-01T00:00:00Z',
  });
  const { getCredentials } = await resolveS3Signing(readS3Address('s3://releases?region=us-east-1'));
  expect(await getCredentials()).toMatchObject({
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'secret',
    sessionToken: 'token',
    expiration: new Date('2999-01-01T00:00:00Z'),
  });
});

it('provides the credentials of the profile that the address names', async () => {
  const folder = await createTemporaryFolder();
  const file = path.join(folder.path, 'credentials');
  const profileOf = (name: string, id: string): string =>
    `[${name}]\naws_access_key_id = ${id}\naws_secret_access_key = secret\n`;
  await writeFile(file, profileOf('default', 'FIRST') + profileOf('copy', 'SECOND'));
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = file;
  const keys = ['', '&profile=copy'].map(async (profile) => {
    const address = readS3Address(`s3://releases?region=us-east-1${profile}`);
    return (await (await resolveS3Signing(address)).getCredentials()).accessKeyId;
  });
  expect(await Promise.all(keys)).toEqual(['FIRST', 'SECOND']);
  await folder.dispose();
});

it('provides new credentials of the role at each call', async () => {
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
  const { getCredentials } = await resolveS3Signing(readS3Address('s3://releases?region=us-east-1'), role);
  const expiration = new Date('2999-01-01T00:00:00Z');
  expect(await getCredentials()).toMatchObject({ accessKeyId: 'ASIA1', sessionToken: 'token', expiration });
  expect(await getCredentials()).toMatchObject({ accessKeyId: 'ASIA2' });
  expect(asked.map((each) => [each.get('Action'), each.get('RoleArn'), each.get('DurationSeconds')])).toEqual(
    [1, 2].map(() => ['AssumeRole', role, '3600']),
  );
  await sts.dispose();
});
