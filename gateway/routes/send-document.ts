import type { Response } from 'express';
import { exchangeOf } from './exchange.js';

/** Sends a JSON document that no cache keeps. */
export function sendDocument(res: Response, status: number, document: object): void {
  const exchange = exchangeOf(res);
  if (exchange.decision === 'none') exchange.decision = 'answered';
  const body = Buffer.from(JSON.stringify(document));
  res.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
  });
  res.end(body);
}
