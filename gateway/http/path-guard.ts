import { explainInvalidPart, findInvalidPart } from '../core/access/invalid-part.js';
import { GatewayError } from '../core/problems.js';
import { isRepeated } from './header-lines.js';
import type { Middleware } from './middleware.js';
import { contextOf } from './request-context.js';

/** The characters of all our paths. None of them needs an escape. */
const PLAIN = /^\/[A-Za-z0-9._/-]*$/;
const CONTROL = /\p{Cc}/u;

/** Lets pages of any origin read the 404 of a misspelled public path. */
const ANY_ORIGIN = { 'Access-Control-Allow-Origin': '*' };

/** Rejects a request without Host or with several, and any path that is not plain, before a router could decode or normalize it. */
export const guardPath: Middleware = (req, res, next) => {
  const { path } = contextOf(res);
  if (req.headers.host === undefined && req.httpVersion === '1.1') {
    throw new GatewayError('request-malformed', { detail: 'HTTP/1.1 requires the header Host.' });
  }
  if (isRepeated(req, 'host')) {
    throw new GatewayError('request-malformed', { detail: 'Send the header Host once.' });
  }
  if (req.url?.includes('#') === true) {
    throw new GatewayError('request-malformed', { detail: 'Remove the fragment (#...) from the URL.' });
  }
  if (!PLAIN.test(path)) {
    const detail =
      'The path has characters or escapes that no path of the API has. Check the path and its percent-encoding.';
    if (isWellEscaped(path)) throw new GatewayError('not-found', { detail, headers: ANY_ORIGIN });
    throw new GatewayError('request-malformed', { detail });
  }
  next();
};

/** Rejects a request with a query, on routes that take no parameters. */
export const rejectQuery: Middleware = (_req, res, next) => {
  if (contextOf(res).query !== '') {
    throw new GatewayError('request-malformed', { detail: 'This path takes no query parameters.' });
  }
  next();
};

/** Answers requests that no route has taken. */
export const notFound: Middleware = (_req, res) => {
  const part = findInvalidPart(contextOf(res).path);
  const detail = part === undefined ? {} : { detail: explainInvalidPart(part) };
  throw new GatewayError('not-found', { ...detail, headers: ANY_ORIGIN });
};

function isWellEscaped(path: string): boolean {
  try {
    return !CONTROL.test(decodeURIComponent(path));
  } catch {
    return false; // URIError
  }
}
