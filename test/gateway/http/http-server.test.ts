import { once } from 'node:events';
import { Agent, get, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { OperatorError } from '../../../gateway/core/exit-codes.js';
import { startHttpServer, type HttpServer } from '../../../gateway/http/http-server.js';

const QUICK = {
  headersTimeout: 200,
  requestTimeout: 400,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 50,
};
const HEAD = 'GET / HTTP/1.1\r\nHost: gateway\r\n';
const running: HttpServer[] = [];
afterAll(() => Promise.all(running.map((server) => server.stop(0))));

async function start(listener: RequestListener = (_req, res) => res.end('here')): Promise<HttpServer> {
  const server = await startHttpServer(listener, { host: '127.0.0.1', port: 0 }, QUICK);
  running.push(server);
  return server;
}

/** Opens a raw connection. `received` resolves when the server ends its side. */
function open({ url }: HttpServer): { readonly socket: Socket; readonly received: Promise<string> } {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => undefined); // the event close follows
  const received = new Promise<string>((resolve) => {
    socket.once('end', () => resolve(text));
    socket.once('close', () => resolve(text));
  });
  return { socket, received };
}

async function send(server: HttpServer, text: string): Promise<string> {
  const { socket, received } = open(server);
  socket.write(text);
  const answer = await received;
  socket.destroy();
  return answer;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asserts that the answer is the problem of an unreadable request and closes the connection. */
function expectProblem(answer: string, detail = /HTTP/): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head.split('\r\n')).toEqual([
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/problem+json',
    `Content-Length: ${body.length}`,
    'Cache-Control: no-store',
    'Connection: close',
  ]);
  expect(JSON.parse(body)).toMatchObject({
    status: 400,
    code: 'request-malformed',
    type: '/problems/request-malformed',
    detail: expect.stringMatching(detail) as string,
  });
}

