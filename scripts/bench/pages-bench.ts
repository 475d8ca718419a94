import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type Server as HttpServer, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import type { Browser } from 'playwright-core';
import { chainPagePath, dayPagePath, PAGE_PATHS } from '../../schemas/paths.js';
import { largestPaintMs, startBrowser } from '../browser/browser.js';
import {
  type Bench,
  type BenchOptions,
  type Check,
  formatChecks,
  isPassed,
  median,
  runChild,
  startServerProcess,
} from './harness.js';
import { slowestInteractionMs } from './metrics-interaction.js';

const ROUNDS = 15;
const MAX_RATIO = 1.3;
const MAX_BYTES = 200_000;
const MAX_INTERACTION_MS = 100;
/** A phone on a slow mobile network, as Lighthouse simulates it: milliseconds, and bytes in a second. */
const SLOW_NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
/** How many times slower the processor is made. */
const SLOW_CPU = 4;
const AS_OF = '2023-09-27T06:00:00Z';
const EMPTY = '<!doctype html><html lang="en"><title>Empty</title><p>Empty</p></html>';
/** A rate limit that the bench does not reach. */
const UNLIMITED = '100000';

/** The pages whose first paint is compared with that of an empty page. */
const PAGES = {
  'the front page': PAGE_PATHS.front,
  'the page of a chain': chainPagePath('base'),
  'the page of a day': dayPagePath('base', '2023-03-01'),
} as const;

/** Adds the bench of the pages: the largest contentful paint of some pages and of an empty page, and how fast a chart follows. */
export const addPagesBench: Bench = (command, options) =>
  command
    .summary('largest paint of pages, and how fast a chart follows')
    .description(
      'Publishes the sample, serves it, and opens pages in Chromium without a cache, with the network and the processor of a phone. An empty page is the floor. Then moves a chart of two metrics over 17 years by keys and pointer, at full speed.',
    )
    .action(() => runPagesBench(options));

async function runPagesBench(options: BenchOptions): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'chain-reference-pages-'));
  const below = (name: string): string => path.join(folder, name);
  const store = `file:${below('store')}`;
  const sample = path.join(options.root, 'scripts', 'sample');
  const args = ['publish', '--quiet', '--input', sample, '--store', store, '--as-of', AS_OF];
  await runChild({ script: path.join('generator', 'main.js'), args, peakFile: below('peak') }, options);
  const env = {
    CRD_STORE: store,
    CRD_ACCOUNTS_STORE: `file:${below('accounts')}`,
    CRD_LINK_SECRET: randomBytes(32).toString('hex'),
    CRD_RATE_ADDRESS_PER_MINUTE: UNLIMITED,
    CRD_PORT: '0',
    CRD_METRICS_PORT: '0',
  };
  const script = path.join('gateway', 'main.js');
  const gateway = await startServerProcess(
    { script, args: ['serve'], env, log: below('log'), core: 'measured' },
    options,
  );
  const empty = await serveEmptyPage();
  const browser = await startBrowser();
  try {
    const paths = Object.values(PAGES);
    const urls = [emptyUrl(empty), ...paths.map((each) => gateway.url + each)];
    const [floor = [], ...visits] = await visitInTurn(browser, urls);
    const interactionMs = await slowestInteractionMs(browser, gateway.url);
    const checks = [
      ...Object.keys(PAGES).map((name, i) => toPaintCheck(name, visits[i] ?? [], floor)),
      toBytesCheck(visits[0] ?? []),
      toInteractionCheck(interactionMs),
    ];
    const medians = visits.map((each, i) => `of ${paths[i]} after ${paintOf(each).toFixed(0)} ms`);
    options.print(
      `largest paint of an empty page after ${paintOf(floor).toFixed(0)} ms, ${medians.join(', ')}`,
    );
    options.print(formatChecks(checks));
    if (!checks.every(isPassed)) options.fail();
  } finally {
    await browser.close();
    empty.close();
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function toPaintCheck(page: string, visits: readonly Visit[], floor: readonly Visit[]): Check {
  const measured = paintOf(visits) / paintOf(floor);
  const name = `largest paint of ${page} to that of an empty page`;
  return { name, measured, relation: 'under', bound: MAX_RATIO, unit: 'times' };
}

function toBytesCheck(front: readonly Visit[]): Check {
  const measured = Math.max(...front.map(({ bytes }) => bytes));
  const name = 'front page with all that it loads';
  return { name, measured, relation: 'under', bound: MAX_BYTES, unit: 'bytes' };
}

function toInteractionCheck(measured: number): Check {
  const name = 'key or press to the next paint, two metrics over 17 years';
  return { name, measured, relation: 'under', bound: MAX_INTERACTION_MS, unit: 'ms' };
}

/** The time of the largest paint in milliseconds, and the bytes received, headers included. */
type Visit = { readonly paintMs: number; readonly bytes: number };

function paintOf(visits: readonly Visit[]): number {
  return median(visits.map(({ paintMs }) => paintMs));
}

/** Visits pages in turn with a slow network and processor. Each visit starts without a cache. */
async function visitInTurn(browser: Browser, urls: readonly string[]): Promise<Visit[][]> {
  const visits = urls.map((): Visit[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [i, url] of urls.entries()) visits[i]?.push(await visit(browser, url));
  }
  return visits;
}

async function visit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(`Date.now = () => Date.parse('${AS_OF}')`); // later, the sample is stale, and a script says so
  const devtools = await context.newCDPSession(page);
  let bytes = 0;
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', SLOW_NETWORK);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_CPU });
  await page.goto(url, { waitUntil: 'networkidle' });
  const paintMs = await largestPaintMs(page);
  await context.close();
  return { paintMs, bytes };
}

async function serveEmptyPage(): Promise<HttpServer> {
  const server = createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end(EMPTY));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function emptyUrl(server: HttpServer): string {
  const { port } = server.address() as AddressInfo; // it listens on a port
  return `http://127.0.0.1:${port}/`;
}
