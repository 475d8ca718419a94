import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { GatewayError } from '../core/problems.js';

/** Largest body that is read. */
export const BODY_LIMIT_BYTES = 65_536;

const JSON_TYPE = /^application\/json\s*(;|$)/i;

type Parser = (req: IncomingMessage, res: ServerResponse, next: (error?: Error) => void) => void;

const parse: Parser = express.json({
  limit: BODY_LIMIT_BYTES,
  type: 'application/json',
  inflate: false,
});

/**
 * Reads the body of a request as JSON; an empty one is an empty object.
 * @throws GatewayError 'unsupported-media-type', and what the parser throws, which is answered with its problem.
 */
export async function readJsonBody(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
  if (!hasBody(req)) return {};
  if (!JSON_TYPE.test(req.headers['content-type'] ?? '')) throw new GatewayError('unsupported-media-type');
  await new Promise<void>((resolve, reject) => {
    parse(req, res, (error?: Error) => {
      if (error === undefined) resolve();
      else reject(error);
    });
  });
  return (req as { body?: unknown }).body ?? {}; // the parser puts it there
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
