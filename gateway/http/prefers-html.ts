import accepts from 'accepts';
import type { IncomingMessage } from 'node:http';

/** Media types of a problem. Of those that a client accepts equally, it gets the first. */
const FORMS = ['application/problem+json', 'application/json', 'text/html'];

/** Returns whether `Accept` prefers HTML to JSON, as that of a browser that opens an address does. */
export function prefersHtml(req: IncomingMessage): boolean {
  return accepts(req).type(FORMS) === 'text/html';
}
