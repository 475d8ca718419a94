import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CloudWatchLogsClient, CreateLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { formatFindings, type Finding } from '../../infra/aws/preflight/finding.js';
import { checkDeployment } from '../../infra/aws/preflight/preflight.js';
import type { Parameters } from '../../infra/aws/settings/parameters.js';
import { EXAMPLE_PARAMETERS } from '../support/aws/aws-synth.js';
import { deployStack } from '../support/aws/deploy-store.js';
import { startLoopbackServer } from '../support/process/loopback-server.js';

const ENDPOINT = process.env['CRD_TEST_S3_ENDPOINT'] ?? '';
const REGION = 'us-east-1'; // of the stacks that the tests deploy
const ID = randomBytes(4).toString('hex');
const HOST = 'data.example.com';

/** Parameters of a deployment that LocalStack is ready for. */
let ready: Parameters;
beforeAll(async () => {
  const example = JSON.parse(await readFile(EXAMPLE_PARAMETERS, 'utf8')) as Parameters;
  const resources = {
    Bootstrap: {
      Type: 'AWS::SSM::Parameter',
      Properties: { Name: '/cdk-bootstrap/hnb659fds/version', Type: 'String', Value: '29' },
    },
    Certificate: {
      Type: 'AWS::CertificateManager::Certificate',
      Properties: { DomainName: `*.example.com` },
    },
  };
  const body = JSON.stringify({ Resources: resources });
  const ids = await deployStack({ endpoint: ENDPOINT, name: `preflight-${ID}`, body });
  ready = {
    ...example,
    name: `crd-${ID}`,
    account: '000000000000',
    region: REGION,
    buckets: { published: `published-${ID}`, accounts: `accounts-${ID}`, logs: `logs-${ID}` },
    input: { bucket: `input-${ID}`, prefix: '', existing: true },
    zones: ['us-east-1a', 'us-east-1b'],
    baseImage: `example.com/node@sha256:${'1'.repeat(64)}`,
    backup: {
      region: 'us-west-2',
      bucket: `copy-${ID}`,
      accounts: `copy-accounts-${ID}`,
      logs: `copy-logs-${ID}`,
    },
    certificateArn: ids.get('Certificate') ?? '',
  };
  const s3 = new S3Client({ endpoint: ENDPOINT, region: REGION, forcePathStyle: true });
  for (const Bucket of [ready.input.bucket, `plain-${ID}`])
    await s3.send(new CreateBucketCommand({ Bucket }));
  s3.destroy();
}, 120_000);

const check = (parameters: Partial<Parameters>, endpoint = ENDPOINT): Promise<Finding[]> =>
  checkDeployment(
    { ...ready, ...parameters },
    { endpoint, resolveAlias: () => Promise.resolve(['d111111abcdef8.cloudfront.net']) },
  );

async function findingOf(subject: string, parameters: Partial<Parameters>): Promise<Finding | undefined> {
  return (await check(parameters)).find((finding) => finding.subject === subject);
}

it('passes what the account is ready for', async () => {
  const findings = await check({});
  const faults = findings.filter(({ state }) => state === 'fault');
  const regions = ['us-west-2', 'us-east-2']; // only us-east-1 is bootstrapped
  expect(faults.map(({ subject }) => subject)).toEqual(regions.map((region) => `bootstrap ${region}`));
  const passed = findings.filter(({ state }) => state === 'ok').map(({ subject }) => subject);
  expect(passed).toEqual([
    'credentials',
    `bootstrap ${REGION}`,
    'zones',
    'functions',
    'buckets.published',
    'buckets.accounts',
    'buckets.logs',
    'backup.bucket',
    'backup.accounts',
    'backup.logs',
    'input.bucket',
    'secret',
    'secret',
    'secret',
    'log',
    'log',
    'log',
    'log',
    'log',
    'certificate',
    'host',
    'image',
  ]);
});

