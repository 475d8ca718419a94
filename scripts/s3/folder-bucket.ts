import { createHash } from 'node:crypto';
import { open, readdir, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import parseRange from 'range-parser';

/** Answers a request of a client of S3. Resolves to the number of bytes in the body. */
type FolderBucket = (req: IncomingMessage, res: ServerResponse) => Promise<number>;

/** Options for `createFolderBucket`. */
type FolderBucketOptions = {
  /** Objects that are not read from the folder; `undefined` for one that does not exist. */
  readonly replaced?: ReadonlyMap<string, Buffer | undefined>;
};

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};
type Part = { readonly start: number; readonly end: number };
type Found = { readonly bytes: number; readonly read: (part: Part) => Promise<Buffer> };

const LIST_LIMIT = 1_000;

/**
 * Creates a small S3 service over the files of a folder, for development: path-style lists and GETs of one bucket, with
 * ranges and `If-Match`, whatever the name of the bucket. It does not check signatures. Files must not change while it runs,
 * because their ETags follow from their keys and lengths, which is faster than a digest of all bytes.
 */
export function createFolderBucket(
  folder: string,
  { replaced = new Map() }: FolderBucketOptions = {},
): FolderBucket {
  const answer = async ({ url = '', headers }: IncomingMessage): Promise<Answer> => {
    const { pathname, searchParams } = new URL(url, 'http://bucket');
    const [, , ...segments] = pathname.split('/'); // the first one is the bucket
    const key = decodeURIComponent(segments.join('/'));
    if (key === '') return toXml(200, await list(folder, searchParams));
    if (replaced.has(key)) return toAnswer(headers, key, toFound(replaced.get(key)));
    return withFile(path.join(folder, key), (found) => toAnswer(headers, key, found));
  };
  return async (req, res) => {
    const { status, headers, body } = await answer(req);
    res.writeHead(status, { ...headers, 'Content-Length': body.length }).end(body);
    return body.length;
  };
}

function toFound(body: Buffer | undefined): Found | undefined {
  return body && { bytes: body.length, read: ({ start, end }) => Promise.resolve(body.subarray(start, end)) };
}

/** Calls `use` with the file; with `undefined` if there is none. */
async function withFile<T>(file: string, use: (found: Found | undefined) => Promise<T>): Promise<T> {
  const handle = await open(file).catch(() => undefined);
  try {
    const stats = await handle?.stat();
    if (handle === undefined || !stats?.isFile()) return await use(undefined);
    const read = async ({ start, end }: Part): Promise<Buffer> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
      return buffer.subarray(0, bytesRead);
    };
    return await use({ bytes: stats.size, read });
  } finally {
    await handle?.close();
  }
}

async function toAnswer(
  requested: IncomingHttpHeaders,
  key: string,
  found: Found | undefined,
): Promise<Answer> {
  if (found === undefined) return toError(404, 'NoSuchKey');
  const { bytes, read } = found;
  const etag = etagOf(key, bytes);
  const { 'if-match': wanted = etag, range: header } = requested;
  if (wanted !== etag) return toError(412, 'PreconditionFailed');
  const headers = { ETag: etag };
  if (header === undefined) return { status: 200, headers, body: await read({ start: 0, end: bytes }) };
  const ranges = parseRange(bytes, header);
  const [range] = typeof ranges === 'number' ? [] : ranges;
  if (range === undefined) return toError(416, 'InvalidRange');
  const body = await read({ start: range.start, end: range.end + 1 });
  const place = `bytes ${range.start}-${range.end}/${bytes}`;
  return { status: 206, headers: { ...headers, 'Content-Range': place }, body };
}

/** Returns a page of the answer to ListObjectsV2. */
async function list(folder: string, query: URLSearchParams): Promise<string> {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const keys = files
    .filter((file) => file.isFile())
    .map((file) => path.relative(folder, path.join(file.parentPath, file.name)))
    .filter((key) => key.startsWith(prefix) && key > after)
    .sort();
  const page = keys.slice(0, LIST_LIMIT);
  const entries = await Promise.all(page.map((key) => toEntry(folder, key)));
  const next = keys.length > page.length ? element('NextContinuationToken', page.at(-1) ?? '') : '';
  return element('ListBucketResult', { xml: `${entries.join('')}${next}` });
}

async function toEntry(folder: string, key: string): Promise<string> {
  const { size, mtime } = await stat(path.join(folder, key));
  const members = {
    Key: key,
    LastModified: mtime.toISOString(),
    ETag: etagOf(key, size),
    Size: String(size),
  };
  const xml = Object.entries(members).map(([name, value]) => element(name, value));
  return element('Contents', { xml: xml.join('') });
}

function etagOf(key: string, bytes: number): string {
  return `"${createHash('md5').update(`${key} ${bytes}`).digest('hex')}"`;
}

function toError(status: number, code: string): Answer {
  return toXml(status, element('Error', { xml: element('Code', code) + element('Message', code) }));
}

function toXml(status: number, xml: string): Answer {
  return { status, headers: { 'Content-Type': 'application/xml' }, body: Buffer.from(xml) };
}

function element(name: string, content: string | { readonly xml: string }): string {
  const inner =
    typeof content === 'string' ? content.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : content.xml;
  return `<${name}>${inner}</${name}>`;
}
