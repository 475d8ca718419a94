import { Agent, request as httpRequest } from 'node:http';
import { CHAIN_IDS, GENRES } from '../../../schemas/catalog.js';
import { bundlePath, dayPath, ENDPOINTS, manifestPath } from '../../../schemas/paths.js';
import { pick } from '../random/seeded.js';
import { sign } from '../stripe/signed-events.js';

/** Credentials, and what earlier answers contained. */
export type FuzzContext = {
  readonly keys: readonly string[];
  readonly sessions: readonly string[];
  /** Links, ETags and key ids of earlier answers. */
  readonly seen: { links: string[]; etags: string[]; keyIds: string[] };
};

/** A random request. `isKeyed`: it has a valid key. */
export type FuzzRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isKeyed: boolean;
};

const METHODS = ['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'REPORT'];
const DATES = [
  '2025-01-01',
  '2025-01-12',
  '2025-01-13',
  '2025-02-30',
  '2024-12-31',
  '2999-01-01',
  '0000-01-01',
];
const WINDOWS = ['latest', '7d', '30d', '365d'] as const;
const FILES = ['manifest.json', 'latest.json', '7d/latest.json', '365d/latest.json', '14d/latest.json', 'x'];
const OTHERS = [
  '/api/v1/status',
  '/api/v1/analyst-kit/base/regime-calendar',
  '/api/v1/analyst-kit/bitcoin/regime-calendar',
  '/api/v1/landing',
  '/api/v1/timestamp.jws',
  '/.well-known/chain-reference-data/keys.jws',
  '/api/v1/methodology/v1.md',
  '/problems/gone',
  '/charts/base.svg',
  ...Object.values(ENDPOINTS).filter((path) => path !== ENDPOINTS.keys), // a key could revoke itself there
  '/',
  '/_objects/',
  '/api/v1/files/',
];
const QUERIES = [
  'redirect=false',
  'redirect=true',
  'redirect=no',
  'revision=2025-01-13.000001',
  'revision=x',
  'a=b',
  '=',
  '%',
];
const NOISE = ['..', '//', '%2e%2e', '%2f', ';', '\\', '.', '%', '%zz', 'é', '%00', '@', '*', '~', '?'];
const BODIES = [
  '{}',
  '{"label":"a key"}',
  '{"label":7}',
  '[',
  '{"id":"abcdefgh"}',
  'null',
  '"x"',
  '{"label":"\u0000"}',
];
/** Paths of checkout. No body is a valid purchase and no event has a customer, so Stripe is never called. */
const CHECKOUT_PATHS = ['/api/v1/checkout', '/api/v1/checkout/portal'] as const;
const WEBHOOK_PATH = '/api/v1/stripe/webhook';
const PURCHASES = [
  '{"plan":"gold"}',
  '{"plan":"basic"}',
  '{"plan":"pro","chain":"base"}',
  '{"plan":"basic","chain":7}',
  '{"plan":["pro"]}',
];
const EVENTS = [
  '{"id":"evt_1","type":"product.created","livemode":false,"data":{"object":{}}}',
  '{"id":"evt_2","type":"invoice.paid","livemode":true,"data":{"object":{}}}',
  '{"id":"evt_3","type":"invoice.paid","livemode":false,"data":{"object":{"customer":null}}}',
  '{"id":7,"type":"toString","livemode":null,"data":{"object":{"customer":{}}}}',
  '{"id":"evt_4","type":"invoice.paid","livemode":false,"data":null}',
];
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/x-www-form-urlencoded',
  '',
];

/**
 * Creates a random request. Its kind is a number in [0, 1): up to 0.66 a file, 0.72 a link, 0.8 the keys, 0.94 any other
 * path, 0.97 checkout or an event, and above that the entitlements.
 */
