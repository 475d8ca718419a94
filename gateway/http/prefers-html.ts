import accepts from 'accepts';
import type { IncomingMessage } from 'node:http';

/** Media types of a problem. Of those that a wildcard accepts equally, a client gets the first. */
const FORMS = ['application/problem+json', 'application/json', 'text/html'];

/**
 * Returns whether `Accept` prefers HTML to JSON, as that of a browser that opens an address does. A request with a key or a
 * session comes from a program: some HTTP libraries ask for HTML first by default.
 */
export function prefersHtml(req: IncomingMessage): boolean {
  if (req.headers['x-api-key'] !== undefined || req.headers.authorization !== undefined) return false;
  return accepts(req).type(FORMS) === 'text/html';
}
