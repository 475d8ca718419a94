import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkStrangers } from '../../../../infra/store/s3/check-s3.js';
import { readS3Address } from '../../../../infra/store/s3/s3-address.js';
import { startLoopbackServer } from '../../../support/process/loopback-server.js';

const before = { ...process.env };
beforeAll(() => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
});
afterAll(() => {
  process.env = before;
});

/** Returns what a check of strangers says of a server. `answer` gets the number of earlier requests to the same URL. */
async function verdictsOn(
  answer: (earlier: number, request: IncomingMessage, response: ServerResponse) => void,
): Promise<string[]> {
  const seen = new Map<string, number>();
  const server = await startLoopbackServer((request, response) => {
    const url = request.url ?? '';
    const earlier = seen.get(url) ?? 0;
    seen.set(url, earlier + 1);
    answer(earlier, request, response);
  });
  try {
    const address = readS3Address(`s3://bucket?region=us-east-1&path-style=true&endpoint=${server.endpoint}`);
    return (await checkStrangers(address, 'key')).map(({ result }) => result);
  } finally {
    await server.dispose();
  }
}

it('sees that anybody can read a bucket whose server is busy or silent at first', async () => {
  const verdicts = await verdictsOn((earlier, request, response) => {
    if (earlier === 0) response.writeHead(503).end();
    else if (earlier === 1) request.destroy();
    else response.writeHead(200).end('an object');
  });
  expect(verdicts).toEqual(['public', 'public', 'public']);
});

it('sees that strangers are refused', async () => {
  expect(await verdictsOn((_, _request, response) => response.writeHead(403).end())).toEqual([
    'holds',
    'holds',
    'holds',
  ]);
});