export function makeRequest(random: () => number, context: FuzzContext): FuzzRequest {
  const isHit = (share: number): boolean => random() < share;
  const kind = random();
  if (kind >= 0.94 && kind < 0.97) return makeCheckoutRequest(random, context);
  const isKeysPath = kind >= 0.72 && kind < 0.8;
  const method = isHit(isKeysPath ? 0.4 : 0.8) ? 'GET' : pick(METHODS, random);
  const path = isKeysPath ? '/api/v1/keys' : makePath(kind, random, context);
  const target = isHit(0.12) ? damage(path, random) : path;
  const query = isHit(0.25) && !target.includes('?') ? `?${pick(QUERIES, random)}` : '';
  const credentials = makeCredentials({ isDashboard: isKeysPath || kind >= 0.97, random, context });
  const hasBody = isHit(isKeysPath ? 0.7 : 0.1);
  const body = hasBody ? makeBody(random, context) : '';
  return {
    method,
    target: `${target}${query}`,
    headers: {
      ...credentials.headers,
      ...(isHit(0.1) ? { 'If-None-Match': isHit(0.5) ? '*' : (context.seen.etags.at(-1) ?? 'x') } : {}),
      ...(isHit(0.1)
        ? { Range: pick(['bytes=0-9', 'bytes=-5', 'bytes=999999999-', 'lines=1', 'bytes=0-1,3-4'], random) }
        : {}),
      ...(isHit(0.1)
        ? { Accept: pick(['application/json; profile="signed-url"', '*/*', ';q=0', 'text/html'], random) }
        : {}),
      ...(isHit(0.1)
        ? { Origin: pick(['https://app.example.com', 'null', 'https://evil.example'], random) }
        : {}),
      ...(body === '' ? {} : { 'Content-Type': pick(TYPES, random) }),
    },
    body,
    isKeyed: credentials.isKeyed,
  };
}

/** Creates a request of checkout, or an event, half of them with a valid signature. */
function makeCheckoutRequest(random: () => number, context: FuzzContext): FuzzRequest {
  const isEvent = random() < 0.5;
  const path = isEvent ? WEBHOOK_PATH : pick(CHECKOUT_PATHS, random);
  const target = random() < 0.12 ? damage(path, random) : path;
  const method = random() < 0.8 ? 'POST' : pick(['GET', ...METHODS], random);
  const body = random() < 0.3 ? makeBody(random, context) : pick(isEvent ? EVENTS : PURCHASES, random);
  const signature = random() < 0.5 ? 't=1,v1=00' : sign(body, { nowMs: Date.now() });
  const { headers } = makeCredentials({ isDashboard: true, random, context });
  return {
    method,
    target: random() < 0.1 ? `${target}?${pick(QUERIES, random)}` : target,
    headers: {
      ...(isEvent ? { 'Stripe-Signature': signature } : headers),
      ...(random() < 0.7
        ? { 'Content-Type': pick(TYPES.slice(0, 2), random) }
        : { 'Content-Type': pick(TYPES, random) }),
      ...(random() < 0.1 ? { 'Content-Encoding': pick(['gzip', 'identity', 'x'], random) } : {}),
    },
    body: random() < 0.1 ? '' : body,
    isKeyed: false,
  };
}

function makeBody(random: () => number, { seen }: FuzzContext): string {
  const share = random();
  if (share < 0.02) return 'x'.repeat(70_000);
  return share < 0.3 ? JSON.stringify({ id: seen.keyIds.at(-1) ?? 'x' }) : pick(BODIES, random);
}

function makePath(kind: number, random: () => number, { seen }: FuzzContext): string {
  if (kind < 0.45) {
    const genre = pick(GENRES, random);
    const chain = pick(['base', 'bitcoin'] as const, random);
    const share = random();
    if (share < 0.2) return manifestPath(genre, chain);
    return share < 0.6
      ? dayPath(genre, chain, pick(DATES, random))
      : bundlePath(genre, chain, pick(WINDOWS, random));
  }
  if (kind < 0.66) {
    const genre = pick([...GENRES, 'price'], random);
    const chain = pick([...CHAIN_IDS, 'solana'], random);
    const folder = genre === 'briefs' && random() < 0.5 ? `briefs/chains/${chain}` : `${genre}/${chain}`;
    return `/api/v1/files/${folder}/${random() < 0.5 ? `${pick(DATES, random)}.json` : pick(FILES, random)}`;
  }
  if (kind < 0.72) return seen.links.at(Math.floor(random() * seen.links.length)) ?? '/_objects/x';
  return kind < 0.97 ? pick(OTHERS, random) : '/api/v1/entitlements';
}

