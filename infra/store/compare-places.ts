import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { directoryOf } from './directory/directory-address.js';
import { readS3Address } from './s3/s3-address.js';
import { ignoreAbsent } from './system-error.js';

/** Compares the places of two opened stores: different spellings and symbolic links may lead to the same one. */
export async function comparePlaces(one: string, other: string): Promise<'same' | 'nested' | 'apart'> {
  const [a, b] = await Promise.all([placeOf(one), placeOf(other)]);
  if (a === b) return 'same';
  return a.startsWith(b) || b.startsWith(a) ? 'nested' : 'apart';
}

/** Returns an address without the region, because a bucket's name is unique without it, or the real path of a directory. */
async function placeOf(address: string): Promise<string> {
  const directory = directoryOf(address);
  if (directory !== undefined) return path.join(await realPathOf(directory), '/');
  const { bucket, prefix, endpoint } = readS3Address(address);
  return `s3:${endpoint ?? ''} ${bucket}/${prefix}`;
}

/** Resolves symbolic links in an absolute path of which the last parts need not exist. */
async function realPathOf(file: string): Promise<string> {
  const real = await realpath(file).catch(ignoreAbsent);
  return real ?? path.join(await realPathOf(path.dirname(file)), path.basename(file));
}
