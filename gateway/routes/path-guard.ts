import type { RequestHandler } from 'express';
import { GatewayError } from '../core/problems.js';

/** What every path of ours is written with. None needs an escape. */
const PLAIN = /^\/[A-Za-z0-9._/-]*$/;
const CONTROL = /\p{Cc}/u;

/** Refuses a path that no file of ours can have, before anything looks at it. @throws GatewayError */
export function createPathGuard(): RequestHandler {
  return (req, _res, next) => {
    const { path } = req;
    if (PLAIN.test(path)) {
      next();
      return;
    }
    throw new GatewayError(isWellEscaped(path) ? 'not-found' : 'request-malformed', {
      detail: 'the path has characters or escapes that no path here has',
    });
  };
}

function isWellEscaped(path: string): boolean {
  try {
    return !CONTROL.test(decodeURIComponent(path));
  } catch {
    return false; // URIError
  }
}
