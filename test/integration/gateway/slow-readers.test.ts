import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex } from '../../../schemas/digest.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway/gateway-process.js';
import { serveStore, type ServedRelease } from '../../support/gateway/served-release.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { publishSample } from '../../support/release/published-sample.js';

const SLOW_MS = 300_000;
const REQUESTS = 3_200;
const CONNECTIONS = 16;
const ATTACK_MS = 5_000;
const MAX_RSS_MB = 400;
/** Longest time that a request may take beyond what a bare server needs for one in the same period. */
const MAX_DELAY_MS = 250;
const ROUNDS = 3;
/** Size of the bundle with which the attack was found. */
const LEAST_BYTES = 600_000;

const BARE = `
  const server = require('node:http').createServer((_req, res) => res.end());
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

let folder: TemporaryFolder;
let release: ServedRelease;
let bare: ChildProcess;
let bareUrl: string;
beforeAll(async () => {
  bare = spawn(process.execPath, ['-e', BARE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(bare.stdout as Readable, 'data')) as [Buffer]; // it is piped
  bareUrl = `http://127.0.0.1:${port.toString().trim()}`;
  folder = await createTemporaryFolder();
  const accounts = `file:${path.join(folder.path, 'accounts')}`;
  release = await serveStore({ store: `file:${await publishSample()}`, accounts });
}, SLOW_MS);
afterAll(() => {
  bare.kill();
  return folder.dispose();
}, SLOW_MS);

/** Returns the path of the largest bundle, and its digest. */
function largestBundle(): readonly [file: string, sha256: string] {
  const [largest] = Object.entries(release.record.bundles).sort(([, a], [, b]) => b.bytes - a.bytes);
  if (largest === undefined) throw new Error('there is no bundle');
  const [file, { bytes, sha256 }] = largest;
  expect(bytes).toBeGreaterThan(LEAST_BYTES);
  return [file, sha256];
}

async function linkTo({ url }: GatewayProcess, file: string): Promise<URL> {
  const headers = { 'X-API-Key': release.key };
  const answer = await fetch(`${url}${file}?redirect=false`, { headers });
  return new URL(((await answer.json()) as { url: string }).url);
}

async function readRssMb({ operatorUrl }: GatewayProcess): Promise<number> {
  const text = await (await fetch(`${operatorUrl}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 1_000_000;
}

async function measureMs(url: string): Promise<number> {
  const startedMs = performance.now();
  expect((await fetch(url)).status).toBe(200);
  return performance.now() - startedMs;
}

/** The most memory that the gateway needs within a period, and the longest time that a request takes beyond a bare server's. */
type Burden = { readonly rssMb: number; readonly delayMs: number };

async function watch(gateway: GatewayProcess, periodMs: number): Promise<Burden> {
  let [rssMb, healthMs, bareMs] = [0, 0, 0];
  const endMs = performance.now() + periodMs;
  while (performance.now() < endMs) {
    healthMs = Math.max(healthMs, await measureMs(`${gateway.url}/healthz`));
    bareMs = Math.max(bareMs, await measureMs(bareUrl));
    rssMb = Math.max(rssMb, await readRssMb(gateway));
    await sleep(20);
  }
  return { rssMb, delayMs: healthMs - bareMs };
}

/** Sends the requests without reading an answer. */
async function attack(gateway: GatewayProcess, link: URL, header: string): Promise<Burden> {
  const request = `GET ${link.pathname}${link.search} HTTP/1.1\r\nHost: gateway\r\n${header}\r\n`;
  const sockets = Array.from({ length: CONNECTIONS }, (): Socket => {
    const socket = connect(Number(link.port), link.hostname);
    socket.on('error', () => undefined);
    socket.write(request.repeat(REQUESTS / CONNECTIONS));
    return socket;
  });
  const worst = await watch(gateway, ATTACK_MS);
  for (const socket of sockets) socket.destroy();
  return worst;
}

it.each([
  ['one byte of a file', 'Range: bytes=0-0\r\n'],
  ['a whole file', ''],
])(
  'thousands of requests at once for %s, whose answers nobody reads, neither fill the memory nor delay others',
  async (_what, header) => {
    const gateway = await startGatewayProcess({ ...release.env, CRD_RATE_KEY_PER_MINUTE: '1000000' });
    try {
      const [file, sha256] = largestBundle();
      const link = await linkTo(gateway, file);
      let shortestMs = Infinity;
      // On a busy machine one attack can meet a delay that is not the gateway's.
      for (let round = 0; round < ROUNDS && shortestMs >= MAX_DELAY_MS; round += 1) {
        const { rssMb, delayMs } = await attack(gateway, link, header);
        expect(rssMb).toBeLessThan(MAX_RSS_MB);
        shortestMs = Math.min(shortestMs, delayMs);
      }
      expect(shortestMs).toBeLessThan(MAX_DELAY_MS);
      expect(sha256Hex(await (await fetch(link)).text())).toBe(sha256);
    } finally {
      await gateway.stop();
    }
  },
  SLOW_MS,
);
