import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { crc32 as checksum } from 'node:zlib';

/** Lowercase hex SHA-256 of the bytes, or of the UTF-8 form of a text. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** The 32 bytes of a SHA-256. */
export function sha256Bytes(data: string | Uint8Array): Uint8Array {
  return hash('sha256', data, 'buffer');
}

/** The 32 bytes of an HMAC-SHA-256 (RFC 2104). */
export function hmacSha256(key: string | Uint8Array, data: string | Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(data).digest();
}

/** The CRC-32 (IEEE 802.3) of a text's UTF-8 form, as an unsigned integer. */
export function crc32(text: string): number {
  return checksum(text);
}

/** Whether two byte strings are equal, in a time that does not tell where they differ; lengths are no secret. */
export function isEqualInConstantTime(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
