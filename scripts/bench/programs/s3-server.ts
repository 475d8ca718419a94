/**
 * A small S3 server on loopback: it answers path-style GETs of one bucket from the folder of a directory store. Each line
 * on stdin is the text of a new pointer. It exits when stdin closes.
 * `node dist/scripts/bench/programs/s3-server.js <folder of the store>` prints its address on stderr.
 */
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { POINTER_KEY } from '../../../schemas/paths.js';
import { createFolderBucket } from '../../s3/folder-bucket.js';
import { listen } from './listen.js';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new TypeError('usage: s3-server.js <folder>');
const replaced = new Map<string, Buffer | undefined>([[POINTER_KEY, undefined]]);
const answer = createFolderBucket(folder, { replaced });

const server = createServer((req, res) => void answer(req, res));
await listen(server);
createInterface({ input: process.stdin })
  .on('line', (line) => void replaced.set(POINTER_KEY, Buffer.from(line)))
  .once('close', () => process.exit());
