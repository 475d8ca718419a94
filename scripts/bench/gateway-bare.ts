/**
 * What Express itself costs: it answers everything with a constant 307 that has the headers of a file's redirect, and
 * logs the line that the gateway logs, to stdout as the gateway does.
 * `node dist/scripts/bench/gateway-bare.js <JSON of headers>` says on stderr where it serves.
 */
import { createServer } from 'node:http';
import express from 'express';
import { pino } from 'pino';
import { createLogger } from '../../gateway/io/logger.js';
import { createRequestLog } from '../../gateway/io/request-log.js';
import { listen } from './gateway-listen.js';

const [headers] = process.argv.slice(2);
if (headers === undefined) throw new TypeError('usage: gateway-bare.js <headers>');
const constant = JSON.parse(headers) as Record<string, string>; // what the bench passes
const destination = pino.destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 1_000 });
const log = createRequestLog(createLogger({ destination, level: 'info', scrub: (text) => text }));
const logged = {
  id: '4866bfeb-9d61-4c15-96d2-a104e7466bbc',
  route: '/api/v1/files/{genre}/{chain}/{window}/latest.json',
  decision: 'redirect',
  keyId: 'Example1',
};

const app = express();
app.disable('x-powered-by');
app.use((req, res) => {
  const startedMs = performance.now();
  res.once('close', () => log.request(logged, req.method, res.statusCode, performance.now() - startedMs));
  res.writeHead(307, constant).end();
});
await listen(createServer(app));
