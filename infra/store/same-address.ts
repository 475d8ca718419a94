import { parseS3Address } from './s3-address.js';

/** Whether two addresses of opened stores name the same place, however a person wrote them. */
export function isSameAddress(one: string, other: string): boolean {
  return normalize(one) === normalize(other);
}

/** A directory's address is whole already. Of S3 the region does not matter: the name of a bucket is its own. */
function normalize(address: string): string {
  if (!address.startsWith('s3://')) return address;
  const { bucket, prefix, endpoint } = parseS3Address(address);
  return [bucket, prefix, endpoint ?? ''].join(' ');
}
