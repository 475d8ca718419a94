import type { Parsed } from './parser.js';

/** The address of a store, as it was written, and its kind. */
export type StoreAddress = { readonly kind: 'directory' | 's3'; readonly address: string };

const EXPECTED =
  'file:PATH or s3://bucket/prefix, with ?endpoint=URL&region=REGION&path-style=true where needed';
/** file:PATH, file:/PATH or file:///PATH; not file://host/PATH. */
const FILE = /^file:(?:\/\/(?=\/))?(?!\/\/)(.+)$/;
const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const PREFIX = /^((?!\.)[A-Za-z0-9._=-]+\/)*$/;
const PARAMETERS: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['endpoint', isEndpoint],
  ['region', (value) => /^[a-z0-9-]+$/.test(value)],
  ['path-style', (value) => value === 'true' || value === 'false'],
  ['profile', (value) => /^[\w.-]+$/.test(value)],
]);

/** Parses the address of a store by the rules of `openStore`. */
export function parseStoreAddress(text: string): Parsed<StoreAddress> {
  if (filePathOf(text) !== undefined) return { value: { kind: 'directory', address: text } };
  return parseS3(text) === undefined ? { expected: EXPECTED } : { value: { kind: 's3', address: text } };
}

/** Returns the path of `file:PATH`; `undefined` for any other text. */
export function filePathOf(text: string): string | undefined {
  return FILE.exec(text)?.[1];
}

/** Returns whether a text is the URL of an S3 server. A URL with a user name or password is refused, because messages would print it. */
function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
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
  const { bucket = '', prefix = '', parameters } = parseS3(address) ?? {};
  const server = parameters?.get('endpoint') ?? endpoint;
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

type S3Parts = { readonly bucket: string; readonly prefix: string; readonly parameters: URLSearchParams };

/** Parses an S3 address with the grammar of the store itself; a test compares the two. */
function parseS3(text: string): S3Parts | undefined {
  const [, bucket, path = '', query = ''] = S3.exec(text) ?? [];
  const prefix = path.replace(/[^/]$/, '$&/'); // appends a missing slash
  const parameters = new URLSearchParams(query);
  const areValid = [...parameters].every(([name, value]) => PARAMETERS.get(name)?.(value) ?? false);
  return bucket !== undefined && PREFIX.test(prefix) && areValid ? { bucket, prefix, parameters } : undefined;
}