describe('startHttpServer, for an invalid request', () => {
  it.each([
    ['plain text', 'HELLO\r\n\r\n'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a space in the target', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a header without a name', `${HEAD}: x\r\n\r\n`],
    ['a space before the colon', `${HEAD}X-API-Key : x\r\n\r\n`],
    ['a null byte in a header', `${HEAD}X-A: a\0b\r\n\r\n`],
    ['two lengths', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    ['a length and chunked encoding', `${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ])('answers with a problem without calling the listener: %s', (_what, text) => expectRefusal(text, /HTTP/));

  it.each([
    ['head', `${HEAD}X-A: ${'a'.repeat(17_000)}\r\n\r\n`],
    ['target', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('answers with a problem when the request is too long: %s', (_what, text) =>
    expectRefusal(text, /headers are too large/),
  );

  async function expectRefusal(text: string, detail: RegExp): Promise<void> {
    let calls = 0;
    const server = await start((_req, res) => {
      calls += 1;
      res.end();
    });
    expectProblem(await send(server, text), detail);
    expect(calls).toBe(0);
  }

  it('answers with a problem when the head is too slow', async () => {
    const server = await start();
    const { socket, received } = open(server);
    socket.write(HEAD);
    const drip = setInterval(() => socket.write('X-A: b\r\n'), 20);
    const answer = await received;
    clearInterval(drip);
    socket.destroy();
    expectProblem(answer, /took too long/);
  });

  it('answers with a problem when the body is too slow', async () => {
    const server = await start((req, res) => {
      req.resume().on('end', () => res.end('had it'));
    });
    const text = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nsome`;
    expectProblem(await send(server, text), /took too long/);
  });

  it('keeps no connection open, even if the client does not close it', async () => {
    const server = await start();
    const { socket, received } = open(server);
    socket.write('HELLO\r\n\r\n');
    expectProblem(await received);
    const began = performance.now();
    await server.stop(4_000); // waits for every connection
    expect(performance.now() - began).toBeLessThan(3_000);
    socket.destroy();
  });

  it('does not answer inside a pending response', async () => {
    const server = await start((_req, res) => {
      res.writeHead(200, { 'Content-Length': 20 }).write('0123456789');
      setTimeout(() => res.end('0123456789'), 500);
    });
    const { socket, received } = open(server);
    socket.write(`${HEAD}\r\n`);
    await once(socket, 'data');
    socket.write('HELLO\r\n\r\n');
    expect(await received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n0123456789$/);
  });

  it('does not affect other connections', async () => {
    const server = await start();
    const broken = open(server).socket;
    broken.write('GET / HT');
    broken.resetAndDestroy();
    await send(server, 'HELLO\r\n\r\n');
    expect(await (await fetch(server.url)).text()).toBe('here');
  });
});

describe('stop', () => {
  it('closes idle connections and the port at once', async () => {
    const server = await start();
    await (await fetch(server.url)).text();
    const began = performance.now();
    await server.stop(5_000);
    expect(performance.now() - began).toBeLessThan(1_000);
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it('waits for requests in progress, but not for idle connections', async () => {
    let begun = (): void => undefined;
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const server = await start((_req, res) => {
      begun();
      setTimeout(() => res.end('whole'), 200);
    });
    const agent = new Agent({ keepAlive: true });
    const answer = new Promise<string>((resolve, reject) => {
      get(server.url, { agent }, (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        res.on('end', () => resolve(text));
      }).on('error', reject);
    });
    await isBegun;
    const began = performance.now();
    await server.stop(5_000);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(await answer).toBe('whole');
    agent.destroy();
  });

  it('sends Connection: close on connections that are still in use', async () => {
    const server = await start((req, res) => {
      setTimeout(() => res.end(), req.url === '/slow' ? 300 : 0);
    });
    const { socket, received } = open(server);
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await wait(100);
    const stopped = server.stop(5_000);
    socket.write('GET /late HTTP/1.1\r\nHost: x\r\n\r\n');
    const answers = (await received).split('HTTP/1.1 ').slice(1);
    socket.destroy();
    await stopped;
    expect(answers).toEqual([
      expect.stringMatching(/^200 OK\r\n/),
      expect.stringContaining('Connection: close'),
    ]);
  });

  it('breaks off requests that take too long', async () => {
    let begun = (): void => undefined;
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const server = await start(() => begun());
    const { socket, received } = open(server);
    socket.write(`${HEAD}\r\n`);
    await isBegun;
    const began = performance.now();
    await server.stop(100);
    expect(performance.now() - began).toBeGreaterThan(90);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(await received).toBe('');
  });
});

describe('startHttpServer', () => {
  it.each([
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost', /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/],
  ])('returns the URL for clients on this machine: %s', async (host, pattern) => {
    const server = await startHttpServer((_req, res) => res.end('here'), { host, port: 0 });
    running.push(server);
    expect(server.url).toMatch(pattern);
    expect(await (await fetch(server.url)).text()).toBe('here');
  });

  it('closes the connection when the client does not read a long response', async () => {
    const silentMs = 200;
    const at = { host: '127.0.0.1', port: 0 };
    let broken: Promise<unknown> | undefined;
    const server = await startHttpServer(
      (_req, res) => {
        broken = once(res, 'close');
        res.end(Buffer.alloc(50_000_000));
      },
      at,
      QUICK,
      silentMs,
    );
    running.push(server);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
    socket.pause().write(`${HEAD}\r\n`);
    await once(socket, 'ready');
    while (broken === undefined) await wait(10);
    await broken; // otherwise the test times out
    socket.destroy();
  });

  it.each([
    [
      'a port that is taken',
      (port: number) => ({ host: '127.0.0.1', port }),
      'another program uses this address',
    ],
    ['an address of another machine', () => ({ host: '192.0.2.1', port: 0 }), 'EADDRNOTAVAIL'],
  ])('throws with the reason for %s', async (_what, at, why) => {
    const { url } = await start();
    const failing = startHttpServer(() => undefined, at(Number(new URL(url).port)));
    await expect(failing).rejects.toThrow(OperatorError);
    await expect(failing).rejects.toThrow(why);
  });
});
