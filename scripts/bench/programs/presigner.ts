/**
 * An Express application that answers every request with a 307 to a URL from the AWS SDK's presigner, without a log.
 * `node dist/scripts/bench/programs/presigner.js <key>` prints its address on stderr.
 */
import express from 'express';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createServer } from 'node:http';
import { listen } from './listen.js';

const [key] = process.argv.slice(2);
if (key === undefined) throw new TypeError('usage: presigner.js <key>');
const client = new S3Client();
const object = {
  Bucket: 'bench',
  Key: key,
  ResponseContentType: 'application/json',
  ResponseContentDisposition: 'attachment; filename="ethereum-gold-7d-latest.json"',
};

const app = express();
app.disable('x-powered-by');
app.use(async (_req, res) => {
  const url = await getSignedUrl(client, new GetObjectCommand(object), { expiresIn: 300 });
  res.writeHead(307, { Location: url, 'Content-Length': 0 }).end();
});
await listen(createServer(app));
