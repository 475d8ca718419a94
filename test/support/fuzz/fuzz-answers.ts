import { connect } from 'node:net';
import { PROBLEMS } from '../../../gateway/core/problems.js';

/** An answer in a stream. */
export type StreamAnswer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Writes bytes to a new connection, and returns everything received until it is closed. The connection is ended after
 * `idleMs` without data, because the gateway may wait for more of an incomplete request.
 */
export function exchangeBytes(url: string, pieces: readonly Uint8Array[], idleMs: number): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let late: NodeJS.Timeout | undefined;
    const idle = setTimeout(() => {
      socket.end();
      late ??= setTimeout(() => {
        reject(new Error('the gateway does not close a connection that the client has ended'));
        socket.destroy();
      }, CLOSE_TIMEOUT_MS);
    }, idleMs);
    socket.on('connect', () => void writeAll(pieces, (piece) => socket.writable && socket.write(piece)));
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      idle.refresh();
    });
    socket.on('error', () => undefined); // the gateway may reset the connection; what it sent before counts
    socket.on('close', () => {
      clearTimeout(idle);
      clearTimeout(late);
      resolve(Buffer.concat(received).toString('latin1'));
    });
  });
}

async function writeAll(pieces: readonly Uint8Array[], write: (piece: Uint8Array) => void): Promise<void> {
  for (const piece of pieces) {
    write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const HEAD = /^HTTP\/1\.1 (\d{3}) [ -~]*\r\n((?:[!-9;-~]+: ?[ -~\t]*\r\n)*)\r\n/;

/** Parses a stream of answers. @throws Error if an answer is malformed or differs from its announced length. */
export function parseAnswers(stream: string): StreamAnswer[] {
  const answers: StreamAnswer[] = [];
  let rest = stream;
  while (rest !== '') {
    const [head = '', code, lines = ''] = HEAD.exec(rest) ?? [];
    if (code === undefined)
      throw new Error(`this is not the beginning of an answer: ${JSON.stringify(rest.slice(0, 200))}`);
    const status = Number(code);
    const headers = parseHeaders(lines);
    const sizeBytes = status < 200 || status === 204 || status === 304 ? 0 : readLength(headers);
    rest = rest.slice(head.length);
    const isWithoutBody = rest === '' || rest.startsWith('HTTP/1.1 '); // the answer to HEAD
    const body = isWithoutBody ? '' : rest.slice(0, sizeBytes);
    if (!isWithoutBody && body.length < sizeBytes) throw new Error(`an answer is truncated: ${head}`);
    rest = rest.slice(body.length);
    if (status >= 200) answers.push({ status, headers, body });
  }
  return answers;
}

function parseHeaders(lines: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines.split('\r\n').slice(0, -1)) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).toLowerCase();
    if (headers.has(name)) throw new Error(`an answer has ${name} twice`);
    headers.set(name, line.slice(at + 1).trim());
  }
  return headers;
}

function readLength(headers: ReadonlyMap<string, string>): number {
  const text = headers.get('content-length');
  if (text === undefined || !/^\d+$/.test(text)) throw new Error('an answer has no valid Content-Length');
  return Number(text);
}

/** Returns the fault of an answer that is wrong for any request, or `undefined`. */
export function faultOfAnswer({ status, headers, body }: StreamAnswer): string | undefined {
  const type = headers.get('content-type');
  const what = `${status} ${type ?? ''} ${body.slice(0, 200)}`;
  if (status >= 500) return what;
  if (status < 400) return undefined;
  if (type !== 'application/problem+json') return what;
  if (body === '') return undefined; // the answer to HEAD
  const { code, status: stated } = JSON.parse(body) as { code: string; status: number }; // a problem
  return Object.hasOwn(PROBLEMS, code) && stated === status ? undefined : what;
}
