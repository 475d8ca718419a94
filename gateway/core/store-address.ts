import type { Judged } from './judge.js';

/** Where a store is: its address as it was written, and of which kind it is. */
export type StoreAddress = { readonly kind: 'directory' | 's3'; readonly address: string };

const EXPECTED =
  'file:PATH or s3://bucket/prefix, with ?endpoint=URL&region=REGION&path-style=true where needed';
const FILE = /^file:(?:\/\/(?=\/))?(?!\/\/)(.+)$/;
const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const PREFIX = /^((?!\.)[A-Za-z0-9._=-]+\/)*$/;
const PARAMETERS: Readonly<Record<string, (value: string) => boolean>> = {
  endpoint: (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
  region: (value) => /^[a-z0-9-]+$/.test(value),
  'path-style': (value) => value === 'true' || value === 'false',
};

/** Judges the address of a store as `openStore` does, without opening one. */
export function parseStoreAddress(text: string): Judged<StoreAddress> {
  if (filePathOf(text) !== undefined) return { value: { kind: 'directory', address: text } };
  return parseS3(text) === undefined ? { fault: EXPECTED } : { value: { kind: 's3', address: text } };
}

/** The path that `file:PATH` names; `undefined` for any other text. */
export function filePathOf(text: string): string | undefined {
  return FILE.exec(text)?.[1];
}

/**
 * Whether two stores are the same or one lies inside the other, however a person wrote them. `endpoint` is that of an
 * address that names none. A relative path is only compared with a relative one, and no link is followed.
 */
export function isOverlap(one: StoreAddress, other: StoreAddress, endpoint?: string): boolean {
  const places = [placeOf(one, endpoint), placeOf(other, endpoint)].sort((a, b) => a.length - b.length);
  const [outer = [], inner = []] = places;
  return outer.every((step, i) => step === inner[i]);
}

/** The steps that lead to a store, from the outermost. */
function placeOf({ kind, address }: StoreAddress, endpoint: string | undefined): string[] {
  if (kind === 'directory') return stepsOfPath(filePathOf(address) ?? '');
  const { bucket = '', prefix = '', said } = parseS3(address) ?? {};
  const server = said?.get('endpoint') ?? endpoint;
  return [
    's3',
    server === undefined ? '' : new URL(server).href,
    bucket,
    ...prefix.split('/').filter((step) => step !== ''),
  ];
}

function stepsOfPath(path: string): string[] {
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return ['directory', path.startsWith('/') ? '/' : '.', ...steps];
}

type S3Parts = { readonly bucket: string; readonly prefix: string; readonly said: URLSearchParams };

/** The parts of an S3 address. The grammar is that of the store's own parser, and a test holds the two together. */
function parseS3(text: string): S3Parts | undefined {
  const [, bucket, path = '', query = ''] = S3.exec(text) ?? [];
  const prefix = path.replace(/[^/]$/, '$&/');
  const said = new URLSearchParams(query);
  const isMeant = [...said].every(([name, value]) => PARAMETERS[name]?.(value) ?? false);
  return bucket !== undefined && PREFIX.test(prefix) && isMeant ? { bucket, prefix, said } : undefined;
}
