/**
 * A small S3 server on loopback: it answers path-style GETs of one bucket from the folder of a directory store. Each line
 * on stdin is the text of a new pointer. It exits when stdin closes.
 * `node dist/scripts/bench/gateway/s3-server.js <folder of the store>` prints its address on stderr.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { POINTER_KEY } from '../../../schemas/paths.js';
import { listen } from './listen.js';

const MISSING = '<Error><Code>NoSuchKey</Code><Message>No such key</Message></Error>';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new TypeError('usage: s3-server.js <folder>');
let pointer: Buffer | undefined;

async function answer(key: string, res: ServerResponse): Promise<void> {
  const body =
    key === POINTER_KEY ? pointer : await readFile(path.join(folder ?? '', key)).catch(() => undefined);
  if (body === undefined) {
    res.writeHead(404, { 'Content-Type': 'application/xml', 'Content-Length': MISSING.length }).end(MISSING);
    return;
  }
  const etag = `"${createHash('md5').update(`${key} ${body.length}`).digest('hex')}"`; // faster than a digest of all bytes
  res.writeHead(200, { ETag: etag, 'Content-Length': body.length }).end(body);
}

const server = createServer((req, res) => {
  const [, , ...key] = (req.url ?? '').replace(/\?.*/, '').split('/'); // the first segment is the bucket
  void answer(key.join('/'), res);
});
await listen(server);
createInterface({ input: process.stdin })
  .on('line', (line) => (pointer = Buffer.from(line)))
  .once('close', () => process.exit());
