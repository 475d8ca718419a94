import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { sha256Hex } from '../../schemas/digest.js';
import { bundlePath, dayPath, ENDPOINTS, objectKey, PUBLIC_PATHS } from '../../schemas/paths.js';
import { findBundle, propertiesOf, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import { bucketNames, deployStack } from '../support/aws/deploy-store.js';
import { startIdentityProvider, type IdentityProvider } from '../support/gateway/identity-provider.js';
import {
  startLambda,
  type LambdaAnswer,
  type LambdaProcess,
  type LambdaRequest,
} from '../support/aws/lambda-process.js';
import { resolve } from '../support/aws/policy-simulator.js';
import { createTestBucket, type TestBucket } from '../support/s3/s3-bucket.js';
import { digestOf, prepareServedRelease, type ServedRelease } from '../support/gateway/served-release.js';
import { sign, toStripeEvent } from '../support/stripe/signed-events.js';
import { s3Environment } from '../support/process/staged-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const SLOW_MS = 300_000;
const REGION = 'eu-west-1';
const BUNDLE = bundlePath('gold', 'base', '7d');
const STRIPE = {
  CRD_STRIPE_SECRET_KEY: 'sk_test_0123456789',
  CRD_STRIPE_WEBHOOK_SECRET: `whsec_${'0123456789abcdef'.repeat(3)}`,
};

let folder: TemporaryFolder;
let bucket: TestBucket;
let provider: IdentityProvider;
let release: ServedRelease;
let secrets: SecretsManagerClient;
let bundle: string;
/** Environment of the function from its stack, with the addresses of the test's servers. */
let variables: Readonly<Record<string, string>>;
/** ARNs of the secrets by environment variable. */
let arns: Readonly<Record<string, string>>;
let origin: string;
let lambda: LambdaProcess;
/** Cleanup of everything that was started, in reverse order. */
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  folder = await createTemporaryFolder();
  cleanups.push(() => folder.dispose());
  bucket = await createTestBucket();
  cleanups.push(() => bucket.dispose());
  provider = await startIdentityProvider(() => Date.now());
  cleanups.push(() => provider.dispose());
  const { endpoint, name } = bucket;
  secrets = new SecretsManagerClient({ endpoint, region: REGION });
  cleanups.push(() => secrets.destroy());
  bundle = await findBundle();
  const addressOf = (store: string): string =>
    `s3://${store}?endpoint=${encodeURIComponent(endpoint)}&path-style=true&region=us-east-1`;
  const stores = { store: addressOf(name), accounts: addressOf(bucketNames(name).accounts) };
  release = await prepareServedRelease({
    ...stores,
    folder: path.join(folder.path, 'input'),
    env: s3Environment(),
  });
  const { Service } = await readTemplates();
  const arnsById = await deploySecrets(resourcesOf(Service, 'AWS::SecretsManager::Secret'));
  const jwks = path.join(folder.path, 'jwks.json');
  await writeFile(jwks, JSON.stringify(await provider.jwks()));
  const { Environment } = propertiesOf(Service, 'AWS::Lambda::Function', { FunctionName: 'crd-gateway' });
  const { Variables } = Environment as { Variables: Record<string, unknown> };
  const own = Object.entries(Variables).map(([variable, value]) => [
    variable,
    withArns(resolve(value), arnsById),
  ]);
  variables = {
    ...(Object.fromEntries(own) as Record<string, string>),
    ...s3Environment(),
    AWS_REGION: REGION,
    AWS_ENDPOINT_URL_STS: endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
    CRD_STORE: stores.store,
    CRD_ACCOUNTS_STORE: stores.accounts,
    CRD_KEY_MODE: 'test',
    CRD_JWKS: `file:${jwks}`,
    CRD_JWT_ISSUER: provider.issuer,
  };
  arns = JSON.parse(variables['SECRETS'] ?? '') as Record<string, string>;
}, SLOW_MS);
afterAll(async () => {
  for (const cleanUp of cleanups.reverse()) await cleanUp();
}, SLOW_MS);

