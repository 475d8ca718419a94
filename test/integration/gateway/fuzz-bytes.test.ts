import { startFuzzGateway, type FuzzGateway } from '../../support/fuzz/fuzz-gateway.js';
import { createRandom, pick } from '../../support/random/seeded.js';
import { connect } from 'node:net';
import { PROBLEMS } from '../../../gateway/core/problems.js';
import { bundlePath, calendarPath, dayPath, ENDPOINTS, manifestPath } from '../../../schemas/paths.js';
import type { FuzzContext } from '../../support/fuzz/fuzz-requests.js';

/** The text of a valid request. */
type ValidRequest = { readonly text: string };

/** The bytes of one connection: valid requests, and perhaps damaged bytes after them. */
type FuzzStream = {
  readonly valid: readonly ValidRequest[];
  readonly isDamaged: boolean;
  readonly pieces: readonly Buffer[];
};

const DAY = dayPath('gold', 'base', '2025-01-02');
const BUNDLE = bundlePath('gold', 'bitcoin', '7d');
const MANIFEST = manifestPath('gold', 'base');

/** Returns requests of all routes that are answered in the same way each time. */
function listValidRequests({
  keys: [research = '', single = ''],
  sessions: [session = '', other = ''],
}: FuzzContext): ValidRequest[] {
  const key = `X-API-Key: ${research}`;
  const bearer = (token: string): string => `Authorization: Bearer ${token}`;
  return [
    ...[DAY, BUNDLE, MANIFEST, `${DAY}?redirect=false`, `${DAY}?revision=2025-01-14.000001`].map((path) => write('GET', path, [key])),
    ...[DAY, BUNDLE].map((path) => write('HEAD', path, [key])),
    write('GET', DAY, [key, 'If-None-Match: *']),
    write('GET', `http://elsewhere.example${MANIFEST}`, [key]),
    write('GET', BUNDLE, [`X-API-Key: ${single}`]),
    write('GET', BUNDLE, []),
    write('PUT', BUNDLE, [key], 'x'.repeat(3_000)),
    write('POST', BUNDLE, [key], 'x'.repeat(70_000)),
    write('OPTIONS', DAY, []),
    write('CHECKOUT', DAY, []),
    write('GET', calendarPath('base'), []),
    write('GET', calendarPath('base'), ['Range: bytes=0-9']),
    write('GET', '/problems/gone', []),
    write('GET', '/healthz', []),
    write('GET', '/nothing', [key]),
    write('GET', `/_objects/${'a'.repeat(64)}`, []),
    write('GET', '/api/v1/entitlements', [key]),
    write('POST', '/api/v1/keys', [bearer(other), 'Content-Type: application/json'], '{"label":"none"}'),
    write('POST', '/api/v1/keys', [bearer(session), 'Content-Type: application/json'], `"${'x'.repeat(70_000)}"`),
    write('POST', '/api/v1/keys', [bearer(session), 'Content-Type: text/plain'], '{}'),
    write('DELETE', '/api/v1/keys', [bearer(session), 'Content-Type: application/json'], '{"id":"nobodys1"}'),
    write('POST', '/api/v1/checkout', [bearer(session), 'Content-Type: application/json'], '{"plan":"basic"}'),
    write('POST', '/api/v1/checkout', [key, 'Content-Type: application/json'], '{"plan":"pro"}'),
    write('POST', '/api/v1/checkout/portal', [bearer(other)]),
    write('GET', '/api/v1/checkout/portal', []),
    write('POST', '/api/v1/stripe/webhook', ['Stripe-Signature: t=1,v1=00', 'Content-Type: application/json'], '{"id":"evt_1"}'),
    write('POST', '/api/v1/stripe/webhook', ['Stripe-Signature: t=1,v1=00'], 'x'.repeat(70_000)),
    write('POST', '/api/v1/stripe/webhook', ['Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'),
    write('DELETE', '/api/v1/keys?id=nobodys1', [bearer(session), 'Transfer-Encoding: chunked', 'Content-Type: application/json'], '2\r\n{}\r\n0\r\n\r\n'),
  ]; // prettier-ignore
}

function write(method: string, target: string, headers: readonly string[], body = ''): ValidRequest {
  const isChunked = headers.includes('Transfer-Encoding: chunked');
  const length = body === '' || isChunked ? [] : [`Content-Length: ${body.length}`];
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: gateway', ...headers, ...length];
  return { text: `${lines.join('\r\n')}\r\n\r\n${body}` };
}

/** Returns the request with the header that ends the connection. */
function asLast({ text }: ValidRequest): string {
  return text.replace('\r\n', '\r\nConnection: close\r\n');
}

/** Creates the bytes of a connection: valid requests, followed half of the time by a damaged one. */
function makeStream(random: () => number, valid: readonly ValidRequest[]): FuzzStream {
  const before = Array.from({ length: Math.floor(random() * 5) }, () => pick(valid, random));
  const last = pick(valid, random);
  const isDamaged = random() < 0.5;
  const end = isDamaged ? `${damageRequest(last.text, random)}${asLast(last)}` : asLast(last);
  const text = before.map((each) => each.text).join('') + end;
  return {
    valid: isDamaged ? before : [...before, last],
    isDamaged,
    pieces: cut(Buffer.from(text, 'latin1'), random),
  };
}

/** Cuts the bytes into up to four pieces. */
function cut(bytes: Buffer, random: () => number): Buffer[] {
  const cuts = random() < 0.7 ? [] : Array.from({ length: 3 }, () => Math.floor(random() * bytes.length));
  const ends = [...cuts.sort((one, other) => one - other), bytes.length];
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
}

type Damage = (text: string, random: () => number) => string;

/** Draws the place of a damage: in the first bytes, because damage within a long body seldom matters. */
const at = (text: string, random: () => number): number => Math.floor(random() * Math.min(text.length, 600));

const insert: (inserted: string) => Damage = (inserted) => (text, random) => {
  const i = at(text, random);
  return text.slice(0, i) + inserted + text.slice(i);
};
const addLine: (line: string) => Damage = (line) => (text) => text.replace('\r\n', `\r\n${line}\r\n`);
const replaceTarget: (target: string) => Damage = (target) => (text) => text.replace(/ \S+ /, ` ${target} `);

const DAMAGES: readonly Damage[] = [
  (text, random) => {
    const i = at(text, random);
    const changed = String.fromCharCode(text.charCodeAt(i) ^ (1 << Math.floor(random() * 8)));
    return text.slice(0, i) + changed + text.slice(i + 1);
  },
  (text, random) => {
    const i = at(text, random);
    return text.slice(0, i) + text.slice(i + 1 + Math.floor(random() * 8));
  },
  ...['\0', '\r', '\n', '\r\n', '\r\n\r\n', ' ', '\t', ':', '%00', '%', '\\', '\x7f', '\xff', '\xc0\xae', '..', '//', '#'].map(insert),
  ...['/%', '/%zz', '/%00', '/\\..\\', '*', 'gateway:443', 'http://', 'http://[::1', 'ftp://x/y', '//x', '', '/%2e%2e/', `/${'a'.repeat(9_000)}`, `/${'a/'.repeat(20_000)}`].map(replaceTarget),
  ...['Content-Length: 5', 'Content-Length: -1', 'Content-Length: 18446744073709551617', 'Transfer-Encoding: chunked', 'Transfer-Encoding: gzip, chunked', 'Transfer-Encoding : chunked', 'Host: other', 'X-API-Key: x', 'Authorization: Bearer x', 'Expect: 100-continue', 'Expect: a miracle', 'Upgrade: h2c', 'Upgrade: websocket\r\nConnection: Upgrade', 'Connection: X-API-Key', ' folded: yes', 'No colon', ': no name', `X-Long: ${'a'.repeat(20_000)}`, 'Content-Encoding: gzip', 'Range: bytes=-0', 'If-None-Match: W/"', 'Origin: https://app.example.com', 'Accept: application/json; profile="signed-url', 'X-Forwarded-For: 1.2.3.4'].map(addLine),
  addLine(Array.from({ length: 2_500 }, (_, i) => `a${i}:`).join('\r\n')),
  (text) => text.replaceAll('\r\n', '\n'),
  (text) => text.replace('HTTP/1.1', 'HTTP/1.0'),
  (text) => text.replace('HTTP/1.1', 'HTTP/2.0'),
  (text) => text.replace(' HTTP/1.1', ''),
  (text) => text.replace('Host: gateway\r\n', ''),
  (text) => text.toLowerCase(),
  (text) => text.replace(/^\S+/, 'CONNECT'),
  (text, random) => text.slice(0, at(text, random)),
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  (_text, random) => Array.from({ length: 200 }, () => String.fromCharCode(Math.floor(random() * 256))).join(''),
]; // prettier-ignore

/** Applies up to three damages to a request. */
function damageRequest(text: string, random: () => number): string {
  let damaged = text;
  for (let damages = 1 + Math.floor(random() * 3); damages > 0; damages -= 1) {
    damaged = pick(DAMAGES, random)(damaged, random);
  }
  return damaged;
}

/** An answer in a stream. */
type StreamAnswer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Writes bytes to a new connection, and returns everything received until it is closed. The connection is ended after
 * `idleMs` without data, because the gateway may wait for more of an incomplete request.
 */
function exchangeBytes(url: string, pieces: readonly Uint8Array[], idleMs: number): Promise<string> {
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
function parseAnswers(stream: string): StreamAnswer[] {
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
function faultOfAnswer({ status, headers, body }: StreamAnswer): string | undefined {
  const type = headers.get('content-type');
  const what = `${status} ${type ?? ''} ${body.slice(0, 200)}`;
  if (status >= 500) return what;
  if (status < 400) return undefined;
  if (type !== 'application/problem+json') return what;
  if (body === '') return undefined; // the answer to HEAD
  const { code, status: stated } = JSON.parse(body) as { code: string; status: number }; // a problem
  return Object.hasOwn(PROBLEMS, code) && stated === status ? undefined : what;
}

/** Number of connections. Each sends several requests, about four. */
const CONNECTIONS = Number(process.env['CRD_TEST_FUZZ'] ?? '20000') / 4;
const SEED = Number(process.env['CRD_TEST_FUZZ_SEED'] ?? '1');
/** Number of concurrent connections. */
const AT_ONCE = 32;
/** Idle time after which the test closes a connection: one that the gateway must close, and one that it may keep. */
const VALID_IDLE_MS = 10_000;
const DAMAGED_IDLE_MS = 300;
const MAX_FAULTS = 10;
/** Maximum size of a body. */
const LIMIT_BYTES = 65_536;
const SLOW_MS = 3_600_000;

let fuzz: FuzzGateway;
let valid: readonly ValidRequest[];
/** The answer to each request on a separate connection. */
const expected = new Map<ValidRequest, string>();
beforeAll(async () => {
  fuzz = await startFuzzGateway();
  valid = listValidRequests(fuzz.context);
  for (const request of valid) {
    const [answer, ...others] = await exchange([Buffer.from(asLast(request))], VALID_IDLE_MS);
    if (answer === undefined || others.length > 0) throw new Error('there must be one answer');
    expected.set(request, describeAnswer(answer));
  }
}, SLOW_MS);
afterAll(() => fuzz.dispose(), SLOW_MS);

async function exchange(pieces: readonly Uint8Array[], idleMs: number): Promise<StreamAnswer[]> {
  return parseAnswers(await exchangeBytes(fuzz.gateway.url, pieces, idleMs));
}

/** Returns the parts of an answer that are the same each time. */
function describeAnswer({ status, headers, body }: StreamAnswer): string {
  const { code } = body.startsWith('{"type"') ? (JSON.parse(body) as { code: string }) : { code: '' }; // a problem
  return [status, headers.get('etag'), headers.get('content-type'), code].join(' ');
}

/** Returns true for the answer to bytes that are not a request, which is the last one of its connection. */
function isUnreadable({ status, headers }: StreamAnswer): boolean {
  return status === 400 && !headers.has('x-request-id');
}

/** Returns true for a request with a body that is not read, whose answer is the last one of its connection. */
function isTooLarge({ text }: ValidRequest): boolean {
  if (text.startsWith(`POST ${ENDPOINTS.webhook} `)) return false; // the limit of events is above all of these bodies
  return Number(/^Content-Length: (\d+)\r$/m.exec(text)?.[1] ?? 0) > LIMIT_BYTES;
}

/** Returns the fault of the answers to a stream, or `undefined`. */
function faultOfStream(stream: FuzzStream, answers: readonly StreamAnswer[]): string | undefined {
  for (const answer of answers) {
    const fault = faultOfAnswer(answer);
    if (fault !== undefined) return fault;
  }
  if (answers.slice(0, -1).some(isUnreadable))
    return 'an answer came after the answer to an unreadable request';
  for (const [i, request] of stream.valid.entries()) {
    const answer = answers[i];
    const isEnded = answer === undefined || isUnreadable(answer);
    if (isEnded && stream.isDamaged) return undefined; // damaged bytes may end the connection at any time
    const found = answer === undefined ? 'nothing' : describeAnswer(answer);
    if (found !== expected.get(request)) return `${found}, not ${expected.get(request) ?? ''}`;
    if (isTooLarge(request))
      return answers.length === i + 1 ? undefined : 'an answer came after a large body';
  }
  const isComplete = stream.isDamaged || answers.length === stream.valid.length;
  return isComplete ? undefined : `${answers.length} answers to ${stream.valid.length} requests`;
}

it('the valid requests get each of these statuses', () => {
  const found = [...expected.values()].map((each) => each.slice(0, 3));
  expect([...new Set(found)].sort()).toEqual([
    '200',
    '204',
    '206',
    '304',
    '307',
    '400',
    '401',
    '403',
    '404',
    '405',
    '413',
    '415',
  ]);
});

it(
  'answers damaged, split and pipelined bytes one by one in their order, without internal errors',
  async () => {
    const random = createRandom(SEED);
    const faults: string[] = [];
    const tally = { sent: 0, answers: 0, unreadable: 0 };
    const work = async (): Promise<void> => {
      while (tally.sent < CONNECTIONS && faults.length < MAX_FAULTS) {
        tally.sent += 1;
        const stream = makeStream(random, valid);
        const text = Buffer.concat(stream.pieces).toString('latin1');
        try {
          const answers = await exchange(stream.pieces, stream.isDamaged ? DAMAGED_IDLE_MS : VALID_IDLE_MS);
          tally.answers += answers.length;
          tally.unreadable += answers.filter(isUnreadable).length;
          const fault = faultOfStream(stream, answers);
          if (fault !== undefined)
            faults.push(`${fault}: ${JSON.stringify(text.replaceAll(/x{99,}/g, 'x...').slice(0, 3_000))}`);
        } catch (error) {
          faults.push(
            `${String(error)}: ${JSON.stringify(text.replaceAll(/x{99,}/g, 'x...').slice(0, 3_000))}`,
          );
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const memory = await fuzz.readMetric('process_resident_memory_bytes');
    const { sent, answers, unreadable } = tally;
    process.stderr.write(
      `${sent} connections, ${answers} answers, ${unreadable} to unreadable requests, ${Math.round(memory / 1e6)} MB\n`,
    );
    expect(faults).toEqual([]);
    const counts = await fuzz.readCounts();
    expect(
      [...counts].filter(([, { statuses }]) => Object.keys(statuses).some((status) => status >= '500')),
    ).toEqual([]);
    // A route is a template, or none if no template matches. Text of a request must never become one.
    expect([...counts.keys()].filter((route) => !route.startsWith('/') && route !== 'none')).toEqual([]);
  },
  SLOW_MS,
);
