import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHttpServer, type HttpServer } from '../../../gateway/http/http-server.js';
import { sendBytes } from '../../../gateway/http/send-bytes.js';

const SIZE_BYTES = 50_000_000;
const file = Buffer.alloc(SIZE_BYTES, 'abcdefghij');
let server: HttpServer;
let reads = 0;
let failsAt = Infinity;
let failure: unknown;

beforeAll(async () => {
  const read = async (): Promise<Uint8Array> => {
    reads += 1;
    if (reads === failsAt) throw new Error('the object has disappeared');
    return Promise.resolve(file);
  };
  server = await startHttpServer(
    (req, res) => {
      Object.assign(res, { locals: { context: {} } });
      sendBytes(req, res, { read, etag: '"e"', headers: {} }).catch((error: unknown) => {
        failure = error;
        res.destroy();
      });
    },
    { host: '127.0.0.1', port: 0 },
  );
});
beforeEach(() => {
  reads = 0;
  failsAt = Infinity;
});
afterAll(() => server.stop(0));

it('sends a whole file and its parts in pieces', async () => {
  const whole = Buffer.from(await (await fetch(server.url)).arrayBuffer());
  expect(whole.equals(file)).toBe(true);
  const parts = [
    [0, 0],
    [7, 65_542],
    [65_535, 131_073],
    [SIZE_BYTES - 1, SIZE_BYTES - 1],
  ] as const;
  for (const [start, end] of parts) {
    const response = await fetch(server.url, { headers: { Range: `bytes=${start}-${end}` } });
    expect(Buffer.from(await response.arrayBuffer()).equals(file.subarray(start, end + 1))).toBe(true);
  }
});

it('sends no more than the connection takes to a client that does not read, and the rest when it reads', async () => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n');
  await sleep(300);
  const before = reads;
  expect(before * 65_536).toBeLessThan(SIZE_BYTES / 2);
  await sleep(100);
  expect(reads).toBe(before);
  let received = 0;
  socket.on('data', (part) => (received += part.length));
  await once(socket, 'close');
  expect(received).toBeGreaterThan(SIZE_BYTES);
});

it('breaks the connection off when a piece cannot be read', async () => {
  failsAt = 5;
  const response = await fetch(server.url);
  await expect(response.arrayBuffer()).rejects.toThrow();
  expect(String(failure)).toContain('has disappeared');
});
