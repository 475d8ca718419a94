import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RequestListener } from 'node:http';
import { createKeySet, type KeySet } from '../../../../gateway/io/identity/key-set.js';
import type { KeySetAddress } from '../../../../gateway/core/configuration/web-address.js';
import {
  createProviderKey,
  startIdentityProvider,
  toJwk,
  type IdentityProvider,
  type ProviderKey,
} from '../../../support/gateway/identity-provider.js';
import { createTemporaryFolder } from '../../../support/process/temporary-folder.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const UNAVAILABLE = { code: 'identity-unavailable', headers: { 'Retry-After': '5' } };
const UNKNOWN = { code: 'ERR_JWKS_NO_MATCHING_KEY' };

let nowMs: number;
let errors: unknown[];
let provider: IdentityProvider;
let keySet: KeySet;

beforeAll(() => fetch('data:,')); // Node loads its HTTP client at the first fetch, which can take longer than the limit
beforeEach(async () => {
  nowMs = 1_800_000_000_000;
  errors = [];
  provider = await startIdentityProvider(() => nowMs);
  keySet = createKeySetAt({ kind: 'url', url: provider.jwksUrl });
});
afterEach(() => provider.dispose());

function createKeySetAt(address: KeySetAddress): KeySet {
  return createKeySet({
    address,
    fetch,
    now: () => nowMs,
    onError: (error) => errors.push(error),
    limitMs: 500,
  });
}

function currentKey(): ProviderKey {
  const key = provider.keys().at(-1);
  if (key === undefined) throw new Error('a provider has a key');
  return key;
}

async function find({ kid, alg }: ProviderKey = currentKey()): Promise<string> {
  return (await keySet.keyFor({ kid, alg })).type;
}

/** Waits until `count` requests have been made and answered. */
async function settle(count: number): Promise<void> {
  while (provider.asked() < count) await new Promise((resolve) => setTimeout(resolve, 2));
  await new Promise((resolve) => setTimeout(resolve, 20));
}

const down: RequestListener = (_req, res) => res.writeHead(503).end();

it('reads the keys when the first one is requested, once for concurrent requests', async () => {
  expect(provider.asked()).toBe(0);
  expect(await Promise.all([find(), find(), find()])).toEqual(['public', 'public', 'public']);
  expect(provider.asked()).toBe(1);
});

it('reads keys older than five minutes again, in the background', async () => {
  const old = currentKey();
  await find();
  nowMs += 5 * MINUTE - 1;
  await find();
  expect(provider.asked()).toBe(1);
  await provider.rotate();
  nowMs += 1;
  expect(await find(old)).toBe('public');
  await settle(2);
  await expect(find(old)).rejects.toMatchObject(UNKNOWN);
  expect([await find(), provider.asked()]).toEqual(['public', 2]);
});

it('rejects a withdrawn key after any time without requests', async () => {
  for (const idleMs of [10 * MINUTE, 23 * HOUR]) {
    const old = currentKey();
    await find();
    await provider.rotate();
    nowMs += idleMs;
    await expect(find(old)).rejects.toMatchObject(UNKNOWN);
  }
});

it('reads the keys again after the clock was set back', async () => {
  await find();
  await provider.rotate();
  nowMs -= HOUR;
  expect([await find(), provider.asked()]).toEqual(['public', 2]);
});

it('prepares by reading the keys before the first request', async () => {
  await keySet.prepare();
  expect([provider.asked(), await find(), provider.asked()]).toEqual([1, 'public', 1]);
  const nowhere = createKeySetAt({ kind: 'file', path: path.join('nowhere', 'keys.json') });
  await nowhere.prepare();
  expect(errors.map(String)).toEqual([expect.stringContaining('ENOENT')]);
});

it('finds a new key as soon as a token names it', async () => {
  await find();
  await provider.rotate();
  nowMs += 30 * SECOND;
  expect([await find(), provider.asked()]).toEqual(['public', 2]);
});

it('keeps the old key beside the new one while the provider publishes both', async () => {
  const old = currentKey();
  await find();
  await provider.rotate([old, await createProviderKey()]);
  nowMs += 30 * SECOND;
  expect([await find(), await find(old)]).toEqual(['public', 'public']);
});

