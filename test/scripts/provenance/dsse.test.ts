import { openFileSigner } from '../../../generator/signing/open-signer.js';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Signer } from '../../../generator/signing/signer.js';
import type { KeySet } from '../../../schemas/types.generated.js';
import {
  encodeForSigning,
  openEnvelope,
  sealStatement,
  type Envelope,
} from '../../../scripts/provenance/dsse.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const NOW_MS = Date.parse('2026-06-01T00:00:00Z');
const STATEMENT = { name: 'größer', list: [1, 2] };

let folder: TemporaryFolder;
let ed25519: Signer;
let p256: Signer;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  const open = async (pem: string | Buffer): Promise<Signer> => {
    const file = path.join(folder.path, 'key.pem');
    await writeFile(file, pem);
    return openFileSigner(file);
  };
  const form = { type: 'pkcs8', format: 'pem' } as const;
  ed25519 = await open(generateKeyPairSync('ed25519').privateKey.export(form));
  p256 = await open(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(form));
});
afterAll(() => folder.dispose());

/** Returns a key set that lists keys, as it is after its own signature was verified. */
function listing(signers: readonly Signer[], change: Partial<KeySet['keys'][number]> = {}): KeySet {
  const [first] = signers;
  if (first === undefined) throw new TypeError('no key');
  return {
    schema: 'key-set/1',
    site: 'https://data.example.com',
    version: 1,
    signed_from_sequence: 1,
    issued_at: '2026-01-01T00:00:00Z',
    expires: '2027-01-01T00:00:00Z',
    root: first.jwk,
    keys: signers.map(({ kid, jwk }) => ({
      kid,
      jwk,
      valid_from: '2026-01-01T00:00:00Z',
      valid_until: '2027-01-01T00:00:00Z',
      revoked: null,
      ...change,
    })),
  };
}

const open = (text: string, keySet: KeySet): ReturnType<typeof openEnvelope> =>
  openEnvelope(text, keySet, { subject: 'provenance', nowMs: NOW_MS });

it('encodes what is signed as in the example of the DSSE protocol, with lengths in bytes', () => {
  const encode = (type: string, text: string): string =>
    Buffer.from(encodeForSigning(type, Buffer.from(text))).toString();
  expect(encode('http://example.com/HelloWorld', 'hello world')).toBe(
    'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
  );
  expect(encode('é', 'ü')).toBe('DSSEv1 2 é 2 ü');
});

it.each(['Ed25519', 'P-256'])(
  'seals a statement with %s so that another implementation verifies it',
  async (curve) => {
    const signer = curve === 'P-256' ? p256 : ed25519;
    const { payloadType, payload, signatures } = JSON.parse(
      await sealStatement(STATEMENT, signer),
    ) as Envelope;
    const body = Buffer.from(payload, 'base64');
    expect(JSON.parse(body.toString())).toEqual(STATEMENT);
    expect([payloadType, signatures.map(({ keyid }) => keyid)]).toEqual([
      'application/vnd.in-toto+json',
      [signer.kid],
    ]);
    const signed = Buffer.concat([
      Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${body.length} `),
      body,
    ]);
    const key = createPublicKey({ key: { ...signer.jwk }, format: 'jwk' });
    const sig = Buffer.from(signatures[0]?.sig ?? '', 'base64');
    const isRight =
      curve === 'P-256'
        ? verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, sig)
        : verify(null, signed, key, sig);
    expect(isRight).toBe(true);
    expect(await open(await sealStatement(STATEMENT, signer), listing([ed25519, p256]))).toEqual({
      statement: STATEMENT,
      kid: signer.kid,
    });
  },
);

it('seals the same statement with Ed25519 into the same bytes', async () => {
  expect(await sealStatement(STATEMENT, ed25519)).toBe(await sealStatement(STATEMENT, ed25519));
});

it('does not seal with a key that makes wrong signatures', async () => {
  const broken: Signer = { ...ed25519, sign: () => Promise.resolve(new Uint8Array(64)) };
  await expect(sealStatement(STATEMENT, broken)).rejects.toThrow('has made a wrong signature');
});

it.each<[string, (envelope: Envelope) => unknown, string]>([
  [
    'an altered payload',
    (envelope) => ({ ...envelope, payload: Buffer.from('{}').toString('base64') }),
    'jws-altered',
  ],
  [
    'an altered signature',
    ({ signatures, ...rest }) => ({
      ...rest,
      signatures: signatures.map((each) => ({ ...each, sig: Buffer.alloc(64).toString('base64') })),
    }),
    'jws-altered',
  ],
  ['another type', (envelope) => ({ ...envelope, payloadType: 'text/plain' }), 'jws-kind'],
  ['no signature', (envelope) => ({ ...envelope, signatures: [] }), 'jws-malformed'],
  [
    'two signatures',
    ({ signatures, ...rest }) => ({ ...rest, signatures: [...signatures, ...signatures] }),
    'jws-malformed',
  ],
  ['a payload that is not Base64', (envelope) => ({ ...envelope, payload: '{}' }), 'jws-malformed'],
  ['an array', () => [], 'jws-malformed'],
  ['null', () => null, 'jws-malformed'],
])('refuses an envelope with %s', async (_what, change, code) => {
  const envelope = JSON.parse(await sealStatement(STATEMENT, ed25519)) as Envelope;
  await expect(open(JSON.stringify(change(envelope)), listing([ed25519]))).rejects.toMatchObject({ code });
});

it('refuses an envelope that is cut off', async () => {
  const text = await sealStatement(STATEMENT, ed25519);
  await expect(open(text.slice(0, -20), listing([ed25519]))).rejects.toMatchObject({ code: 'jws-malformed' });
});

it('refuses a key that is unknown, revoked, expired, or listed under the id of another', async () => {
  const text = await sealStatement(STATEMENT, ed25519);
  const revoked = { at: '2026-05-01T00:00:00Z', reason: 'stolen' };
  const refused = [
    [listing([p256]), 'key-unknown'],
    [listing([ed25519], { revoked }), 'key-revoked'],
    [listing([ed25519], { valid_until: '2026-05-01T00:00:00Z' }), 'key-expired'],
    [listing([p256], { kid: ed25519.kid }), 'key-unknown'],
  ] as const;
  for (const [keySet, code] of refused) await expect(open(text, keySet)).rejects.toMatchObject({ code });
});
