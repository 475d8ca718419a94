import { CHAIN_IDS, GENRES, WINDOWS } from '../catalog.js';
import { schemaRef, type JsonObject } from './components.js';
import type { HeaderName } from './headers.js';
import type { Content } from './operations.js';

/** JSON content of a schema. */
export const json = (schema: string): Content => ({ 'application/json': schema });
/** The headers of whatever counts for a limit. */
export const RATE: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy'];
/** The headers of a file. */
export const FILE: readonly HeaderName[] = [
  'Cache-Control',
  'ETag',
  'X-Content-SHA256',
  'X-Published-Revision',
];
/** The headers of an answer that no cache may keep. */
export const PRIVATE: readonly HeaderName[] = [...RATE, 'Cache-Control', 'Vary'];
/** What an API key opens. */
export const KEY = [{ ApiKey: [] }];
/** What a session of the dashboard opens. */
export const SESSION = [{ Session: [] }];

/** A part of a path. */
export function inPath(name: string, schema: JsonObject, description: string, example: string): JsonObject {
  return { name, in: 'path', required: true, schema, description, example };
}

/** A header of a request. */
export function inHeader(name: string, description: string, example: string): JsonObject {
  return { name, in: 'header', required: false, schema: { type: 'string' }, description, example };
}

/** The chain. */
export const CHAIN = inPath('chain', { enum: [...CHAIN_IDS] }, 'The chain.', 'base');
/** The genre of a file; briefs have paths of their own. */
export const GENRE = inPath(
  'genre',
  { enum: GENRES.filter((genre) => genre !== 'briefs') },
  'What the file is about.',
  'gold',
);
const windows = Object.keys(WINDOWS).filter((window) => window !== 'latest');
/** The window of a bundle. */
export const WINDOW = inPath(
  'window',
  { enum: windows },
  'How many dates the bundle has, up to the latest.',
  '7d',
);
/** The date of a day file. */
export const DATE = inPath('date', { type: 'string', format: 'date' }, 'The UTC date.', '2023-09-25');
/** What the reader has. */
export const IF_NONE_MATCH = inHeader(
  'If-None-Match',
  'ETags that the reader has: 304 when the file has one of them.',
  '"sha256:325f89d98158d849c65a2d2d06cd93a4fdf53946e7df4ecae2981ed0de4c6b52"',
);
/** The part that is wanted. */
export const RANGE = inHeader(
  'Range',
  'One range of bytes, such as bytes=0-99; several, or a wrong one, get all.',
  'bytes=0-99',
);
/** The revision that is asked for. */
export const REVISION = {
  name: 'revision',
  in: 'query',
  required: false,
  schema: schemaRef('common.revision'),
  description: 'What the date said as of this revision, as a manifest names it.',
  example: '2023-09-27.000001',
};
/** The form of the answer. */
export const REDIRECT = {
  name: 'redirect',
  in: 'query',
  required: false,
  schema: { type: 'boolean', default: true },
  description:
    'false: answer with a document that has the address, as with `Accept: application/json;profile="signed-url"`.',
  example: false,
};