type CredentialOptions = {
  readonly isDashboard: boolean;
  readonly random: () => number;
  readonly context: FuzzContext;
};

function makeCredentials({ isDashboard, random, context }: CredentialOptions): {
  headers: Record<string, string>;
  isKeyed: boolean;
} {
  const share = random();
  if (isDashboard && share < 0.7) {
    const session = pick(context.sessions, random);
    return {
      headers: { Authorization: `Bearer ${share < 0.1 ? flip(session, random) : session}` },
      isKeyed: false,
    };
  }
  const key = pick(context.keys, random);
  if (isDashboard) return { headers: { 'X-API-Key': flip(key, random) }, isKeyed: false }; // a valid key could be revoked
  if (share < 0.65) return { headers: { 'X-API-Key': key }, isKeyed: true };
  if (share < 0.85) return { headers: { 'X-API-Key': flip(key, random) }, isKeyed: false };
  return { headers: {}, isKeyed: false };
}

/** Flips one bit of one character. If the result is not allowed in a header, removes the last character instead. */
function flip(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  const changed = String.fromCharCode(text.charCodeAt(at) ^ (1 << Math.floor(random() * 7)));
  return /[!-~]/.test(changed) ? text.slice(0, at) + changed + text.slice(at + 1) : text.slice(0, -1);
}

function damage(path: string, random: () => number): string {
  const at = Math.floor(random() * (path.length + 1));
  return path.slice(0, at) + pick(NOISE, random) + path.slice(at + (random() < 0.5 ? 1 : 0));
}

/** An answer of the gateway. */
export type FuzzAnswer = { readonly status: number; readonly type: string; readonly text: string };

const MAX_SEEN = 20;

/** Stores links, ETags and key ids of an answer for later requests. */
export function remember({ seen }: FuzzContext, { text, type }: FuzzAnswer): void {
  if (type !== 'application/json' || !/^\{"(url|key)":.*\}$/.test(text)) return;
  const { url, sha256, key, id } = JSON.parse(text) as {
    readonly [name in string]?: string; // other answers have other members
  };
  if (url !== undefined) {
    const { pathname, search } = new URL(url);
    seen.links = [...seen.links.slice(-MAX_SEEN), `${pathname}${search}`];
    seen.etags = [...seen.etags.slice(-MAX_SEEN), `"sha256:${sha256 ?? ''}"`];
  }
  if (key !== undefined && id !== undefined) seen.keyIds = [...seen.keyIds.slice(-MAX_SEEN), id];
}

/** Returns a client with keep-alive connections. Requests that Node refuses to send are `unsendable`. */
export function createFuzzClient(url: string): {
  readonly send: (request: FuzzRequest) => Promise<FuzzAnswer | 'unsendable'>;
  readonly close: () => void;
} {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const { hostname, port } = new URL(url);
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const { method, target, headers, body } = request;
        try {
          const sent = httpRequest(
            {
              agent,
              hostname,
              port,
              method,
              path: target,
              headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
            },
            (res) => {
              let text = '';
              res.setEncoding('utf8').on('data', (piece: string) => (text += piece));
              res.on('end', () => {
                resolve({ status: res.statusCode ?? 0, type: res.headers['content-type'] ?? '', text });
              });
              res.on('error', reject);
            },
          );
          sent.on('error', reject);
          sent.end(body);
        } catch {
          resolve('unsendable');
        }
      }),
    close: () => agent.destroy(),
  };
}
