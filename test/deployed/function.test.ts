import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { sha256Hex } from '../../schemas/digest.js';
import { bundlePath, dayPath, objectKey, PUBLIC_PATHS } from '../../schemas/paths.js';
import { findBundle, propertiesOf, readTemplates, resourcesOf, synthesize } from '../fixtures/aws-synth.js';
import { bucketNames, deployStack } from '../fixtures/deploy-store.js';
import { startIdentityProvider, type IdentityProvider } from '../fixtures/identity-provider.js';
import {
  startLambda,
  type LambdaAnswer,
  type LambdaProcess,
  type LambdaRequest,
} from '../fixtures/lambda-process.js';
import { resolve } from '../fixtures/policy-simulator.js';
import { createTestBucket, type TestBucket } from '../fixtures/s3-bucket.js';
import { digestOf, prepareServedRelease, type ServedRelease } from '../fixtures/served-release.js';
import { sign, toStripeEvent } from '../fixtures/signed-events.js';
import { s3Environment } from '../fixtures/staged-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

const SLOW_MS = 180_000;
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
/** The variables of the function, as its stack has them, but for where the servers of the test are. */
let variables: Readonly<Record<string, string>>;
/** The ARNs of the secrets, by the variable that wants each. */
let arns: Readonly<Record<string, string>>;
let origin: string;
let lambda: LambdaProcess;
/** How to end what was begun, the last first: what was not begun need not be ended. */
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  folder = await createTemporaryFolder();
  ending.push(() => folder.dispose());
  bucket = await createTestBucket();
  ending.push(() => bucket.dispose());
  provider = await startIdentityProvider(() => Date.now());
  ending.push(() => provider.dispose());
  const { endpoint, name } = bucket;
  secrets = new SecretsManagerClient({ endpoint, region: REGION });
  ending.push(() => secrets.destroy());
  const out = path.join(folder.path, 'cdk.out');
  expect(await synthesize(out)).toMatchObject({ code: 0 });
  bundle = await findBundle(out);
  const addressOf = (store: string): string =>
    `s3://${store}?endpoint=${encodeURIComponent(endpoint)}&path-style=true&region=us-east-1`;
  const stores = { store: addressOf(name), accounts: addressOf(bucketNames(name).accounts) };
  release = await prepareServedRelease({
    ...stores,
    folder: path.join(folder.path, 'input'),
    env: s3Environment(),
  });
  const { Service } = await readTemplates(out);
  const made = await deploySecrets(resourcesOf(Service, 'AWS::SecretsManager::Secret'));
  const jwks = path.join(folder.path, 'jwks.json');
  await writeFile(jwks, JSON.stringify(await provider.jwks()));
  const { Environment } = propertiesOf(Service, 'AWS::Lambda::Function', { FunctionName: 'crd-gateway' });
  const { Variables } = Environment as { Variables: Record<string, unknown> };
  const own = Object.entries(Variables).map(([variable, value]) => [
    variable,
    withArns(resolve(value), made),
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
  for (const end of ending.reverse()) await end();
}, SLOW_MS);

/** Deploys the secrets of the stack under names of this test. */
function deploySecrets(resources: object): Promise<ReadonlyMap<string, string>> {
  const { endpoint, name } = bucket;
  const body = JSON.stringify({ Resources: resources }).replaceAll('"crd/', `"${name}/`);
  return deployStack({ endpoint, region: REGION, name: `${name}-secrets`, body });
}

/** A text of the template with the ARNs of what was made. */
function withArns(text: string, made: ReadonlyMap<string, string>): string {
  return text.replaceAll(/<([A-Za-z0-9]+)>/g, (_all, id: string) => made.get(id) ?? `${id} was not made`);
}

const put = (variable: string, text: string): Promise<unknown> =>
  secrets.send(new PutSecretValueCommand({ SecretId: arns[variable], SecretString: text }));

async function textOf(variable: string): Promise<string> {
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: arns[variable] }));
  return SecretString ?? '';
}

async function start(changed: Readonly<Record<string, string>> = {}): Promise<LambdaProcess> {
  const started = await startLambda(bundle, { ...variables, ...changed });
  ending.push(() => started.stop());
  return started;
}

/** Asks as CloudFront does. */
const ask = ({ headers, ...request }: LambdaRequest, said = origin, asked = lambda): Promise<LambdaAnswer> =>
  asked.ask({ ...request, headers: { ...headers, 'x-origin-secret': said } });

const keyed = (): Record<string, string> => ({ 'x-api-key': release.key });

it(
  'does not start before the texts of Stripe were put, and tells those that there are to nobody',
  async () => {
    const said = String(await start().catch((error: unknown) => error));
    expect(said).toMatch(/CRD_STRIPE_SECRET_KEY: expected .*CRD_STRIPE_WEBHOOK_SECRET: expected /s);
    for (const variable of Object.keys(arns)) expect(said).not.toContain(await textOf(variable));
  },
  SLOW_MS,
);

