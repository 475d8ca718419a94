import type { ServerResponse } from 'node:http';
import { exchangeOf } from './exchange.js';
import { reply } from './reply.js';

/** Sends a JSON document that no cache keeps. */
export function sendDocument(res: ServerResponse, status: number, document: object): void {
  const exchange = exchangeOf(res);
  if (exchange.decision === 'none') exchange.decision = 'answered';
  const body = Buffer.from(JSON.stringify(document));
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
  };
  reply(res, status, headers, body);
}
