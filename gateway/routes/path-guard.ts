import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../core/problems.js';
import { exchangeOf } from './exchange.js';

/** What every path of ours is written with. None needs an escape. */
const PLAIN = /^\/[A-Za-z0-9._/-]*$/;
const CONTROL = /\p{Cc}/u;

/** A page may read that it misspelt the path of a public file. */
export const ANY_ORIGIN = { 'Access-Control-Allow-Origin': '*' };

/** Passes a request with a host, and with a path that a file of ours could have. @throws GatewayError otherwise. */
export function assertPlain(req: IncomingMessage, path: string): void {
  if (req.headers.host === undefined && req.httpVersion === '1.1') {
    throw new GatewayError('request-malformed', { detail: 'HTTP/1.1 needs the header Host' });
  }
  if (req.url?.includes('#') === true) {
    throw new GatewayError('request-malformed', { detail: 'a fragment is never sent' });
  }
  if (PLAIN.test(path)) return;
  const detail = 'the path has characters or escapes that no path here has';
  if (!isWellEscaped(path)) throw new GatewayError('request-malformed', { detail });
  throw new GatewayError('not-found', { detail, headers: ANY_ORIGIN });
}

function isWellEscaped(path: string): boolean {
  try {
    return !CONTROL.test(decodeURIComponent(path));
  } catch {
    return false; // URIError
  }
}

/** Passes a request without a query. @throws GatewayError 'request-malformed' */
export function assertNoQuery(res: ServerResponse): void {
  if (exchangeOf(res).query !== '') {
    throw new GatewayError('request-malformed', { detail: 'this path takes no parameters' });
  }
}