/** Deploys the secrets of the stack under other names. */
function deploySecrets(resources: object): Promise<ReadonlyMap<string, string>> {
  const { endpoint, name } = bucket;
  const body = JSON.stringify({ Resources: resources }).replaceAll('"crd/', `"${name}/`);
  return deployStack({ endpoint, region: REGION, name: `${name}-secrets`, body });
}

/** Replaces each `<LogicalId>` in a text with the ARN of that resource. */
function withArns(text: string, arnsById: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /<([A-Za-z0-9]+)>/g,
    (_all, id: string) => arnsById.get(id) ?? `${id} was not created`,
  );
}

const put = (variable: string, text: string): Promise<unknown> =>
  secrets.send(new PutSecretValueCommand({ SecretId: arns[variable], SecretString: text }));

async function textOf(variable: string): Promise<string> {
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: arns[variable] }));
  return SecretString ?? '';
}

async function start(changed: Readonly<Record<string, string>> = {}): Promise<LambdaProcess> {
  const started = await startLambda(bundle, { ...variables, ...changed });
  cleanups.push(() => started.stop());
  return started;
}

/** Sends a request as CloudFront does, with the origin secret by default. */
const sendWithSecret = (
  { headers, ...request }: LambdaRequest,
  secret = origin,
  instance = lambda,
): Promise<LambdaAnswer> => instance.send({ ...request, headers: { ...headers, 'x-origin-secret': secret } });

const keyed = (): Record<string, string> => ({ 'x-api-key': release.key });

it(
  'does not start before the secrets of Stripe are set, and reveals no secret in its error',
  async () => {
    const message = String(await start().catch((error: unknown) => error));
    expect(message).toMatch(/CRD_STRIPE_SECRET_KEY: expected .*CRD_STRIPE_WEBHOOK_SECRET: expected /s);
    for (const variable of Object.keys(arns)) expect(message).not.toContain(await textOf(variable));
  },
  SLOW_MS,
);

it(
  'does not start without a required secret, and names it',
  async () => {
    const unknown = `${arns['CRD_ORIGIN_SECRET'] ?? ''}x`;
    const wrong = start({ SECRETS: JSON.stringify({ ...arns, CRD_ORIGIN_SECRET: unknown }) });
    await expect(wrong).rejects.toThrow(`CRD_ORIGIN_SECRET: cannot read the secret ${unknown}`);
  },
  SLOW_MS,
);

