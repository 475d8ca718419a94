import { bundlePath, calendarPath, dayPath, manifestPath } from '../../../schemas/paths.js';
import type { FuzzContext } from './fuzz-requests.js';
import { pick } from '../random/seeded.js';

/** The text of a valid request. */
export type ValidRequest = { readonly text: string };

/** The bytes of one connection: valid requests, and perhaps damaged bytes after them. */
export type FuzzStream = {
  readonly valid: readonly ValidRequest[];
  readonly isDamaged: boolean;
  readonly pieces: readonly Buffer[];
};

const DAY = dayPath('gold', 'base', '2025-01-02');
const BUNDLE = bundlePath('gold', 'bitcoin', '7d');
const MANIFEST = manifestPath('gold', 'base');

/** Returns requests of all routes that are answered in the same way each time. */
export function listValidRequests({
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
export function asLast({ text }: ValidRequest): string {
  return text.replace('\r\n', '\r\nConnection: close\r\n');
}

/** Creates the bytes of a connection: valid requests, followed half of the time by a damaged one. */
export function makeStream(random: () => number, valid: readonly ValidRequest[]): FuzzStream {
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