it('reads the keys for unknown ids once in 30 seconds', async () => {
  await find();
  const unknown = { ...currentKey(), kid: 'unknown' };
  nowMs += 30 * SECOND;
  const outcomes = await Promise.allSettled([find(unknown), find(unknown), find(unknown)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(provider.asked()).toBe(2);
  nowMs += 30 * SECOND - 1;
  await expect(find(unknown)).rejects.toMatchObject(UNKNOWN);
  expect(provider.asked()).toBe(2);
  nowMs += 1;
  await expect(find(unknown)).rejects.toMatchObject(UNKNOWN);
  expect(provider.asked()).toBe(3);
});

it('serves the last good keys for 23 hours while the provider is down', async () => {
  await find();
  provider.answerWith(down);
  nowMs += 23 * HOUR;
  expect(await find()).toBe('public');
  await settle(2);
  expect([await find(), provider.asked(), errors.length]).toEqual(['public', 2, 1]);
});

it('retries every 30 seconds while the provider is down and there are keys', async () => {
  await find();
  provider.answerWith(down);
  nowMs += 20 * MINUTE;
  await find();
  await settle(2);
  nowMs += 29 * SECOND;
  await find();
  await settle(2);
  expect(provider.asked()).toBe(2);
  nowMs += SECOND;
  await find();
  await settle(3);
  expect(errors).toHaveLength(2);
});

it('has no keys after the provider was down for 25 hours, and recovers', async () => {
  await find();
  provider.answerWith(down);
  nowMs += 25 * HOUR;
  await expect(find()).rejects.toMatchObject(UNAVAILABLE);
  provider.answerWith();
  nowMs += 5 * SECOND;
  expect(await find()).toBe('public');
});

it('waits for new keys after 25 hours without requests', async () => {
  const old = currentKey();
  await find();
  nowMs += 25 * HOUR;
  await provider.rotate();
  await expect(find(old)).rejects.toMatchObject(UNKNOWN);
  expect(await find()).toBe('public');
});

it('has no keys while the provider is down from the start, and retries every 5 seconds', async () => {
  provider.answerWith(down);
  await expect(find()).rejects.toMatchObject(UNAVAILABLE);
  provider.answerWith();
  nowMs += 5 * SECOND - 1;
  await expect(find()).rejects.toMatchObject(UNAVAILABLE);
  expect(provider.asked()).toBe(1);
  nowMs += 1;
  expect([await find(), provider.asked()]).toEqual(['public', 2]);
});

it.each<[string, RequestListener]>([
  ['hangs', () => undefined],
  ['starts to answer and hangs', (_req, res) => void res.writeHead(200).write('{"keys":')],
  ['breaks off', (req) => req.socket.destroy()],
  ['sends 65 KiB', (_req, res) => res.end(JSON.stringify({ keys: [], more: 'a'.repeat(65 * 1024) }))],
  ['sends an endless document', (_req, res) => sendForever(res)],
  ['sends a document that is not JSON', (_req, res) => res.end('<html>Welcome</html>')],
  ['sends nothing', (_req, res) => res.end()],
  ['sends another kind of document', (_req, res) => res.end('{"issuer":"https://login.example.com/"}')],
  ['sends invalid keys', (_req, res) => res.end('{"keys":["a"]}')],
  ['sends no keys', (_req, res) => res.end('{"keys":[]}')],
  ['answers 204', (_req, res) => res.writeHead(204).end()],
  ['answers 404', (_req, res) => res.writeHead(404).end('{"keys":[]}')],
])('keeps its keys when the provider %s', async (_what, answer) => {
  await find();
  provider.answerWith(answer);
  nowMs += HOUR;
  await find();
  while (errors.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  expect(await find()).toBe('public');
});

function sendForever(res: Parameters<RequestListener>[1]): void {
  res.on('error', () => undefined);
  while (!res.destroyed && res.write(' '.repeat(1024)));
  if (!res.destroyed) res.once('drain', () => sendForever(res));
}

it('follows no redirect', async () => {
  const other = await startIdentityProvider(() => nowMs);
  await other.rotate(provider.keys());
  provider.answerWith((_req, res) => res.writeHead(302, { Location: other.jwksUrl }).end());
  await expect(find()).rejects.toMatchObject(UNAVAILABLE);
  expect([other.asked(), errors.length]).toEqual([0, 1]);
  await other.dispose();
});

it('accepts exactly 64 KiB', async () => {
  const set = JSON.stringify(await provider.jwks());
  provider.answerWith((_req, res) => res.end(set.padEnd(64 * 1024)));
  expect(await find()).toBe('public');
});

it('ignores keys for encryption and secret keys', async () => {
  const { jwk, secret } = { jwk: await toJwk(currentKey()), secret: { kty: 'oct', k: 'c2VjcmV0' } };
  const { kid } = currentKey();
  const keys = [{ ...jwk, use: 'enc' }, { ...secret, kid, alg: 'HS256' }, jwk];
  provider.answerWith((_req, res) => res.end(JSON.stringify({ keys })));
  expect(await find()).toBe('public');
  await expect(find({ ...currentKey(), alg: 'HS256' })).rejects.toThrow('Unsupported "alg"');
});

it('reads a file like a URL, and reads it again', async () => {
  const folder = await createTemporaryFolder();
  const file = path.join(folder.path, 'jwks.json');
  keySet = createKeySetAt({ kind: 'file', path: file });
  await expect(find()).rejects.toMatchObject(UNAVAILABLE);
  await writeFile(file, JSON.stringify(await provider.jwks()));
  nowMs += 5 * SECOND;
  expect(await find()).toBe('public');
  await provider.rotate();
  await writeFile(file, JSON.stringify(await provider.jwks()));
  nowMs += 30 * SECOND;
  expect(await find()).toBe('public');
  await rm(file);
  nowMs += HOUR;
  expect([await find(), provider.asked()]).toEqual(['public', 0]);
  await folder.dispose();
});
