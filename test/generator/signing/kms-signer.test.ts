import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { KMSClient } from '@aws-sdk/client-kms';
import fc from 'fast-check';
import { openKmsSigner, toRawSignature } from '../../../generator/signing/kms-signer.js';
import { signDocument } from '../../../generator/signing/signer.js';
import { sha256Bytes } from '../../../schemas/digest.js';
import { openJws, thumbprintOf, verifySignature } from '../../../schemas/trust/verify-jws.js';
import type { Timestamp } from '../../../schemas/types.generated.js';

const KEY_ID = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const TIMESTAMP: Timestamp = {
  schema: 'timestamp/1',
  site: 'https://data.example.com',
  sequence: 1,
  sha256: 'a'.repeat(64),
  as_of: '2026-08-20T06:15:00Z',
  expires: '2026-08-22T06:15:00Z',
};

type Request = { readonly input: Readonly<Record<string, unknown>> };
type Answer = (input: Request['input'], command: string) => object;

/** Returns a client whose requests are answered by a function. */
function fakeClient(answer: Answer): KMSClient {
  const send = (command: Request): Promise<object> =>
    Promise.resolve().then(() => answer(command.input, command.constructor.name));
  return { send } as unknown as KMSClient; // the signer uses nothing else
}

const spkiOf = (key: KeyObject): Uint8Array => key.export({ format: 'der', type: 'spki' });
const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Answers like KMS: with the public key, or with a signature in DER of a message or its digest. */
const answerLikeKms =
  (sign: (message: Uint8Array) => Uint8Array): Answer =>
  (input, command) =>
    command === 'GetPublicKeyCommand'
      ? { PublicKey: spkiOf(P256.publicKey) }
      : { Signature: sign(input['Message'] as Uint8Array) };

const failWith = (error: Error): KMSClient =>
  fakeClient(() => {
    throw error;
  });
const named = (name: string, message = 'Some text.'): Error => Object.assign(new Error(message), { name });

/** Encodes an integer in DER, in its shortest form. */
function toDerInteger(value: bigint): number[] {
  const hex = value.toString(16);
  const digits = [...Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')];
  const padded = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : digits;
  return [0x02, padded.length, ...padded];
}

function toDer(r: bigint, s: bigint): Uint8Array {
  const integers = [...toDerInteger(r), ...toDerInteger(s)];
  return Uint8Array.from([0x30, integers.length, ...integers]);
}

const integer = () =>
  fc.oneof(fc.bigInt(1n, 2n ** 256n - 1n), fc.bigInt(1n, 300n), fc.bigInt(2n ** 247n, 2n ** 249n));

describe('toRawSignature', () => {
  it('returns r and s, 32 bytes each, for any two numbers', () => {
    fc.assert(
      fc.property(integer(), integer(), (r, s) => {
        const hex = [r, s].map((each) => each.toString(16).padStart(64, '0')).join('');
        expect(Buffer.from(toRawSignature(toDer(r, s))).toString('hex')).toBe(hex);
      }),
    );
  });

  it('refuses a signature that was cut off or continued, at any byte', () => {
    fc.assert(
      fc.property(integer(), integer(), fc.nat(), (r, s, at) => {
        const der = toDer(r, s);
        expect(() => toRawSignature(der.subarray(0, at % der.length))).toThrow(TypeError);
        expect(() => toRawSignature(Uint8Array.from([...der, 0]))).toThrow(TypeError);
      }),
    );
  });

  it('refuses a number of more than 32 bytes, and an empty one', () => {
    expect(() => toRawSignature(toDer(2n ** 256n, 1n))).toThrow('not an ECDSA signature');
    expect(() => toRawSignature(Uint8Array.from([0x30, 5, 0x02, 0, 0x02, 1, 1]))).toThrow(
      'not an ECDSA signature',
    );
  });

  it('throws nothing but TypeError for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        try {
          expect(toRawSignature(bytes)).toHaveLength(64);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
        }
      }),
    );
  });
});