it.each<[what: string, subject: string, parameters: () => Partial<Parameters>, remedy: RegExp]>([
  ['another account', 'credentials', () => ({ account: '123456789012' }), /"account"/],
  [
    'a region without bootstrap',
    'bootstrap eu-west-1',
    () => ({ region: 'eu-west-1' }),
    /npx cdk bootstrap aws:\/\/000000000000\/eu-west-1/,
  ],
  [
    'no input',
    'input.bucket',
    () => ({ input: { bucket: `none-${ID}`, prefix: '', existing: true } }),
    /"input"/,
  ],
  ['a zone of another region', 'zones', () => ({ zones: ['us-east-1a', 'eu-west-1a'] }), /two of us-east-1a/],
  [
    'the image of the example',
    'image',
    () => ({ baseImage: `node@sha256:${'0'.repeat(64)}` }),
    /imagetools inspect node:24-slim/,
  ],
  [
    'a domain of the API that its certificate is not for',
    'certificate of apiDomain',
    () => ({ apiDomain: { host: 'api.example.org', certificateArn: ready.certificateArn } }),
    /Request one for api\.example\.org in us-east-1/,
  ],
  [
    'a host that the certificate is not for',
    'certificate',
    () => ({ host: 'data.example.org' }),
    /us-east-1/,
  ],
])('finds %s, and says what to do', async (_what, subject, parameters, remedy) => {
  expect(await findingOf(subject, parameters())).toMatchObject({
    state: 'fault',
    remedy: expect.stringMatching(remedy) as string,
  });
});

it('finds a bucket, a secret and logs that belong to no stack, and passes those of its stacks', async () => {
  const [name, owner] = [`crd-left-${ID}`, `crd-own-${ID}`];
  const settings = { endpoint: ENDPOINT, region: REGION };
  const secrets = new SecretsManagerClient(settings);
  const SecretId = `${name}/origin-${REGION}`;
  await secrets.send(new CreateSecretCommand({ Name: SecretId, SecretString: 'left' }));
  await secrets.send(new DeleteSecretCommand({ SecretId, RecoveryWindowInDays: 7 })); // its name stays taken
  const logs = new CloudWatchLogsClient(settings);
  const left = [`/${name}/tasks`, `/aws/events/${name}/signatures`];
  for (const logGroupName of left) await logs.send(new CreateLogGroupCommand({ logGroupName }));
  const faults = (await check({ name, buckets: { ...ready.buckets, published: `plain-${ID}` } })).filter(
    ({ state, subject }) => state === 'fault' && !subject.startsWith('bootstrap'),
  );
  expect(faults.map(({ subject, text }) => [subject, text.split(' ')[0]])).toEqual([
    ['buckets.published', `plain-${ID}`],
    ['secret', SecretId],
    ...left.map((log) => ['log', log]),
  ]);
  expect(faults.map(({ remedy }) => remedy?.includes(`--region ${REGION}`))).toEqual([
    false,
    true,
    true,
    true,
  ]);

  const resource = (Type: string, Properties: object): object => ({ Type: `AWS::${Type}`, Properties });
  const own = { bucket: `own-${ID}`, secret: `${owner}/origin-${REGION}`, log: `/${owner}/tasks` };
  await deployStack({
    endpoint: ENDPOINT,
    name: `${owner}-service`,
    body: JSON.stringify({
      Resources: {
        Secret: resource('SecretsManager::Secret', { Name: own.secret, SecretString: 'own' }),
        Log: resource('Logs::LogGroup', { LogGroupName: own.log }),
      },
    }),
  });
  await deployStack({
    endpoint: ENDPOINT,
    name: `${owner}-store`,
    body: JSON.stringify({ Resources: { Bucket: resource('S3::Bucket', { BucketName: own.bucket }) } }),
  });
  const passed = await check({ name: owner, buckets: { ...ready.buckets, published: own.bucket } });
  for (const text of Object.values(own))
    expect(passed).toContainEqual(
      expect.objectContaining({ state: 'ok', text: `${text} belongs to the deployment` }),
    );
});

it('notes a host that leads nowhere yet', async () => {
  const missing = Object.assign(new Error('queryCname ENOTFOUND'), { code: 'ENOTFOUND' });
  const findings = await checkDeployment(ready, {
    endpoint: ENDPOINT,
    resolveAlias: () => Promise.reject(missing),
  });
  expect(findings).toContainEqual(
    expect.objectContaining({
      state: 'note',
      subject: 'host',
      remedy: expect.stringContaining(HOST) as string,
    }),
  );
});

it('takes what it may not read for a fault, never for success', async () => {
  const server = await startLoopbackServer((_request, response) => {
    response.writeHead(403, { 'content-type': 'application/json' }).end('{"__type":"AccessDenied"}');
  });
  try {
    const findings = await check({}, server.endpoint);
    expect(findings.filter(({ state }) => state === 'ok').map(({ subject }) => subject)).toEqual([
      'host',
      'image',
    ]);
    expect(formatFindings(findings)).toContain(
      'belongs to somebody else, or these credentials may not read it',
    );
  } finally {
    await server.dispose();
  }
}, 300_000);
