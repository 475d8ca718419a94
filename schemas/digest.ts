import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { crc32 as checksum } from 'node:zlib';

/** Returns the SHA-256 of bytes, or of a text in UTF-8, in lowercase hexadecimal. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** Returns the SHA-256 of a text in UTF-8, in Base64. */
export function sha256Base64(text: string): string {
  return hash('sha256', text, 'base64');
}

/** Returns a file name that contains the digest of the text, such as `site-0123456789abcdef.js`. */
export function nameByContent(stem: string, extension: string, text: string): string {
  return `${stem}-${sha256Hex(text).slice(0, 16)}.${extension}`;
}

export function sha256Bytes(data: string | Uint8Array): Uint8Array {
  return hash('sha256', data, 'buffer');
}

export function hmacSha256(key: string | Uint8Array, data: string | Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(data).digest();
}

/** Returns the CRC-32 (IEEE 802.3) of a text in UTF-8, as an unsigned integer. */
export function crc32(text: string): number {
  return checksum(text);
}

/** Compares two byte strings in constant time. Only their lengths may leak. */
export function isEqualInConstantTime(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
