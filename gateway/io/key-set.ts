import { createReadStream } from 'node:fs';
import {
  createLocalJWKSet,
  errors,
  type CryptoKey,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type LocalJWKSet,
} from 'jose';
import { GatewayError } from '../core/problems.js';
import type { KeySetAddress } from '../core/web-address.js';

/** The identity provider's keys, read when they are needed. */
export type KeySet = {
  /** Reads them before the first token comes, so that the log tells at the start of what is wrong. Never rejects. */
  readonly prepare: () => Promise<void>;
  /**
   * The one key that the header of a token calls for; only `alg` and `kid` are looked at, never a key or an address
   * inside the token.
   * @throws GatewayError 'identity-unavailable' while there are no keys; any other error when there is no such key.
   */
  readonly keyFor: (header: JWSHeaderParameters, token?: FlattenedJWSInput) => Promise<CryptoKey>;
};

/** What a key set needs; `now` is in milliseconds since the epoch. */
export type KeySetTerms = {
  readonly address: KeySetAddress;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  /** Told of each reading that failed. */
  readonly onError: (error: unknown) => void;
  /** How long a reading may take; 5 seconds where absent. */
  readonly patienceMs?: number;
};

const PATIENCE_MS = 5_000;
const MOST_BYTES = 64 * 1024;
/** Age from which keys are read again beside the requests. */
const READ_AHEAD_MS = 5 * 60_000;
/** Age from which a request waits for newer ones: a key that was withdrawn must not serve as long as nobody comes. */
const FRESH_MS = 10 * 60_000;
const KEPT_MS = 24 * 3_600_000;
/** Least time between the beginnings of two readings, while there are keys. */
const PAUSE_MS = 30_000;
/** The same while there are none. */
const URGENT_PAUSE_MS = 5_000;

/**
 * The keys at an address. Those older than five minutes are read again in the background, those older than ten before
 * they are used, and an unknown `kid` reads them at once, at most every 30 seconds; while they cannot be read, the last
 * good ones serve for a day.
 */
export function createKeySet(terms: KeySetTerms): KeySet {
  const { now, onError } = terms;
  let held: { readonly keys: LocalJWKSet; readonly readAtMs: number } | undefined;
  let beganMs = -Infinity;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      held = { keys: await readKeys(terms), readAtMs: beganMs };
    } catch (error) {
      onError(error);
    }
  }
  /** Joins the reading under way, or begins one when the last began `pauseMs` ago. Never rejects. */
  function readAgain(pauseMs: number): Promise<void> {
    const isDue = now() - beganMs >= pauseMs || now() < beganMs; // the clock may be set back
    if (reading === undefined && isDue) {
      beganMs = now();
      reading = read().finally(() => (reading = undefined));
    }
    return reading ?? Promise.resolve();
  }
  function isYoungerThan(ageMs: number): boolean {
    return held !== undefined && Math.abs(now() - held.readAtMs) < ageMs;
  }
  async function current(): Promise<LocalJWKSet> {
    if (!isYoungerThan(KEPT_MS)) await readAgain(URGENT_PAUSE_MS);
    else if (!isYoungerThan(FRESH_MS)) await readAgain(PAUSE_MS);
    else if (!isYoungerThan(READ_AHEAD_MS)) void readAgain(PAUSE_MS);
    if (held !== undefined && isYoungerThan(KEPT_MS)) return held.keys;
    throw new GatewayError('identity-unavailable', {
      headers: { 'Retry-After': String(URGENT_PAUSE_MS / 1000) },
    });
  }

  return {
    prepare: () => readAgain(0),
    async keyFor(header, token) {
      const keys = await current();
      try {
        return await keys(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await readAgain(PAUSE_MS);
        return (await current())(header, token);
      }
    },
  };
}

async function readKeys({ address, fetch, patienceMs = PATIENCE_MS }: KeySetTerms): Promise<LocalJWKSet> {
  const signal = AbortSignal.timeout(patienceMs);
  const source =
    address.kind === 'file'
      ? createReadStream(address.path, { signal })
      : bodyOf(await fetch(address.url, { redirect: 'error', signal }));
  const keys = JSON.parse(await readText(source)) as JSONWebKeySet; // judged by the next line
  const set = createLocalJWKSet(keys);
  if (keys.keys.length === 0) throw new Error('the identity provider has no keys');
  return set;
}

function bodyOf({ status, body }: Response): AsyncIterable<Uint8Array> {
  if (status === 200 && body !== null) return body;
  body?.cancel().catch(() => undefined);
  throw new Error(`the identity provider answered ${status}`);
}

async function readText(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of source) {
    sizeBytes += chunk.length;
    if (sizeBytes > MOST_BYTES)
      throw new Error(`the identity provider's keys have more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
