import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../core/problems.js';
import type { Middleware } from './middleware.js';
import { bodyLimitOf, isTooLarge, leaveUnread } from './unread-body.js';

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** Parses a JSON body into `req.body`. Place it after authentication, so that the body of an anonymous request is never read. */
export const parseJsonBody: Middleware = async (req, res, next) => {
  if (hasBody(req)) {
    if (!isJson(req)) throw new GatewayError('unsupported-media-type');
    setBody(req, parseJson(await readBody(req, res)));
  }
  next();
};

/** Reads a body of any type into `req.body`, byte for byte: Stripe's signature covers the bytes. */
export const readRawBody: Middleware = async (req, res, next) => {
  if (hasBody(req)) setBody(req, await readBody(req, res));
  next();
};

/**
 * Returns the members of a parsed JSON body, which may have only these. A missing body counts as an empty object.
 * @throws GatewayError 'request-malformed'
 */
export function readMembers<N extends string>(
  body: unknown = {},
  ...names: readonly N[]
): { readonly [name in N]?: unknown } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new GatewayError('request-malformed', { detail: 'The body must be a JSON object.' });
  }
  if (Object.keys(body).every((name) => names.some((allowed) => allowed === name))) return body; // as just checked
  const detail =
    names.length === 0
      ? 'The body must be an empty JSON object.'
      : `The body may have only these members: ${names.join(', ')}.`;
  throw new GatewayError('request-malformed', { detail });
}

function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isJson({ headers }: IncomingMessage): boolean {
  const { 'content-type': type = '' } = headers;
  const [, charset = 'utf-8'] = CHARSET.exec(type) ?? [];
  return JSON_TYPE.test(type) && charset.toLowerCase() === 'utf-8';
}

/**
 * Reads the body. One that is too large is not read any further, and the connection is closed. `express.json` and
 * `express.raw` are not used: they read the rest of a body that is too large before the response.
 * @throws GatewayError 'payload-too-large', 'unsupported-media-type', 'request-malformed'
 */
async function readBody(req: IncomingMessage, res: ServerResponse): Promise<Buffer> {
  const { 'content-encoding': encoding = 'identity' } = req.headers;
  if (encoding.toLowerCase() !== 'identity') throw new GatewayError('unsupported-media-type');
  if (isTooLarge(req)) throw new GatewayError('payload-too-large'); // the server leaves its body unread
  const limitBytes = bodyLimitOf(req);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  // Without `destroyOnReturn: false`, leaving the loop would break the connection before the response.
  const received: AsyncIterable<Uint8Array> = req.iterator({ destroyOnReturn: false });
  try {
    for await (const chunk of received) {
      sizeBytes += chunk.length;
      if (sizeBytes > limitBytes) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new GatewayError('request-malformed', { cause }); // the client broke off
  }
  if (sizeBytes <= limitBytes) return Buffer.concat(chunks);
  leaveUnread(req, res);
  throw new GatewayError('payload-too-large');
}

/** Parses JSON in UTF-8. An empty body counts as an empty object. @throws GatewayError 'request-malformed' */
function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new GatewayError('request-malformed', { cause });
  }
}

/** Sets the member that Express defines for parsed bodies. */
function setBody(req: IncomingMessage, body: unknown): void {
  (req as IncomingMessage & { body?: unknown }).body = body;
}
