import { hash } from 'node:crypto';

/** Lowercase hex SHA-256 of the bytes, or of the UTF-8 form of a text. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** The 32 bytes of a SHA-256. */
export function sha256Bytes(data: string | Uint8Array): Uint8Array {
  return hash('sha256', data, 'buffer');
}
