import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex } from '../../../schemas/digest.js';
import {
  runGatewayProcess,
  startGatewayProcess,
  type GatewayProcess,
  type Variables,
} from '../../support/gateway/gateway-process.js';
import { startIdentityProvider, type IdentityProvider } from '../../support/gateway/identity-provider.js';
import { startLoopbackServer } from '../../support/process/loopback-server.js';
import {
  BUNDLE,
  digestOf,
  prepareServedRelease,
  type ServedRelease,
} from '../../support/gateway/served-release.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const SLOW_MS = 300_000;
/** Time in which sent bytes or a signal reach the gateway. */
const ARRIVAL_MS = 300;

let folder: TemporaryFolder;
let provider: IdentityProvider;
let release: ServedRelease;
let env: Variables;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  provider = await startIdentityProvider(() => Date.now());
  const inFolder = (name: string): string => path.join(folder.path, name);
  release = await prepareServedRelease({
    store: `file:${inFolder('store')}`,
    accounts: `file:${inFolder('accounts')}`,
    folder: inFolder('input'),
  });
  env = {
    ...release.env,
    CRD_JWKS: provider.jwksUrl,
    CRD_JWT_ISSUER: provider.issuer,
    CRD_JWT_AUDIENCE: provider.audience,
  };
}, SLOW_MS);
afterAll(() => Promise.all([folder.dispose(), provider.dispose()]), SLOW_MS);

/** A request with a partly sent body. */
type SlowRequest = {
  readonly socket: Socket;
  /** Sends the rest, and returns the answer when the gateway has closed the connection. */
  readonly finish: () => Promise<string>;
};

/** Begins a request that creates a key with a label. */
async function beginToCreateKey({ url }: GatewayProcess, label: string): Promise<SlowRequest> {
  const body = JSON.stringify({ label });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  const closed = once(socket, 'close');
  const head = [
    'POST /api/v1/keys HTTP/1.1',
    'Host: gateway',
    `Authorization: Bearer ${await provider.sign({ account: 'a-reader' })}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`);
  await sleep(ARRIVAL_MS);
  return {
    socket,
    async finish() {
      socket.write(body.slice(5));
      await closed;
      return answer;
    },
  };
}

const listKeys = async (): Promise<string> =>
  (await runGatewayProcess(['keys', 'list', '--account', 'a-reader'], release.env)).stdout;

describe('gateway serve', () => {
  it(
    'prints its addresses, serves files, reports its health on both ports, and logs requests',
    async () => {
      const gateway = await startGatewayProcess(env);
      const { url, operatorUrl } = gateway;
      expect(gateway.stderr()).toBe(`serving on ${url}, for operators on ${operatorUrl}\n`);
      for (const place of [url, operatorUrl]) {
        expect((await fetch(`${place}/healthz`)).status).toBe(200);
        const ready = await fetch(`${place}/readyz`);
        expect([ready.status, await ready.text()]).toEqual([200, expect.stringContaining('"ready"')]);
      }
      expect([
        (await fetch(`${url}/metrics`)).status,
        (await fetch(`${operatorUrl}/metrics`)).status,
      ]).toEqual([404, 200]);
      const answer = await fetch(`${url}${BUNDLE}`, { headers: { 'X-API-Key': release.key } });
      expect(sha256Hex(await answer.text())).toBe(await digestOf(release, BUNDLE));
      const { code, seconds } = await gateway.stop();
      expect(code).toBe(0);
      expect(seconds).toBeLessThan(3); // idle connections hold nothing up
      const lines = gateway.stdout().trim().split('\n');
      const logged = lines.map((line) => JSON.parse(line) as { status?: number; decision?: string }); // our own log
      expect(logged.filter(({ decision }) => decision === 'redirect')).toHaveLength(1);
      for (const secret of [release.key, env.CRD_LINK_SECRET ?? '?'])
        expect(gateway.stdout()).not.toContain(secret);
    },
    SLOW_MS,
  );

  it(
    'starts before the first release, with a secret from a file, and serves the release when it is published',
    async () => {
      const store = path.join(folder.path, 'later');
      const secretFile = path.join(folder.path, 'secret');
      await mkdir(store);
      await writeFile(secretFile, 'a secret of at least thirty-two bytes\n');
      const { CRD_LINK_SECRET: _secret, ...rest } = release.env;
      const options = { CRD_STORE: `file:${store}`, CRD_LINK_SECRET_FILE: secretFile, CRD_POLL_SECONDS: '1' };
      const gateway = await startGatewayProcess({ ...rest, ...options });
      const ready = async (): Promise<number> => (await fetch(`${gateway.url}/readyz`)).status;
      expect(await ready()).toBe(503);
      await prepareServedRelease({
        store: `file:${store}`,
        accounts: `file:${folder.path}/later-accounts`,
        folder: path.join(folder.path, 'input'),
      });
      for (const untilMs = Date.now() + 5_000; (await ready()) !== 200 && Date.now() < untilMs;)
        await sleep(100);
      const answer = await fetch(`${gateway.url}${BUNDLE}`, { headers: { 'X-API-Key': release.key } });
      expect([answer.status, (await gateway.stop()).code]).toEqual([200, 0]);
    },
    SLOW_MS,
  );

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'completes a slow request after %s, accepts no other, and exits 0',
    async (signal) => {
      const gateway = await startGatewayProcess(env);
      const slow = await beginToCreateKey(gateway, `slow-${signal}`);
      const ended = gateway.stop(signal);
      await sleep(ARRIVAL_MS);
      await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow('fetch failed');
      const answer = await slow.finish();
      expect(answer).toMatch(/^HTTP\/1\.1 201 /);
      const { code, seconds } = await ended;
      expect(code).toBe(0);
      expect(seconds).toBeLessThan(5);
      expect(await listKeys()).toContain(`slow-${signal}`);
    },
    SLOW_MS,
  );

  it(
    'aborts a request that does not end, and exits 0 within ten seconds',
    async () => {
      const gateway = await startGatewayProcess(env);
      const slow = await beginToCreateKey(gateway, 'never');
      slow.socket.on('error', () => undefined); // the connection is reset
      const { code, seconds } = await gateway.stop();
      expect(code).toBe(0);
      expect(seconds).toBeLessThan(10);
      expect(await listKeys()).not.toContain('never');
    },
    SLOW_MS,
  );

  it(
    'ends immediately after a second signal',
    async () => {
      const gateway = await startGatewayProcess(env);
      const slow = await beginToCreateKey(gateway, 'never');
      slow.socket.on('error', () => undefined);
      void gateway.stop();
      await sleep(ARRIVAL_MS);
      const { signal, seconds } = await gateway.stop();
      expect(signal).toBe('SIGTERM');
      expect(seconds).toBeLessThan(2);
    },
    SLOW_MS,
  );
});

