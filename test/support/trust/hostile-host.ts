import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { startLoopbackServer, type LoopbackServer } from '../process/loopback-server.js';
import { pick } from '../random/seeded.js';
import type { VectorSite } from './vector-site.js';

type Random = () => number;

/** How a host answers a request for a file. */
export type HostileAnswer = {
  readonly name: string;
  readonly answer: (response: ServerResponse, bytes: Uint8Array) => void;
};

/** What a host does in one case: the files that it serves, and the answers that are not plain. */
export type HostilePlan = {
  /** Returns the files at the request with this number. */
  readonly siteAt: (request: number) => VectorSite;
  readonly answers: ReadonlyMap<string, HostileAnswer>;
  /** The requests that get these files and answers: others get the true site. */
  readonly passes: 'all' | 'first' | 'second';
};

/** A host that follows a plan for each case, and another host to which it may redirect. */
export type HostileHost = {
  readonly endpoint: string;
  /** Address of another host, which serves the true site. */
  readonly elsewhere: string;
  readonly follow: (plan: HostilePlan) => void;
  /** Number of requests of this case. */
  readonly requests: () => number;
  readonly dispose: () => Promise<void>;
};

export async function startHostileHost(honest: VectorSite): Promise<HostileHost> {
  let plan: HostilePlan = { siteAt: () => honest, answers: new Map(), passes: 'all' };
  let requests = 0;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    requests += 1;
    response.on('error', () => undefined); // the reader closed the connection
    const isSecond = request.headers['cache-control'] === 'no-cache';
    const isHostile = plan.passes === 'all' || (plan.passes === 'second') === isSecond;
    const path = request.url ?? '';
    const bytes = (isHostile ? plan.siteAt(requests) : honest).get(path);
    const hostile = isHostile ? plan.answers.get(path) : undefined;
    if (hostile !== undefined) hostile.answer(response, bytes ?? Buffer.of());
    else if (bytes === undefined) response.writeHead(404).end('no such file');
    else response.end(bytes);
  };
  const own = await startLoopbackServer(answer);
  const other: LoopbackServer = await startLoopbackServer((request, response) => {
    response.end(honest.get(request.url ?? ''));
  });
  return {
    endpoint: own.endpoint,
    elsewhere: other.endpoint,
    requests: () => requests,
    follow(next) {
      [plan, requests] = [next, 0];
    },
    async dispose() {
      await own.dispose();
      await other.dispose();
    },
  };
}

const STATUSES = [
  201, 202, 204, 205, 206, 300, 304, 400, 401, 403, 404, 410, 418, 429, 451, 500, 502, 503, 599,
];
const REDIRECTS = [301, 302, 303, 307, 308];
const RETRY_AFTER = [
  '',
  '0',
  '1',
  '-1',
  '0.5',
  '1e9',
  '9'.repeat(400),
  'soon',
  'Thu, 26 Nov 2026 13:00:00 GMT',
];
const AGES = ['0', '1', '-1', '1e3', '0x10', ' 7', '9'.repeat(400), '1, 2', 'soon'];
const ENCODINGS = [
  'br',
  'deflate',
  'gzip, gzip',
  'zstd',
  'identity',
  'x'.repeat(200),
  'gzip, gzip, gzip, gzip, gzip, gzip',
];
const BOMB = gzipSync(Buffer.alloc(2 ** 26)); // 64 MiB
const PIECE = Buffer.alloc(2 ** 16, '{"a":[1,2,3]},');

/** Returns an answer that is not plain: another status, redirect, header, length or pace. */
export function drawAnswer(random: Random, paths: readonly string[], elsewhere: string): HostileAnswer {
  return pick([drawStatus, drawRedirect, drawHeaders, drawLength, drawPace, drawWire], random)(random, {
    paths,
    elsewhere,
  });
}

type Draw = { readonly paths: readonly string[]; readonly elsewhere: string };

function drawStatus(random: Random): HostileAnswer {
  const status = pick(STATUSES, random);
  const headers = random() < 0.5 ? {} : { 'Retry-After': pick(RETRY_AFTER, random) };
  return {
    name: `status ${status}`,
    answer: (response, bytes) => void response.writeHead(status, headers).end(bytes),
  };
}

function drawRedirect(random: Random, { paths, elsewhere }: Draw): HostileAnswer {
  const status = pick(REDIRECTS, random);
  const path = pick(paths, random);
  const target = pick(
    [
      path,
      `${elsewhere}${path}`,
      'file:///etc/hostname',
      'data:application/json,{}',
      'http://[::1',
      '//',
      '?a',
      '',
    ],
    random,
  );
  const keepsPath = random() < 0.5; // otherwise a loop, or another file of the site
  return {
    name: `redirect to ${target}`,
    answer(response, bytes) {
      const own = response.req.url ?? '';
      const location = keepsPath && target.startsWith(elsewhere) ? `${elsewhere}${own}` : target;
      response.writeHead(status, { Location: location }).end(bytes);
    },
  };
}

