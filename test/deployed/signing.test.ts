import { randomBytes } from 'node:crypto';
import {
  CreateKeyCommand,
  DisableKeyCommand,
  EnableKeyCommand,
  KMSClient,
  ListAliasesCommand,
  type CreateKeyCommandInput,
} from '@aws-sdk/client-kms';
import { compactVerify, importJWK } from 'jose';
import { openKmsSigner } from '../../generator/signing/kms-signer.js';
import { signDocument, type Signer } from '../../generator/signing/signer.js';
import { thumbprintOf } from '../../schemas/trust/verify-jws.js';
import type { Timestamp } from '../../schemas/types.generated.js';
import { readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import { deployStack } from '../support/aws/deploy-store.js';

/** Number of signatures: about one in 128 has a number shorter than 32 bytes. */
const SIGNATURES = 300;
const ENDPOINT = process.env['CRD_TEST_S3_ENDPOINT'] ?? '';

let client: KMSClient;
let keyId: string;
beforeAll(async () => {
  client = new KMSClient({ endpoint: ENDPOINT });
  const { Service } = await readTemplates();
  const resources = { ...resourcesOf(Service, 'AWS::KMS::Key'), ...resourcesOf(Service, 'AWS::KMS::Alias') };
  const body = JSON.stringify({ Resources: resources })
    .replace(
      /\{"Fn::GetAtt":\["RolesGenerator\w+","Arn"\]\}/g,
      '"arn:aws:iam::123456789012:role/crd-eu-west-1-generator"',
    )
    .replace('alias/crd-release', `alias/crd-${randomBytes(4).toString('hex')}`);
  const ids = await deployStack({
    endpoint: ENDPOINT,
    name: `signing-${randomBytes(6).toString('hex')}`,
    body,
  });
  keyId = [...ids].find(([id]) => id.startsWith('SigningKeysKey'))?.[1] ?? '';
}, 120_000);
afterAll(() => client.destroy());

const timestamp = (sequence: number): Timestamp => ({
  schema: 'timestamp/1',
  site: 'https://data.example.com',
  sequence,
  sha256: 'a'.repeat(64),
  as_of: '2026-08-20T06:15:00Z',
  expires: '2026-08-22T06:15:00Z',
});

async function verifyAll(signer: Signer, count: number): Promise<void> {
  const key = await importJWK({ ...signer.jwk }, 'ES256');
  for (let i = 1; i <= count; i += 1) {
    const text = await signDocument(signer, 'timestamp', timestamp(i));
    const { payload, protectedHeader } = await compactVerify(text, key, { algorithms: ['ES256'] });
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(timestamp(i));
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: signer.kid, typ: 'crd-timestamp+jws' });
  }
}

it('the key of the stack signs documents that jose verifies', async () => {
  const signer = await openKmsSigner(keyId, client);
  expect(signer.kid).toBe(await thumbprintOf(signer.jwk));
  await verifyAll(signer, SIGNATURES);
}, 120_000);

it('the key can be named by its ARN and its alias', async () => {
  const { Aliases = [] } = await client.send(new ListAliasesCommand({ KeyId: keyId }));
  const [{ AliasName = '', AliasArn = '' } = {}] = Aliases;
  const { kid } = await openKmsSigner(keyId, client);
  for (const id of [AliasName, AliasArn, AliasArn.replace(/:alias.*/, `:key/${keyId}`)]) {
    const signer = await openKmsSigner(id, client);
    expect(signer.kid).toBe(kid);
    await verifyAll(signer, 1);
  }
});

it('reports a disabled key as a fault of the configuration, until it is enabled again', async () => {
  const signer = await openKmsSigner(keyId, client);
  await client.send(new DisableKeyCommand({ KeyId: keyId }));
  await expect(signDocument(signer, 'timestamp', timestamp(1))).rejects.toMatchObject({ exit: 'usage' });
  await client.send(new EnableKeyCommand({ KeyId: keyId }));
  await verifyAll(signer, 1);
});

it('reports a key that does not exist as a fault of the configuration', async () => {
  const missing = '00000000-0000-0000-0000-000000000000';
  await expect(openKmsSigner(missing, client)).rejects.toMatchObject({
    exit: 'usage',
    message: expect.stringContaining(`The KMS key ${missing} cannot be used: NotFoundException`),
  });
});

it.each<readonly [string, CreateKeyCommandInput]>([
  ['RSA', { KeySpec: 'RSA_2048', KeyUsage: 'SIGN_VERIFY' }],
  ['another curve', { KeySpec: 'ECC_NIST_P384', KeyUsage: 'SIGN_VERIFY' }],
])('refuses a key for %s', async (_name, input) => {
  const { KeyMetadata } = await client.send(new CreateKeyCommand(input));
  await expect(openKmsSigner(KeyMetadata?.KeyId ?? '', client)).rejects.toMatchObject({ exit: 'usage' });
});

it('reports a KMS that does not answer as unavailable', async () => {
  const down = new KMSClient({ endpoint: 'http://127.0.0.1:9', maxAttempts: 1 });
  await expect(openKmsSigner(keyId, down)).rejects.toMatchObject({ exit: 'store-unavailable' });
  down.destroy();
});