it('signs the digest of the bytes with ECDSA, and only with it', async () => {
  const requests: unknown[] = [];
  const client = fakeClient((input, command) => {
    requests.push(input);
    return answerLikeKms(() => toDer(1n, 2n))(input, command);
  });
  const bytes = new TextEncoder().encode('a'.repeat(5_000));
  const { sign, kid, jwk } = await openKmsSigner(KEY_ID, client);
  expect(await sign(bytes)).toHaveLength(64);
  expect(kid).toBe(await thumbprintOf(jwk));
  expect(requests).toEqual([
    { KeyId: KEY_ID },
    { KeyId: KEY_ID, Message: sha256Bytes(bytes), MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256' },
  ]);
});

it('makes a document that the public key verifies', async () => {
  // The message is known here; KMS gets only its digest.
  let input = new Uint8Array();
  const client = fakeClient(answerLikeKms(() => createSign('sha256').update(input).sign(P256.privateKey)));
  const signer = await openKmsSigner(KEY_ID, client);
  const sign: typeof signer.sign = (bytes) => {
    input = Uint8Array.from(bytes);
    return signer.sign(bytes);
  };
  const text = await signDocument({ ...signer, sign }, 'timestamp', TIMESTAMP);
  const opened = openJws({ text, subject: 'the timestamp' }, 'timestamp');
  await verifySignature(opened, signer.jwk);
  expect(opened.content).toEqual(TIMESTAMP);
});

it('returns no document whose signature is wrong', async () => {
  const signer = await openKmsSigner(KEY_ID, fakeClient(answerLikeKms(() => toDer(1n, 2n))));
  await expect(signDocument(signer, 'timestamp', TIMESTAMP)).rejects.toMatchObject({ code: 'jws-altered' });
});

it.each([
  ['is of another curve', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
  ['is an RSA key', generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ['is an Ed25519 key', generateKeyPairSync('ed25519')],
])('refuses a key that %s', async (_name, { publicKey }) => {
  const client = fakeClient(() => ({ PublicKey: spkiOf(publicKey) }));
  await expect(openKmsSigner(KEY_ID, client)).rejects.toMatchObject({
    exit: 'usage',
    message: `The KMS key ${KEY_ID} does not have the key spec ECC_NIST_P256. Create a key with that spec.`,
  });
});

it.each([
  'AccessDeniedException',
  'NotFoundException',
  'DisabledException',
  'KMSInvalidStateException',
  'InvalidKeyUsageException',
  'UnsupportedOperationException',
  'InvalidArnException',
  'ValidationException',
  'UnrecognizedClientException',
])('%s needs a person', async (name) => {
  await expect(openKmsSigner(KEY_ID, failWith(named(name)))).rejects.toMatchObject({
    exit: 'usage',
    message: `The KMS key ${KEY_ID} cannot be used: ${name}: Some text. Check the id, the region and the permissions.`,
  });
});

it('a missing region needs a person', async () => {
  await expect(openKmsSigner(KEY_ID, failWith(named('Error', 'Region is missing')))).rejects.toMatchObject({
    exit: 'usage',
  });
});

it.each([
  'KMSInternalException',
  'DependencyTimeoutException',
  'KeyUnavailableException',
  'ThrottlingException',
  'TimeoutError',
  'CredentialsProviderError',
  'Error',
])('after %s, another run may succeed', async (name) => {
  await expect(openKmsSigner(KEY_ID, failWith(named(name)))).rejects.toMatchObject({
    exit: 'store-unavailable',
    message: `The KMS key ${KEY_ID} cannot be used: ${name}: Some text. Nothing was signed. Run again.`,
  });
});

it('reports a failure of a signature like one of the key', async () => {
  const error = named('KMSInternalException');
  const client = fakeClient((input, command) => {
    if (command === 'SignCommand') throw error;
    return answerLikeKms(() => toDer(1n, 2n))(input, command);
  });
  const { sign } = await openKmsSigner(KEY_ID, client);
  await expect(sign(new Uint8Array(1))).rejects.toMatchObject({ exit: 'store-unavailable', cause: error });
});
