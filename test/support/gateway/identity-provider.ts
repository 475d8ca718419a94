import type { RequestListener } from 'node:http';
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose';
import { startLoopbackServer } from '../process/loopback-server.js';

/** A key pair of an identity provider. */
export type ProviderKey = {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
};

/** Changes to an ordinary token; `undefined` removes a claim. */
export type TokenOptions = {
  readonly account?: string;
  readonly claims?: { readonly [name in string]?: unknown };
  readonly header?: { readonly [name in string]?: unknown };
  readonly key?: ProviderKey;
};

/** An identity provider on loopback. */
export type IdentityProvider = {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** The published keys, newest last. */
  readonly keys: () => readonly ProviderKey[];
  readonly jwks: () => Promise<JSONWebKeySet>;
  /** Signs a token for one hour with the newest key. */
  readonly sign: (options?: TokenOptions) => Promise<string>;
  /** Publishes these keys from now on, by default one new key. */
  readonly rotate: (keys?: readonly ProviderKey[]) => Promise<void>;
  /** Answers like this from now on, by default correctly. */
  readonly answerWith: (listener?: RequestListener) => void;
  /** Returns the number of requests so far. */
  readonly asked: () => number;
  readonly dispose: () => Promise<void>;
};

let keyCount = 0;

/** Creates a key with a unique id. */
export async function createProviderKey(alg = 'ES256'): Promise<ProviderKey> {
  const kid = `key-${(keyCount += 1)}`;
  return { kid, alg, ...(await generateKeyPair(alg, { extractable: true })) };
}

/** Returns the public half of a key as a JWK. */
export async function toJwk({ kid, alg, publicKey }: ProviderKey): Promise<JSONWebKeySet['keys'][number]> {
  return { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
}

/** Starts an identity provider with one key. `now` is in milliseconds since the epoch. */
export async function startIdentityProvider(now: () => number): Promise<IdentityProvider> {
  let keys: readonly ProviderKey[] = [await createProviderKey()];
  let asked = 0;
  const jwks = async (): Promise<JSONWebKeySet> => ({ keys: await Promise.all(keys.map(toJwk)) });
  const answerWell: RequestListener = (_req, res) => {
    void jwks().then((set) => res.setHeader('Content-Type', 'application/json').end(JSON.stringify(set)));
  };
  let answer = answerWell;
  const { endpoint, dispose } = await startLoopbackServer((req, res) => {
    asked += 1;
    answer(req, res);
  });
  const issuer = `${endpoint}/`;
  const audience = 'chain-reference-data';
  return {
    issuer,
    audience,
    jwksUrl: `${endpoint}/jwks.json`,
    keys: () => keys,
    jwks,
    async sign({ account = 'an-account', claims = {}, header = {}, key = keys.at(-1) } = {}) {
      if (key === undefined) throw new Error('a provider has a key');
      const seconds = Math.floor(now() / 1000);
      const ordinary = { iss: issuer, aud: audience, sub: account, iat: seconds, exp: seconds + 3600 };
      const payload = { ...ordinary, ...claims } as JWTPayload; // tests also write claims of wrong types
      const { alg, kid, privateKey } = key;
      const full = { alg, kid, typ: 'JWT', ...header } as JWTHeaderParameters; // and headers
      const crit = Object.fromEntries((full.crit ?? []).map((name) => [name, true]));
      return new SignJWT(payload).setProtectedHeader(full).sign(privateKey, { crit });
    },
    async rotate(next) {
      keys = next ?? [await createProviderKey()];
    },
    answerWith(listener = answerWell) {
      answer = listener;
    },
    asked: () => asked,
    dispose,
  };
}
