import { openFileSigner } from '../../../generator/signing/open-signer.js';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { signDocument, type Signer } from '../../../generator/signing/signer.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { KeySet } from '../../../schemas/types.generated.js';
import { toBuildStatement } from '../../../scripts/provenance/build-statement.js';
import { sealStatement } from '../../../scripts/provenance/dsse.js';
import { verifyProvenance } from '../../../scripts/provenance/verify-provenance.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const SITE = 'https://data.example.com';
const NOW_MS = Date.parse('2026-06-01T00:00:00Z');
const COMMIT = 'a1'.repeat(20);
const OUTPUTS = { 'crd-1.whl': 'wheel', 'gateway-lambda/handler.mjs': 'handler' };
const SPAN = { valid_from: '2026-01-01T00:00:00Z', valid_until: '2027-01-01T00:00:00Z' };

let folder: TemporaryFolder;
let root: Signer;
let key: Signer;
const at = (name: string): string => path.join(folder.path, name);

async function createSigner(): Promise<Signer> {
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeFile(at('key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return openFileSigner(at('key.pem'));
}

/** Writes the outputs, their provenance and the key set. */
async function writeBuild(outputs: Readonly<Record<string, string>> = OUTPUTS): Promise<void> {
  await mkdir(at('gateway-lambda'));
  for (const [name, text] of Object.entries(OUTPUTS)) await writeFile(at(name), text);
  const digests = Object.entries(outputs).map(([name, text]) => [name, sha256Hex(text)] as const);
  const statement = toBuildStatement(new Map(digests), {
    build: { version: '1.2.3', commit: COMMIT, lockfile_sha256: 'b2'.repeat(32) },
    awsLockSha256: 'c3'.repeat(32),
    builder: 'https://builder.example.com',
  });
  await writeFile(at('provenance.dsse.json'), await sealStatement(statement, key));
  const keySet: KeySet = {
    schema: 'key-set/1',
    site: SITE,
    version: 1,
    signed_from_sequence: 1,
    root: root.jwk,
    issued_at: '2026-01-01T00:00:00Z',
    expires: '2027-01-01T00:00:00Z',
    keys: [{ kid: key.kid, jwk: key.jwk, ...SPAN, revoked: null }],
  };
  await writeFile(at('keys.jws'), `${await signDocument(root, 'key-set', keySet)}\n`);
}

const verify = (anchor = { site: SITE, root: root.kid }): ReturnType<typeof verifyProvenance> =>
  verifyProvenance(at('provenance.dsse.json'), { anchor, keys: at('keys.jws'), nowMs: NOW_MS });

beforeEach(async () => {
  folder = await createTemporaryFolder();
  [root, key] = [await createSigner(), await createSigner()];
});
afterEach(() => folder.dispose());

it('verifies a provenance from the root key to the bytes of each file', async () => {
  await writeBuild();
  const { statement, kid } = await verify();
  expect(kid).toBe(key.kid);
  expect(statement.predicate.buildDefinition.externalParameters).toEqual({ commit: COMMIT });
  expect(statement.subject.map(({ name }) => name)).toEqual(Object.keys(OUTPUTS));
});

it('refuses a key set of another root key or site', async () => {
  await writeBuild();
  await expect(verify({ site: SITE, root: key.kid })).rejects.toMatchObject({ code: 'root-untrusted' });
  await expect(verify({ site: 'https://other.example', root: root.kid })).rejects.toMatchObject({
    code: 'site-wrong',
  });
});

it('names every file that was altered, removed or added', async () => {
  await writeBuild();
  await writeFile(at('crd-1.whl'), 'another wheel');
  await rm(at('gateway-lambda/handler.mjs'));
  await writeFile(at('gateway-lambda/extra.mjs'), '');
  await expect(verify()).rejects.toThrow(
    /^crd-1\.whl has other bytes .*\ngateway-lambda\/handler\.mjs cannot be read: .*\ngateway-lambda\/extra\.mjs is not in/,
  );
});

it.each([
  ['a file above its folder', { ...OUTPUTS, '../key': '' }, '../key is outside the folder'],
  ['no files', {}, 'the provenance lists no files'],
])('refuses a provenance of %s', async (_what, outputs, message) => {
  await writeBuild(outputs);
  await expect(verify()).rejects.toThrow(message);
});
