import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { GatewayError } from '../core/problems.js';
import type { Middleware } from './middleware.js';

const LIMIT_BYTES = 65_536;
const JSON_TYPE = /^application\/json\s*(;|$)/i;

type BodyParser = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

const readJson: BodyParser = express.json({ limit: LIMIT_BYTES, type: 'application/json', inflate: false });
const readRaw: BodyParser = express.raw({ limit: LIMIT_BYTES, type: () => true, inflate: false });

/** Parses a JSON body into `req.body`. Place it after authentication, so that the body of an anonymous request is never read. */
export const parseJsonBody: Middleware = (req, res, next) => {
  if (!hasBody(req)) next();
  else if (JSON_TYPE.test(req.headers['content-type'] ?? '')) readJson(req, res, next);
  else throw new GatewayError('unsupported-media-type');
};

/** Reads a body of any type into `req.body`, byte for byte: Stripe's signature covers the bytes. */
export const readRawBody: Middleware = (req, res, next) => {
  if (hasBody(req)) readRaw(req, res, next);
  else next();
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
