import { schemaRef, type JsonObject } from './components.js';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const etag = { type: 'string', pattern: '^(W/)?"sha256:[0-9a-f]{64}"$' };

/** Response headers for clients, by name. A `required` header is in every response that lists it. */
export const HEADERS = {
  'Accept-Ranges': always('Indicates that range requests are supported.', { type: 'string', const: 'bytes' }),
  'Cache-Control': always('How long caches may store the response.', text),
  'Content-Disposition': { description: 'File name under which a browser saves the file.', schema: text },
  'Content-Range': always('The returned range, or the length of the file.', {
    type: 'string',
    pattern: '^bytes ([0-9]+-[0-9]+|\\*)/[0-9]+$',
  }),
  ETag: always(
    'Digest of the file, for use in If-None-Match. Weak (`W/`) if the response is compressed.',
    etag,
  ),
  Location: always('URL of the file.', { type: 'string', format: 'uri' }),
  RateLimit: {
    description:
      'Remaining requests and seconds until the limit resets. Absent if the request was not counted.',
    schema: { type: 'string', pattern: '^"(key|address|credentials|links)";r=[0-9]+;t=[0-9]+$' },
  },
  'RateLimit-Policy': {
    description: 'The rate limit that applies to the request.',
    schema: { type: 'string', pattern: '^"(key|address|credentials|links)";q=[0-9]+;w=60$' },
  },
  'Retry-After': { description: 'Number of seconds to wait before trying again.', schema: count },
  'WWW-Authenticate': always('The authentication that is required: an API key or a session.', {
    type: 'string',
    pattern: '^Bearer',
  }),
  'X-Content-SHA256': always('SHA-256 of the file, in hexadecimal.', schemaRef('common.sha256')),
  'X-Published-Revision': always('Revision that published the file.', schemaRef('common.revision')),
  'X-Request-Id': {
    description: 'Id of the request, which is also in the log. Absent if the request was not valid HTTP.',
    schema: text,
  },
  'X-Url-Expires-In': always('Number of seconds for which the URL is valid.', { ...count, maximum: 43_200 }),
} as const satisfies Record<string, JsonObject>;

export type HeaderName = keyof typeof HEADERS;

/** Headers that every response has for browsers. They carry no information for a client. */
export const BROWSER_HEADERS: readonly string[] = [
  'Content-Security-Policy',
  'Cross-Origin-Resource-Policy',
  'Referrer-Policy',
  'Strict-Transport-Security',
  'X-Content-Type-Options',
];

/** Header that every response has for caches, unless its path was not parsed. */
export const CACHE_HEADER = 'Vary';

/** Headers of a response that pages of other origins may read. */
export const ORIGIN_HEADERS: readonly string[] = [
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
];

/** Returns references to these headers and to X-Request-Id, which every response has. */
export function toHeaders(names: readonly HeaderName[]): JsonObject {
  const included = new Set<HeaderName>(['X-Request-Id', ...names]);
  return Object.fromEntries([...included].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Returns a header that is in every response that lists it. */
function always(description: string, schema: JsonObject): JsonObject {
  return { description, required: true, schema };
}
