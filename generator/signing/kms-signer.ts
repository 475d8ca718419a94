import { createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { isRegionInvalid } from '../../infra/store/s3/s3-errors.js';
import { sha256Bytes } from '../../schemas/digest.js';
import { thumbprintOf } from '../../schemas/trust/verify-jws.js';
import type { PublicKey } from '../../schemas/types.generated.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import type { Signer } from './signer.js';

/** Failures of KMS that another try does not change: the key, its use or the permission is wrong. */
const FINAL =
  /^(NotFound|Disabled|InvalidArn|InvalidKeyUsage|AccessDenied|UnrecognizedClient|UnsupportedOperation|KMSInvalidState|Validation)/;

/** Without time limits, a run would wait for minutes for a service that does not answer. */
const TIME_LIMITS = { connectionTimeout: 3_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

/**
 * Opens a key of AWS KMS: ECC_NIST_P256 for SIGN_VERIFY. The private key never leaves KMS.
 * @throws GeneratorError 'usage' for a key that cannot sign, 'store-unavailable' if KMS does not answer
 */
export async function openKmsSigner(
  keyId: string,
  client = new KMSClient({ requestHandler: TIME_LIMITS }),
): Promise<Signer> {
  const { PublicKey: spki } = await ask(keyId, () => client.send(new GetPublicKeyCommand({ KeyId: keyId })));
  const jwk = toPublicKey(spki, keyId);
  return {
    jwk,
    kid: await thumbprintOf(jwk),
    async sign(bytes) {
      const command = new SignCommand({
        KeyId: keyId,
        Message: sha256Bytes(bytes),
        MessageType: 'DIGEST', // a message itself may have at most 4,096 bytes
        SigningAlgorithm: 'ECDSA_SHA_256',
      });
      const { Signature: der } = await ask(keyId, () => client.send(command));
      return toRawSignature(der ?? new Uint8Array());
    },
  };
}

function toPublicKey(spki: Uint8Array | undefined, keyId: string): PublicKey {
  const key = createPublicKey({ key: Buffer.from(spki ?? []), format: 'der', type: 'spki' });
  const { kty, crv, x, y } = key.export({ format: 'jwk' });
  if (kty === 'EC' && crv === 'P-256' && x !== undefined && y !== undefined) return { kty, crv, x, y };
  throw new GeneratorError(
    'usage',
    `The KMS key ${keyId} does not have the key spec ECC_NIST_P256. Create a key with that spec.`,
  );
}

/**
 * Returns `r` and `s`, 32 bytes each, of an ECDSA signature in DER (RFC 3279 §2.2.3).
 * @throws TypeError for other bytes
 */
export function toRawSignature(der: Uint8Array): Uint8Array {
  const [sequence, length, ...rest] = der;
  const r = integerAt(rest, 0);
  const s = integerAt(rest, r.end);
  if (sequence !== 0x30 || length !== rest.length || s.end !== rest.length)
    throw new TypeError('not an ECDSA signature');
  return Uint8Array.from([...r.bytes, ...s.bytes]);
}

/** Returns the unsigned integer at an offset, padded to 32 bytes, and where it ends. */
function integerAt(der: readonly number[], offset: number): { bytes: number[]; end: number } {
  const [tag, length = 0] = der.slice(offset, offset + 2);
  const end = offset + 2 + length;
  const digits = der.slice(offset + 2, end);
  const value = digits[0] === 0 ? digits.slice(1) : digits;
  if (tag !== 0x02 || digits.length !== length || length === 0 || value.length > 32)
    throw new TypeError('not an ECDSA signature');
  return { bytes: [...Array<number>(32 - value.length).fill(0), ...value], end };
}

async function ask<T>(keyId: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const { name, message } = error as Error; // the SDK throws only errors
    const isFinal = FINAL.test(name) || isRegionInvalid(error);
    throw new GeneratorError(
      isFinal ? 'usage' : 'store-unavailable',
      `The KMS key ${keyId} cannot be used: ${name}: ${message.replace(/\.$/, '')}. ${isFinal ? 'Check the id, the region and the permissions.' : 'Nothing was signed. Run again.'}`,
      { cause: error, next: RUN_AGAIN },
    );
  }
}
