import { schemaRef, type JsonObject } from './components.js';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const etag = { type: 'string', pattern: '^"sha256:[0-9a-f]{64}"$' };

/**
 * Every header of an answer that a client may want, by its name. Those that are `required` are in each answer that names
 * them; the others are where they are of use.
 */
export const HEADERS = {
  'Accept-Ranges': always('That parts can be asked for.', { const: 'bytes' }),
  'Cache-Control': always('How long a cache may keep it.', text),
  'Content-Disposition': { description: 'The name under which a browser keeps it.', schema: text },
  'Content-Range': always('Which part it is, or how long the file is.', {
    type: 'string',
    pattern: '^bytes (\\d+-\\d+|\\*)/\\d+$',
  }),
  ETag: always('Digest of the bytes, for If-None-Match.', etag),
  Location: always('Where the file is.', { type: 'string', format: 'uri' }),
  RateLimit: {
    description: 'What is left of the limit, and for how long; absent where nothing was counted.',
    schema: { type: 'string', pattern: '^"(key|address)";r=\\d+;t=\\d+$' },
  },
  'RateLimit-Policy': {
    description: 'The limit that the request counted for.',
    schema: { type: 'string', pattern: '^"(key|address)";q=\\d+;w=60$' },
  },
  'Repr-Digest': always('Digest of the bytes (RFC 9530).', {
    type: 'string',
    pattern: '^sha-256=:[0-9A-Za-z+/]{43}=:$',
  }),
  'Retry-After': { description: 'Seconds after which to ask again, where that helps.', schema: count },
  Vary: {
    description: 'What the answer depends on, for caches; absent where the path was refused unread.',
    schema: text,
  },
  'WWW-Authenticate': always('How to sign in: with a key or a session.', {
    type: 'string',
    pattern: '^(ApiKey|Bearer)',
  }),
  'X-Content-SHA256': always('Digest of the bytes, in hexadecimal.', schemaRef('common.sha256')),
  'X-Published-Revision': always('The revision that published the bytes.', schemaRef('common.revision')),
  'X-Request-Id': {
    description: 'The id of the request, also in the log; absent where what was sent is not HTTP.',
    schema: text,
  },
  'X-Url-Expires-In': always('Seconds for which the address is good.', { ...count, maximum: 3600 }),
} as const satisfies Record<string, JsonObject>;

/** Name of a header of an answer. */
export type HeaderName = keyof typeof HEADERS;

/** What every answer says to browsers besides, whatever it is; it tells a client nothing. */
export const BROWSER_HEADERS: readonly string[] = [
  'Content-Security-Policy',
  'Cross-Origin-Resource-Policy',
  'Referrer-Policy',
  'Strict-Transport-Security',
  'X-Content-Type-Options',
];

/** What an answer says to pages of other origins that may read it. */
export const ORIGIN_HEADERS: readonly string[] = [
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
];

/** References to these headers, and to that of every answer. */
export function toHeaders(names: readonly HeaderName[]): JsonObject {
  const all = new Set<HeaderName>(['X-Request-Id', ...names]);
  return Object.fromEntries([...all].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function always(description: string, schema: JsonObject): JsonObject {
  return { description, required: true, schema };
}
