import type { ServerResponse } from 'node:http';
import { contextOf } from './request-context.js';

/** Sends a JSON document that caches must not store. Express's `res.json` would add a charset to the media type. */
export function sendJson(
  res: ServerResponse,
  status: number,
  document: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const context = contextOf(res);
  if (context.decision === 'none') context.decision = 'answered';
  const body = Buffer.from(JSON.stringify(document));
  res.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    ...headers,
  });
  res.end(body);
}
