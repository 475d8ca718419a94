import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHttpServer, type HttpServer } from '../../../gateway/http/http-server.js';
import { sendBytes } from '../../support/gateway/raw-http.js';

const HOST = 'Host: gateway\r\n';
const GET = `GET /waits HTTP/1.1\r\n${HOST}\r\n`;
const LAST = `GET /last HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
/** Number of requests of 8 KB. */
const MANY = 3_000;
let server: HttpServer;
let waiting: ServerResponse[];
let isWaiting: boolean;
const sockets: Socket[] = [];

beforeEach(async () => {
  waiting = [];
  isWaiting = true;
  server = await startHttpServer(
    (req, res) => {
      if (req.url === '/closes') res.setHeader('Connection', 'close');
      if (req.url === '/waits' && isWaiting) waiting.push(res);
      else res.end(req.url);
    },
    { host: '127.0.0.1', port: 0 },
  );
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.stop(0);
});

/** Opens a connection that sends a text and does not read. */
function open(text: string): Socket {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(text);
  sockets.push(socket);
  return socket;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(5);
}

it('answers the requests of a connection one at a time, in their order', async () => {
  const received = sendBytes(server.url, GET + GET + LAST);
  await until(() => waiting.length === 1);
  await sleep(20);
  expect(waiting).toHaveLength(1);
  waiting[0]?.end('one');
  await until(() => waiting.length === 2);
  waiting[1]?.end('two');
  const bodies = (await received).toString('latin1').match(/one|two|\/last$/g);
  expect(bodies).toEqual(['one', 'two', '/last']);
});

it('answers other connections meanwhile', async () => {
  open(GET.repeat(10));
  await until(() => waiting.length === 1);
  expect((await sendBytes(server.url, LAST)).toString('latin1')).toMatch(/\/last$/);
});

it('does not read a connection that has many requests waiting, and continues when they are answered', async () => {
  const long = GET.replace(HOST, `${HOST}X-Long: ${'x'.repeat(8_000)}\r\n`);
  const socket = open(long.repeat(MANY));
  await until(() => waiting.length === 1);
  await sleep(200);
  expect(waiting[0]?.socket?.bytesRead).toBeLessThan(MANY * 1_000);
  isWaiting = false;
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => (text += part));
  waiting[0]?.end('/waits');
  socket.write(LAST);
  await once(socket, 'close');
  expect(text.match(/\/waits/g)).toHaveLength(MANY);
  expect(text).toMatch(/\/last$/);
});

it('answers no more requests of a connection after one that closes it', async () => {
  const received = await sendBytes(server.url, GET.replace('/waits', '/closes') + GET);
  expect(received.toString('latin1')).toMatch(/\/closes$/);
  await sleep(20);
  expect(waiting).toEqual([]);
});
