import { filePathOf, parseS3Address } from '../../../schemas/store-address.js';
import type { Parsed } from './parser.js';

/** The address of a store, as it was written, and its kind. */
export type StoreAddress = { readonly kind: 'directory' | 's3'; readonly address: string };

const EXPECTED =
  'file:PATH or s3://bucket/prefix, with ?endpoint=URL&region=REGION&path-style=true where needed';

/** Parses the address of a store by the rules of `openStore`. */
export function parseStoreAddress(text: string): Parsed<StoreAddress> {
  if (filePathOf(text) !== undefined) return { value: { kind: 'directory', address: text } };
  return typeof parseS3Address(text) === 'string'
    ? { expected: EXPECTED }
    : { value: { kind: 's3', address: text } };
}

/**
 * Returns whether two stores are the same or one is inside the other, however their addresses are written. `endpoint`
 * is the default endpoint. File paths must be absolute, as `readEnvironment` makes them. Symbolic links are not followed.
 */
export function overlap(one: StoreAddress, other: StoreAddress, endpoint?: string): boolean {
  const locations = [segmentsOf(one, endpoint), segmentsOf(other, endpoint)].sort(
    (a, b) => a.length - b.length,
  );
  const [outer = [], inner = []] = locations;
  return outer.every((segment, i) => segment === inner[i]);
}

/** Returns the segments of a location, from the outermost one. */
function segmentsOf({ kind, address }: StoreAddress, endpoint: string | undefined): string[] {
  if (kind === 'directory') return segmentsOfPath(filePathOf(address) ?? '');
  const place = parseS3Address(address, endpoint === undefined ? {} : { endpoint });
  if (typeof place === 'string') return []; // `parseStoreAddress` has accepted it
  const { bucket, prefix, endpoint: server } = place;
  return [
    's3',
    server === undefined ? '' : new URL(server).href,
    bucket,
    ...prefix.split('/').filter((segment) => segment !== ''),
  ];
}

function segmentsOfPath(path: string): string[] {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    const isInFolder = segments.length > 0 && segments.at(-1) !== '..';
    if (segment === '..' && (isInFolder || path.startsWith('/'))) segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return ['directory', path.startsWith('/') ? '/' : '.', ...segments];
}
