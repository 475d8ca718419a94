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
import { GatewayError } from '../../core/problems.js';
import { otherNameOf } from '../../core/configuration/session-algorithms.js';
import type { KeySetAddress } from '../../core/configuration/web-address.js';
import { createFreshValue } from '../timing/fresh-value.js';
import { freshnessByAge } from '../timing/freshness.js';
import { PROVIDER_LIMIT_MS } from '../timing/time-limit.js';

/** The public keys of the identity provider. */
export type KeySet = {
  /** Reads the keys before the first token arrives, so that a failure is logged at the start. Never rejects. */
  readonly prepare: () => Promise<void>;
  /**
   * Returns the one key that matches the header of a token. Uses only `alg` and `kid`, never a key or an address from
   * the token. A key whose `alg` is EdDSA also matches Ed25519, and the reverse (RFC 9864).
   * @throws GatewayError 'identity-unavailable' while there are no keys; another error if no key matches.
   */
  readonly keyFor: (header: JWSHeaderParameters, token?: FlattenedJWSInput) => Promise<CryptoKey>;
};

/** Options for `createKeySet`. */
type KeySetOptions = {
  readonly address: KeySetAddress;
  readonly fetch: typeof fetch;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives the error of each failed read. */
  readonly onError: (error: unknown) => void;
  /** Time limit of a read; `PROVIDER_LIMIT_MS` by default. */
  readonly limitMs?: number;
};

const MAX_BYTES = 64 * 1024;
const AGES = {
  agingMs: 5 * 60_000,
  staleMs: 10 * 60_000, // a withdrawn key is refused from this age on
  expiredMs: 24 * 3_600_000, // while the provider is down
};
const RETRY_MS = 30_000;
const RETRY_EMPTY_MS = 5_000;

/**
 * Creates the key set of an address. An unknown `kid` reads the keys again, at most every 30 seconds.
 * jose's `createRemoteJWKSet` is not used: while the provider is down it rejects every token once its keys are ten
 * minutes old, and it cannot read a file.
 */
export function createKeySet(options: KeySetOptions): KeySet {
  const { now, onError } = options;
  const keySet = createFreshValue<LocalJWKSet>({
    load: () => readKeys(options),
    now,
    freshness: (_keys, ageMs) => freshnessByAge(Math.abs(ageMs), AGES), // a clock set back does not lock users out
    retryMs: RETRY_MS,
    retryEmptyMs: RETRY_EMPTY_MS,
    onSettled: (error) => {
      if (error !== undefined) onError(error);
    },
  });

  async function current(maxAgeMs?: number): Promise<LocalJWKSet> {
    try {
      return await keySet.read(maxAgeMs);
    } catch {
      const headers = { 'Retry-After': String(RETRY_EMPTY_MS / 1000) };
      throw new GatewayError('identity-unavailable', { headers });
    }
  }

  return {
    prepare: async () => {
      await keySet.read(0).catch(() => undefined);
    },
    async keyFor(header, token) {
      const keys = await current();
      try {
        return await findKey(keys, header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return findKey(await current(RETRY_MS), header, token);
      }
    },
  };
}

/** Finds the key of a token. jose compares `alg` with that of the key by name, so an algorithm with two names is tried by both. */
async function findKey(
  keys: LocalJWKSet,
  header: JWSHeaderParameters,
  token?: FlattenedJWSInput,
): Promise<CryptoKey> {
  try {
    return await keys(header, token);
  } catch (error) {
    const alg = otherNameOf(header.alg);
    if (alg === undefined || !(error instanceof errors.JWKSNoMatchingKey)) throw error;
    return keys({ ...header, alg }, token);
  }
}

async function readKeys({
  address,
  fetch,
  limitMs = PROVIDER_LIMIT_MS,
}: KeySetOptions): Promise<LocalJWKSet> {
  const signal = AbortSignal.timeout(limitMs);
  const source =
    address.kind === 'file'
      ? createReadStream(address.path, { signal })
      : bodyOf(await fetch(address.url, { redirect: 'error', signal }));
  const keys = JSON.parse(await readText(source)) as JSONWebKeySet; // the next line throws for anything else
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
    if (sizeBytes > MAX_BYTES) {
      throw new Error(`the keys of the identity provider have more than ${MAX_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