describe('the Lambda function, started with secrets from Secrets Manager', () => {
  beforeAll(async () => {
    for (const [variable, text] of Object.entries(STRIPE)) await put(variable, text);
    origin = await textOf('CRD_ORIGIN_SECRET');
    lambda = await start();
  }, SLOW_MS);

  it('answers only requests with the secret that the stack generated for CloudFront', async () => {
    expect(origin).toMatch(/^[A-Za-z0-9]{48}$/);
    const request = { path: BUNDLE };
    expect(await sendWithSecret(request)).toMatchObject({ status: 401 }); // the gateway asks for a key
    expect(await sendWithSecret(request, `${origin}x`)).toMatchObject({ status: 403, body: '' });
    expect(await lambda.send(request)).toMatchObject({ status: 403, body: '' });
  });

  it.each([BUNDLE, dayPath('meta', 'base', '2025-01-09')])(
    'redirects %s to a URL of the signer, with the bytes of the named digest',
    async (file) => {
      const { status, headers } = await sendWithSecret({ path: file, headers: keyed() });
      const sha256 = await digestOf(release, file);
      expect([status, headers['x-content-sha256']]).toEqual([307, sha256]);
      const url = new URL(headers['location'] ?? '');
      expect(url.pathname).toBe(`/${bucket.name}/${objectKey(sha256)}`);
      expect(url.searchParams.get('X-Amz-Credential')).not.toMatch(/^test\//); // the function's own key
      expect(url.searchParams.get('X-Amz-Security-Token')).toMatch(/.{20}/);
      const response = await fetch(url);
      expect([response.status, sha256Hex(new Uint8Array(await response.arrayBuffer()))]).toEqual([
        200,
        sha256,
      ]);
      const { body } = await sendWithSecret({ path: file, query: 'redirect=false', headers: keyed() });
      expect(JSON.parse(body)).toMatchObject({ sha256, url: expect.stringContaining(url.pathname) });
    },
  );

  it('serves a public file itself, and answers 304 if it is unchanged', async () => {
    const file = PUBLIC_PATHS.status;
    const { status, headers, body } = await sendWithSecret({ path: file });
    const sha256 = await digestOf(release, file);
    expect([status, sha256Hex(Buffer.from(body))]).toEqual([200, sha256]);
    expect(headers).not.toHaveProperty('location');
    const again = await sendWithSecret({ path: file, headers: { 'if-none-match': headers['etag'] ?? '' } });
    expect([again.status, again.body]).toEqual([304, '']);
  });

  it('creates an API key for a session, and revokes it', async () => {
    const token = await provider.sign({ account: 'a-reader' });
    const session = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request = { method: 'POST', path: ENDPOINTS.keys, headers: session, body: '{"label":"one"}' };
    const created = await sendWithSecret(request);
    expect(created.status).toBe(201);
    const { key, id } = JSON.parse(created.body) as { key: string; id: string };
    const opened = { path: BUNDLE, headers: { 'x-api-key': key } };
    expect((await sendWithSecret(opened)).status).toBe(307);
    const revoked = await sendWithSecret({
      method: 'DELETE',
      path: ENDPOINTS.keys,
      query: `id=${id}`,
      headers: session,
    });
    expect(revoked.status).toBe(200);
    const another = await start(); // which has no cached key
    expect((await sendWithSecret(opened, origin, another)).status).toBe(401);
    expect(lambda.log().join('\n')).not.toContain(key);
  });

  it("accepts only events that are signed with the webhook's secret", async () => {
    const event = {
      id: 'evt_1',
      type: 'customer.created',
      isLive: false,
      customer: null,
      charge: null,
      account: null,
    };
    const body = JSON.stringify(toStripeEvent(event));
    const post = (secret: string): Promise<LambdaAnswer> =>
      sendWithSecret({
        method: 'POST',
        path: ENDPOINTS.webhook,
        headers: { 'stripe-signature': sign(body, { nowMs: Date.now(), secret }) },
        body,
      });
    expect(await post(STRIPE.CRD_STRIPE_WEBHOOK_SECRET)).toMatchObject({ status: 200 });
    expect(await post(`${STRIPE.CRD_STRIPE_WEBHOOK_SECRET}0`)).toMatchObject({ status: 400 });
  });

  it(
    'accepts the previous secret of the origin during a rotation, and no older one',
    async () => {
      const statusOf = async (instance: LambdaProcess, values: readonly string[]): Promise<number[]> => {
        const answers = await Promise.all(
          values.map((value) => sendWithSecret({ path: BUNDLE }, value, instance)),
        );
        return answers.map(({ status }) => status);
      };
      const texts = [origin, 'the-second-secret-of-32-or-more-bytes', 'the-third-secret-of-32-or-more-bytes'];
      await put('CRD_ORIGIN_SECRET', texts[1] ?? '');
      const second = await start();
      expect(await statusOf(second, texts)).toEqual([401, 401, 403]);
      expect(await statusOf(lambda, texts)).toEqual([401, 403, 403]);
      await put('CRD_ORIGIN_SECRET', texts[2] ?? '');
      const third = await start();
      expect(await statusOf(third, texts)).toEqual([403, 401, 401]);
    },
    SLOW_MS,
  );
});
