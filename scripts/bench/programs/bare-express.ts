/**
 * The baseline: an Express application that answers every request with the same 307, with the headers of a redirect to a
 * file, and writes the same log line as the gateway.
 * `node dist/scripts/bench/programs/bare-express.js <JSON of headers>` prints its address on stderr.
 */
import express from 'express';
import { createServer } from 'node:http';
import { pino } from 'pino';
import { createLogger } from '../../../gateway/io/operation/logger.js';
import { createRequestLog } from '../../../gateway/io/operation/request-log.js';
import { bundlePath } from '../../../schemas/paths.js';
import { listen } from './listen.js';

const [headers] = process.argv.slice(2);
if (headers === undefined) throw new TypeError('usage: bare-express.js <headers>');
const constant = JSON.parse(headers) as Record<string, string>; // from the bench
const destination = pino.destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 1_000 });
const log = createRequestLog(createLogger({ destination, level: 'info', scrub: (text) => text }));
const logged = {
  id: '4866bfeb-9d61-4c15-96d2-a104e7466bbc',
  route: bundlePath('{genre}', '{chain}', '{window}'),
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
