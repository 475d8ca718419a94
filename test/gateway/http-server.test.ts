import { once } from 'node:events';
import { Agent, get, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { OperatorError } from '../../gateway/core/exit-codes.js';
import { startHttpServer, type HttpServer } from '../../gateway/io/http-server.js';

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

/** A connection on which everything is written as it is; `received` ends with the server's side of it. */
function open({ url }: HttpServer): { readonly socket: Socket; readonly received: Promise<string> } {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => undefined); // it is closed as well
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

/** Passes an answer that is the problem of an unreadable request, and the end of its connection. */
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

describe('what is no request', () => {
  it.each([
    ['words', 'HELLO\r\n\r\n'],
    ['the greeting of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a space in the target', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a header without a name', `${HEAD}: x\r\n\r\n`],
    ['a space before the colon', `${HEAD}X-API-Key : x\r\n\r\n`],
    ['a null byte in a header', `${HEAD}X-A: a\0b\r\n\r\n`],
    ['two lengths', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    ['a length beside chunks', `${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ])('is answered with a problem, and nothing is called: %s', (_what, text) => expectRefusal(text, /HTTP/));

  it.each([
    ['head', `${HEAD}X-A: ${'a'.repeat(17_000)}\r\n\r\n`],
    ['target', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('is answered with a problem too where it is too long: %s', (_what, text) =>
    expectRefusal(text, /head .* too large/),
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

  it('is answered with a problem when its head comes too slowly', async () => {
    const server = await start();
    const { socket, received } = open(server);
    socket.write(HEAD);
    const drip = setInterval(() => socket.write('X-A: b\r\n'), 20);
    const answer = await received;
    clearInterval(drip);
    socket.destroy();
    expectProblem(answer, /too slowly/);
  });

  it('is answered with a problem when its body comes too slowly', async () => {
    const server = await start((req, res) => {
      req.resume().on('end', () => res.end('had it'));
    });
    const text = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nsome`;
    expectProblem(await send(server, text), /too slowly/);
  });

  it('keeps no connection open, also when its caller does not close it', async () => {
    const server = await start();
    const { socket, received } = open(server);
    socket.write('HELLO\r\n\r\n');
    expectProblem(await received);
    const began = performance.now();
    await server.stop(4_000); // waits for every connection
    expect(performance.now() - began).toBeLessThan(3_000);
    socket.destroy();
  });

  it('loses its connection when it reads nothing of a long answer', async () => {
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
    await broken; // else the test takes too long
    socket.destroy();
  });

  it('does not get into an answer that is under way', async () => {
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

  it('does not keep the server from others', async () => {
    const server = await start();
    const broken = open(server).socket;
    broken.write('GET / HT');
    broken.resetAndDestroy();
    await send(server, 'HELLO\r\n\r\n');
    expect(await (await fetch(server.url)).text()).toBe('here');
  });
});

describe('stopping', () => {
  it('closes idle connections and takes no more, at once', async () => {
    const server = await start();
    await (await fetch(server.url)).text();
    const began = performance.now();
    await server.stop(5_000);
    expect(performance.now() - began).toBeLessThan(1_000);
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it('lets what is under way end, and then waits for no connection that is merely kept', async () => {
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

  it('tells who still asks on a kept connection to close it', async () => {
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
    expect(answers.at(-1)).toMatch(/^200 OK\r\n/);
    if (answers.length === 2) expect(answers[1]).toContain('Connection: close');
  });

  it('breaks off what takes longer than its patience', async () => {
    const server = await start(() => undefined);
    const { socket, received } = open(server);
    socket.write(`${HEAD}\r\n`);
    await wait(50);
    const began = performance.now();
    await server.stop(100);
    expect(performance.now() - began).toBeGreaterThan(90);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(await received).toBe('');
  });
});

describe('listening', () => {
  it.each([
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost', /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/],
  ])('on %s says where it is reached', async (host, pattern) => {
    const server = await startHttpServer((_req, res) => res.end('here'), { host, port: 0 });
    running.push(server);
    expect(server.url).toMatch(pattern);
    expect(await (await fetch(server.url)).text()).toBe('here');
  });

  it.each([
    [
      'a port that is taken',
      (port: number) => ({ host: '127.0.0.1', port }),
      'another program listens there',
    ],
    ['an address of another machine', () => ({ host: '192.0.2.1', port: 0 }), 'EADDRNOTAVAIL'],
  ])('on %s fails, and says why', async (_what, at, why) => {
    const { url } = await start();
    const failing = startHttpServer(() => undefined, at(Number(new URL(url).port)));
    await expect(failing).rejects.toThrow(OperatorError);
    await expect(failing).rejects.toThrow(why);
  });
});
