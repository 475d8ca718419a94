import { parseS3Address } from './s3-address.js';

/** Compares the addresses of two opened stores: different spellings may name the same place. */
export function isSameAddress(one: string, other: string): boolean {
  return normalize(one) === normalize(other);
}

/** Removes the region of an S3 address: a bucket's name is unique without it. Directories have absolute paths already. */
function normalize(address: string): string {
  if (!address.startsWith('s3://')) return address;
  const { bucket, prefix, endpoint } = parseS3Address(address);
  return [bucket, prefix, endpoint ?? ''].join(' ');
}
