/**
 * Sends requests at a constant rate even if responses are late. Measures each latency from the time at which the request
 * was due, so that a stall of the server counts for every request that it delays. autocannon cannot do this: with a rate
 * limit it sends a burst each second and then pauses, which hides stalls.
 * `node dist/scripts/bench/programs/pace.js` reads `PaceOptions` from stdin and prints `PaceResult`, both as JSON.
 */
import { type Socket, connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** The load. Every response must have this status and no body. The first second is not measured. */
export type PaceOptions = {
  readonly url: string;
  /** Requested one after the other, repeatedly. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly status: number;
};

/** Distribution of latencies in milliseconds. */
export type PaceResult = {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
};

const CONNECTIONS = 50;
const TICK_MS = 1;
/** Not measured, because this program itself is slow at first. */
const WARM_UP_SECONDS = 1;

async function pace({ url, paths, headers, rate, seconds, status }: PaceOptions): Promise<PaceResult> {
  const { hostname, port, host } = new URL(url);
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const requests = paths.map((each) => `GET ${each} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const warmUpRequests = Math.round(rate * WARM_UP_SECONDS);
  const total = warmUpRequests + Math.round(rate * seconds);
  const latenciesMs: number[] = [];
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
    latenciesMs.push(performance.now() - (dueOf.get(socket) ?? Number.NaN));
    const next = waiting.shift();
    if (next === undefined) idle.push(socket);
    else send(socket, next);
  }

  for (let i = 0; i < CONNECTIONS; i += 1)
    idle.push(await open({ host: hostname, port: Number(port) }, status, take));
  const startedMs = performance.now();
  let sent = 0;
  while (latenciesMs.length < total) {
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
  return describe(latenciesMs.slice(warmUpRequests));
}

/** Opens a connection, and calls `take` after each response, which must have no body. */
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

function describe(latenciesMs: readonly number[]): PaceResult {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
  return { requests: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), p999Ms: at(0.999), maxMs: at(1) };
}

const result = await pace((await json(process.stdin)) as PaceOptions); // from the bench
process.stdout.write(`${JSON.stringify(result)}\n`);
