/**
 * Sends requests at an even rate, whether or not the answers come in time, and measures each from the moment at which
 * it was due: a server that stalls is charged for all that it kept waiting, and for our own lateness too. (The rate of
 * autocannon is a burst at the beginning of each second and a rest until the next, in which a stall is not seen.)
 * `node dist/scripts/bench/gateway-pace.js` reads one JSON document of `PaceTerms` from stdin and prints one of
 * `PaceResult`.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { json } from 'node:stream/consumers';

/** What to send, how often a second, and for how long, after a second that is not measured; every answer must have the status and no body. */
export type PaceTerms = {
  readonly url: string;
  /** Asked for in turns. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly rate: number;
  readonly seconds: number;
  readonly status: number;
};

/** How long answers took, in milliseconds. */
export type PaceResult = {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
};

const CONNECTIONS = 50;
const TICK_MS = 1;
/** Not measured: this program is slow itself at first. */
const WARM_UP_SECONDS = 1;

async function pace({ url, paths, headers, rate, seconds, status }: PaceTerms): Promise<PaceResult> {
  const { hostname, port, host } = new URL(url);
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const requests = paths.map((each) => `GET ${each} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const early = Math.round(rate * WARM_UP_SECONDS);
  const total = early + Math.round(rate * seconds);
  const took: number[] = [];
  const idle: Socket[] = [];
  const waiting: number[] = [];
  const dueOf = new Map<Socket, number>();

  let turn = 0;
  function send(socket: Socket, dueMs: number): void {
    dueOf.set(socket, dueMs);
    socket.write(requests[turn % requests.length] ?? '');
    turn += 1;
  }

  function take(socket: Socket): void {
    took.push(performance.now() - (dueOf.get(socket) ?? Number.NaN));
    const next = waiting.shift();
    if (next === undefined) idle.push(socket);
    else send(socket, next);
  }

  for (let i = 0; i < CONNECTIONS; i += 1)
    idle.push(await open({ host: hostname, port: Number(port) }, status, take));
  const startedMs = performance.now();
  let sent = 0;
  while (took.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedMs) / 1000) * rate));
    for (; sent < due; sent += 1) {
      const dueMs = startedMs + (sent / rate) * 1000;
      const socket = idle.shift();
      if (socket === undefined) waiting.push(dueMs);
      else send(socket, dueMs);
    }
    await sleep(TICK_MS);
  }
  for (const socket of idle) socket.removeAllListeners('close').destroy();
  return describe(took.slice(early));
}

/** Opens a connection on which answers without a body come one after another; `take` is told of each. */
async function open(
  at: { readonly host: string; readonly port: number },
  status: number,
  take: (socket: Socket) => void,
): Promise<Socket> {
  const socket = connect({ ...at, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  let head = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    head += piece;
    if (!head.endsWith('\r\n\r\n')) return;
    if (!head.startsWith(`HTTP/1.1 ${status} `)) throw new Error(`not ${status}: ${head.slice(0, 300)}`);
    head = '';
    take(socket);
  });
  return socket.once('close', () => {
    throw new Error('the server closed a connection');
  });
}

function describe(took: readonly number[]): PaceResult {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
  return { requests: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), p999Ms: at(0.999), maxMs: at(1) };
}

const result = await pace((await json(process.stdin)) as PaceTerms); // what the bench passes
process.stdout.write(`${JSON.stringify(result)}\n`);
