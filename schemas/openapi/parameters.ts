import { CHAIN_IDS, GENRES, VOLUME_FORMATS, WINDOWS } from '../catalog.js';
import { schemaRef, type JsonObject } from './components.js';
import type { HeaderName } from './headers.js';
import type { Content } from './operations.js';

/** Returns JSON content of a schema. */
export const json = (schema: string): Content => ({ 'application/json': schema });
/** Headers of a response to a request that counts toward a rate limit. */
export const RATE: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy'];
/** Headers of a file. */
export const FILE: readonly HeaderName[] = [
  'Cache-Control',
  'ETag',
  'X-Content-SHA256',
  'X-Published-Revision',
];
/** Headers of a link to a file. The file's ETag is in the answer of the link. */
export const REDIRECTED: readonly HeaderName[] = FILE.filter((name) => name !== 'ETag');
/** Headers of a response that caches must not store. */
export const PRIVATE: readonly HeaderName[] = [...RATE, 'Cache-Control'];
/** Security of an operation that requires an API key. */
export const KEY = [{ BearerKey: [] }, { ApiKey: [] }];
/** Security of an operation that requires a dashboard session. */
export const SESSION = [{ Session: [] }];

/** Returns a path parameter. */
export function inPath(name: string, schema: JsonObject, description: string, example: string): JsonObject {
  return { name, in: 'path', required: true, schema, description, example };
}

/** Returns an optional request header. */
export function inHeader(name: string, description: string, example: string): JsonObject {
  return { name, in: 'header', required: false, schema: { type: 'string' }, description, example };
}

export const CHAIN = inPath('chain', { type: 'string', enum: [...CHAIN_IDS] }, 'Chain.', 'base');
/** The genre of a file. Briefs have separate paths. */
export const GENRE = inPath(
  'genre',
  { type: 'string', enum: GENRES.filter((genre) => genre !== 'briefs') },
  'Genre of the file: regimes (meta), metrics (gold) or derived metrics (derived).',
  'gold',
);
const windows = Object.keys(WINDOWS).filter((window) => window !== 'latest');
export const WINDOW = inPath(
  'window',
  { type: 'string', enum: windows },
  'Number of dates in the bundle, counted back from the latest.',
  '7d',
);
export const PERIOD = inPath(
  'period',
  { type: 'string', pattern: '^[0-9]{4}(-[0-9]{2})?$' },
  'Closed year, or closed month of a year that is not closed.',
  '2022',
);
export const YEAR = inPath('year', { type: 'string', pattern: '^[0-9]{4}$' }, 'Year of ISO 8601.', '2022');
export const DATE = inPath('date', { type: 'string', format: 'date' }, 'UTC date.', '2023-09-25');
export const IF_NONE_MATCH = inHeader(
  'If-None-Match',
  'ETags of copies that the client has. If one is current, the response is 304.',
  '"sha256:325f89d98158d849c65a2d2d06cd93a4fdf53946e7df4ecae2981ed0de4c6b52"',
);
export const RANGE = inHeader(
  'Range',
  'A single byte range, such as bytes=0-99. Several ranges or an invalid one return the whole file.',
  'bytes=0-99',
);
export const REVISION = {
  name: 'revision',
  in: 'query',
  required: false,
  schema: schemaRef('common.revision'),
  description: 'Returns the date as it was published in this revision. A manifest lists the revisions.',
  example: '2023-09-27.000001',
};
export const VOLUMES = {
  name: 'volumes',
  in: 'query',
  required: false,
  schema: { type: 'string', enum: [...VOLUME_FORMATS] },
  description:
    'Returns a document as with `redirect=false`, in which `volumes` has links to all volumes in this format. Briefs have none. Not together with `redirect=true`.',
  example: 'parquet',
};
export const REDIRECT = {
  name: 'redirect',
  in: 'query',
  required: false,
  schema: { type: 'boolean', default: true },
  description:
    'If false, returns a document with the signed URL instead of a redirect, like `Accept: application/json;profile="signed-url"`.',
  example: false,
};