describe('gateway serve with an invalid configuration', () => {
  it(
    'exits 2 and lists all faults without their values',
    async () => {
      const values = {
        CRD_PORT: '80800',
        CRD_STORE: 'ftp://a-value',
        CRD_LINK_SECRET: 'a-short-value',
        CRD_TRUST_PROXY: 'true',
        CRD_KEY_MODE: 'a-mode',
        CRD_LOGLEVEL: 'a-level',
        CRD_JWKS: 'http://a-host/',
      };
      const run = await runGatewayProcess(['serve'], values);
      expect([run.code, run.stdout]).toEqual([2, '']);
      const named = [...run.stderr.matchAll(/^ {2}(CRD_\w+): /gm)].map(([, name]) => name).sort();
      const missing = ['CRD_ACCOUNTS_STORE', 'CRD_JWT_AUDIENCE', 'CRD_JWT_ISSUER'];
      expect(named).toEqual([...Object.keys(values), ...missing].sort());
      for (const value of ['80800', 'ftp:', 'a-value', 'a-short', 'a-mode', 'a-level', 'a-host']) {
        expect(run.stderr).not.toContain(value);
      }
    },
    SLOW_MS,
  );

  it.each(['CRD_PORT', 'CRD_METRICS_PORT'])(
    'exits 2 and says what to do when the port of %s is in use',
    async (name) => {
      const other = await startLoopbackServer((_req, res) => res.end());
      const { host, port } = new URL(other.endpoint);
      const ports = { CRD_PORT: '0', CRD_METRICS_PORT: '0', [name]: port };
      const run = await runGatewayProcess(['serve'], { ...env, ...ports });
      await other.dispose();
      expect([run.code, run.stderr]).toEqual([
        2,
        `gateway: Cannot listen on ${host}: another program uses this address. Choose another: CRD_HOST, CRD_PORT or CRD_METRICS_PORT.\n  node dist/gateway/main.js serve\n`,
      ]);
    },
    SLOW_MS,
  );
});

describe('gateway --help', () => {
  it.each([
    [[], 'serve', 'grant', 'keys', 'accounts', 'Exit codes:'],
    [['serve'], 'SIGTERM', 'README.md', 'Exit codes:', 'Example:', 'CRD_STORE='],
    [['grant'], '--until', 'Exit codes:', 'Example:'],
    [['keys', 'create'], '--account', 'Exit codes:', 'Example:'],
    [['accounts', 'show'], '--account', 'Exit codes:', 'Example:'],
  ])(
    'describes the options of %j',
    async (command, ...expected) => {
      const run = await runGatewayProcess([...command, '--help'], {});
      expect([run.code, run.stderr]).toEqual([0, '']);
      for (const text of expected) expect(run.stdout).toContain(text);
    },
    SLOW_MS,
  );

  it.each([[[]], [['zzz']], [['serve', '--port', '80']]])(
    'is mentioned after %j',
    async (args) => {
      const run = await runGatewayProcess(args, {});
      expect([run.code, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toMatch(/--help|Usage:/);
    },
    SLOW_MS,
  );
});