it(
  'does not start without a secret that it needs, and says which',
  async () => {
    const gone = `${arns['ORIGIN_SECRET'] ?? ''}x`;
    const wrong = start({ SECRETS: JSON.stringify({ ...arns, ORIGIN_SECRET: gone }) });
    await expect(wrong).rejects.toThrow(`ORIGIN_SECRET: the secret ${gone} cannot be read`);
  },
  SLOW_MS,
);

describe('started with the texts of Secrets Manager', () => {
  beforeAll(async () => {
    for (const [variable, text] of Object.entries(STRIPE)) await put(variable, text);
    origin = await textOf('ORIGIN_SECRET');
    lambda = await start();
  }, SLOW_MS);

  it('answers CloudFront, and nobody who does not know the text that the stack made for it', async () => {
    expect(origin).toMatch(/^[A-Za-z0-9]{48}$/);
    const request = { path: BUNDLE };
    expect(await ask(request)).toMatchObject({ status: 401 });
    expect(await ask(request, `${origin}x`)).toMatchObject({ status: 403, body: '' });
    expect(await lambda.ask(request)).toMatchObject({ status: 403, body: '' });
  });

  it.each([BUNDLE, dayPath('meta', 'base', '2025-01-09')])(
    'leads to %s by a URL of the signer, whose bytes are those that it names',
    async (file) => {
      const { status, headers } = await ask({ path: file, headers: keyed() });
      const sha256 = await digestOf(release, file);
      expect([status, headers['x-content-sha256']]).toEqual([307, sha256]);
      const url = new URL(headers['location'] ?? '');
      expect(url.pathname).toBe(`/${bucket.name}/${objectKey(sha256)}`);
      expect(url.searchParams.get('X-Amz-Credential')).not.toMatch(/^test\//);
      expect(url.searchParams.get('X-Amz-Security-Token')).toMatch(/.{20}/);
      const response = await fetch(url);
      expect([response.status, sha256Hex(new Uint8Array(await response.arrayBuffer()))]).toEqual([
        200,
        sha256,
      ]);
      const { body } = await ask({ path: file, query: 'redirect=false', headers: keyed() });
      expect(JSON.parse(body)).toMatchObject({ sha256, url: expect.stringContaining(url.pathname) });
    },
  );

  it('answers itself for a public file that the bucket lacked, and once more only when it is another', async () => {
    const file = PUBLIC_PATHS.status;
    const { status, headers, body } = await ask({ path: file });
    const sha256 = await digestOf(release, file);
    expect([status, sha256Hex(Buffer.from(body))]).toEqual([200, sha256]);
    expect(headers).not.toHaveProperty('location');
    const again = await ask({ path: file, headers: { 'if-none-match': headers['etag'] ?? '' } });
    expect([again.status, again.body]).toEqual([304, '']);
  });

  it('makes a key for a session, which opens files, and revokes it', async () => {
    const token = await provider.sign({ account: 'a-reader' });
    const session = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request = { method: 'POST', path: '/api/v1/keys', headers: session, body: '{"label":"one"}' };
    const made = await ask(request);
    expect(made.status).toBe(201);
    const { key, id } = JSON.parse(made.body) as { key: string; id: string };
    const opened = { path: BUNDLE, headers: { 'x-api-key': key } };
    expect((await ask(opened)).status).toBe(307);
    const gone = await ask({ method: 'DELETE', path: '/api/v1/keys', query: `id=${id}`, headers: session });
    expect(gone.status).toBe(200);
    const another = await start(); // which has not kept the key for half a minute
    expect((await ask(opened, origin, another)).status).toBe(401);
    expect(lambda.log().join('\n')).not.toContain(key);
  });

  it("takes an event by the webhook's text, and none that is signed with another", async () => {
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
      ask({
        method: 'POST',
        path: '/api/v1/stripe/webhook',
        headers: { 'stripe-signature': sign(body, { nowMs: Date.now(), secret }) },
        body,
      });
    expect(await post(STRIPE.CRD_STRIPE_WEBHOOK_SECRET)).toMatchObject({ status: 200 });
    expect(await post(`${STRIPE.CRD_STRIPE_WEBHOOK_SECRET}0`)).toMatchObject({ status: 400 });
  });

  it(
    'takes the text of the origin before too while it is changed, and no older one',
    async () => {
      const statusOf = async (asked: LambdaProcess, texts: readonly string[]): Promise<number[]> => {
        const answers = await Promise.all(texts.map((text) => ask({ path: BUNDLE }, text, asked)));
        return answers.map(({ status }) => status);
      };
      const texts = [origin, 'the-second-text', 'the-third-text'];
      await put('ORIGIN_SECRET', texts[1] ?? '');
      const second = await start();
      expect(await statusOf(second, texts)).toEqual([401, 401, 403]);
      expect(await statusOf(lambda, texts)).toEqual([401, 403, 403]);
      await put('ORIGIN_SECRET', texts[2] ?? '');
      const third = await start();
      expect(await statusOf(third, texts)).toEqual([403, 401, 401]);
    },
    SLOW_MS,
  );
});
