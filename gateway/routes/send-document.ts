import type { ServerResponse } from 'node:http';
import { exchangeOf } from './exchange.js';
import { reply } from './reply.js';

/** Sends a JSON document that no cache keeps, with more headers where there are any. */
export function sendDocument(
  res: ServerResponse,
  status: number,
  document: object,
  more: Readonly<Record<string, string>> = {},
): void {
  const exchange = exchangeOf(res);
  if (exchange.decision === 'none') exchange.decision = 'answered';
  const body = Buffer.from(JSON.stringify(document));
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    ...more,
  };
  reply(res, status, headers, body);
}
