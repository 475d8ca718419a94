/**
 * A small S3 server on loopback: answers GETs of one bucket, path-style, from the folder of a directory store. Which
 * release is current is told on stdin: each line is the text of a new pointer. It ends when its stdin does.
 * `node dist/scripts/bench/gateway-s3-server.js <folder of the store>` says on stderr where it serves.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { POINTER_KEY } from '../../schemas/paths.js';
import { listen } from './gateway-listen.js';

const MISSING = '<Error><Code>NoSuchKey</Code><Message>there is none</Message></Error>';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new TypeError('usage: gateway-s3-server.js <folder>');
let pointer: Buffer | undefined;

async function answer(key: string, res: ServerResponse): Promise<void> {
  const body =
    key === POINTER_KEY ? pointer : await readFile(path.join(folder ?? '', key)).catch(() => undefined);
  if (body === undefined) {
    res.writeHead(404, { 'Content-Type': 'application/xml', 'Content-Length': MISSING.length }).end(MISSING);
    return;
  }
  const etag = `"${createHash('md5').update(`${key} ${body.length}`).digest('hex')}"`; // quicker than of all bytes
  res.writeHead(200, { ETag: etag, 'Content-Length': body.length }).end(body);
}

const server = createServer((req, res) => {
  const [, , ...key] = (req.url ?? '').replace(/\?.*/, '').split('/'); // the first step is the bucket
  void answer(key.join('/'), res);
});
await listen(server);
createInterface({ input: process.stdin })
  .on('line', (line) => (pointer = Buffer.from(line)))
  .once('close', () => process.exit());