function drawHeaders(random: Random): HostileAnswer {
  const [name, value] = pick<() => [string, string]>(
    [
      () => ['Age', pick(AGES, random)],
      () => ['Content-Encoding', pick(ENCODINGS, random)],
      () => ['Content-Type', pick(['text/html', 'multipart/byteranges', 'x', ''], random)],
      () => ['Content-Range', 'bytes 0-1/9'],
      () => ['X-Large', 'x'.repeat(pick([8_000, 100_000], random))],
      () => ['Set-Cookie', 'a=b; Path=/'],
      () => ['Link', '</docs>; rel=preload'],
      () => ['Refresh', '0; url=/docs'],
    ],
    random,
  )();
  return {
    name: `${name} ${value.slice(0, 20)}`,
    answer: (response, bytes) => void response.writeHead(200, { [name]: value }).end(bytes),
  };
}

/** An answer whose length differs from what it says, or has no end. */
function drawLength(random: Random): HostileAnswer {
  const lie = pick([-1, 1, 1_000], random);
  const answers: readonly HostileAnswer[] = [
    { name: 'without an end', answer: (response, bytes) => flood(response, bytes, PIECE) },
    { name: 'without an end, in gzip', answer: (response) => sendEncoded(response, 'gzip', BOMB) },
    {
      name: 'in gzip',
      answer: (response, bytes) => sendEncoded(response, 'gzip', gzipSync(bytes)),
    },
    {
      name: 'in gzip, and more after it',
      answer: (response, bytes) => sendEncoded(response, 'gzip', Buffer.concat([gzipSync(bytes), PIECE])),
    },
    {
      name: 'in gzip that is cut off',
      answer: (response, bytes) => sendEncoded(response, 'gzip', gzipSync(bytes).subarray(0, -5)),
    },
    {
      name: 'in deflate',
      answer: (response, bytes) => sendEncoded(response, 'deflate', deflateSync(bytes)),
    },
    {
      name: `with a length that is wrong by ${lie}`,
      answer(response, bytes) {
        response.socket?.end(
          Buffer.concat([
            Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length + lie}\r\n\r\n`),
            bytes,
          ]),
        );
      },
    },
  ];
  return pick(answers, random);
}

function sendEncoded(response: ServerResponse, encoding: string, bytes: Uint8Array): void {
  response.writeHead(200, { 'Content-Encoding': encoding }).end(bytes);
}

/** Sends a piece again and again until the reader closes the connection. */
function flood(response: ServerResponse, first: Uint8Array, piece: Uint8Array): void {
  response.write(first);
  const send = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', send);
  send();
}

/** An answer that takes long, or that breaks off. */
function drawPace(random: Random): HostileAnswer {
  const answers: readonly HostileAnswer[] = [
    { name: 'no answer', answer: () => undefined },
    { name: 'no body', answer: (response) => response.writeHead(200).flushHeaders() },
    { name: 'no end', answer: (response, bytes) => void response.writeHead(200).write(bytes) },
    {
      name: 'a byte at a time',
      answer(response, bytes) {
        for (const byte of bytes.subarray(0, 2_000)) response.write(Uint8Array.of(byte));
        response.end(bytes.subarray(2_000));
      },
    },
    {
      name: 'a byte each 20 ms',
      answer(response, bytes) {
        let sent = 0;
        const timer = setInterval(() => void response.write(bytes.subarray(sent, (sent += 1))), 20);
        response.on('close', () => clearInterval(timer));
      },
    },
    { name: 'a closed connection', answer: (response) => void response.socket?.destroy() },
    {
      name: 'a connection that is closed in the body',
      answer(response, bytes) {
        response.writeHead(200, { 'Content-Length': bytes.length });
        response.write(bytes.subarray(0, -1), () => response.socket?.destroy());
      },
    },
  ];
  return pick(answers, random);
}

/** An answer that is no HTTP, or little of it. */
function drawWire(random: Random): HostileAnswer {
  const text = pick(
    [
      'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc',
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\nabc',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      'HTTP/1.1 999 \u001b[2J\r\n\r\n',
      'HTTP/1.1 200 OK\r\n a: b\r\n\r\n',
      'HTTP/9.9 200 OK\r\n\r\n',
      'SSH-2.0-OpenSSH_9.6\r\n',
      '\0\u0001\u0002',
      'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000),
    ],
    random,
  );
  return {
    name: JSON.stringify(text.slice(0, 60)),
    answer: (response) => endSocket(response.socket, text),
  };
}

function endSocket(socket: Socket | null, text: string): void {
  socket?.end(Buffer.from(text, 'latin1'));
}
