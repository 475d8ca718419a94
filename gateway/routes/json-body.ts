import express, { type Request, type RequestHandler, type Response } from 'express';
import { GatewayError } from '../core/problems.js';

/** Largest body that is read. */
export const BODY_LIMIT_BYTES = 65_536;

const parse: RequestHandler = express.json({
  limit: BODY_LIMIT_BYTES,
  type: 'application/json',
  inflate: false,
});

/**
 * Reads the body of a request as JSON; an empty one is an empty object.
 * @throws GatewayError 'unsupported-media-type', and what the parser throws, which is answered with its problem.
 */
export async function readJsonBody(req: Request, res: Response): Promise<unknown> {
  if (!hasBody(req)) return {};
  if (req.is('application/json') === false) throw new GatewayError('unsupported-media-type');
  await new Promise<void>((resolve, reject) => {
    void parse(req, res, (error?: Error | string) => {
      if (error === undefined) resolve();
      else reject(error instanceof Error ? error : new Error(error));
    });
  });
  return req.body ?? {};
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
