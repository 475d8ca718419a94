import { parseS3Address } from './s3/s3-address.js';

/** Compares the places of two opened stores: different spellings may name the same one. */
export function comparePlaces(one: string, other: string): 'same' | 'nested' | 'apart' {
  const [a, b] = [placeOf(one), placeOf(other)];
  if (a === b) return 'same';
  return a.startsWith(b) || b.startsWith(a) ? 'nested' : 'apart';
}

/** Returns an address without the region, because a bucket's name is unique without it. Directories have absolute paths already. */
function placeOf(address: string): string {
  if (!address.startsWith('s3://')) return address.replace(/\/*$/, '/');
  const { bucket, prefix, endpoint } = parseS3Address(address);
  return `s3:${endpoint ?? ''} ${bucket}/${prefix}`;
}
