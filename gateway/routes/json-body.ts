import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { GatewayError } from '../core/problems.js';

/** Largest body that is read. */
export const BODY_LIMIT_BYTES = 65_536;

const JSON_TYPE = /^application\/json\s*(;|$)/i;

type Parser = (req: IncomingMessage, res: ServerResponse, next: (error?: Error) => void) => void;

const parseRaw: Parser = express.raw({ limit: BODY_LIMIT_BYTES, type: () => true, inflate: false });
const parseJson: Parser = express.json({
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
  await runParser(parseJson, req, res);
  return (req as { body?: unknown }).body ?? {}; // the parser puts it there
}

/** The members of a body that may have these alone. @throws GatewayError 'request-malformed' */
export function readMembers<N extends string>(
  body: unknown,
  names: readonly N[],
): { readonly [name in N]?: unknown } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new GatewayError('request-malformed', { detail: 'the body is a JSON object' });
  }
  const unknown = Object.keys(body).some((name) => !names.some((known) => known === name));
  if (unknown) {
    throw new GatewayError('request-malformed', {
      detail: `the body may have ${names.join(', ') || 'no members'}${names.length > 0 ? ' and no more' : ''}`,
    });
  }
  return body; // its names are known, as just seen
}

/** Reads the body of a request as it came, whatever it is; an empty one where there is none. */
export async function readBytes(req: IncomingMessage, res: ServerResponse): Promise<Uint8Array> {
  if (!hasBody(req)) return new Uint8Array();
  await runParser(parseRaw, req, res);
  const { body } = req as { body?: unknown }; // the parser puts it there
  return body instanceof Uint8Array ? body : new Uint8Array();
}

async function runParser(parser: Parser, req: IncomingMessage, res: ServerResponse): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    parser(req, res, (error?: Error) => {
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
