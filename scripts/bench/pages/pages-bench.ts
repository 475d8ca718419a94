import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { PAGE_PATHS } from '../../../schemas/paths.js';
import { largestPaintMs, startBrowser } from '../../browser/browser.js';
import type { Bench, BenchOptions } from '../bench.js';
import { runChild } from '../child-process.js';
import { formatChecks, isPassed, median, type Check } from '../report.js';
import { startServerProcess } from '../server-process.js';

const ROUNDS = 9;
const BOUND_MS = 500;
const AS_OF = '2023-09-27T06:00:00Z';
const EMPTY = '<!doctype html><html lang="en"><title>Empty</title><p>Empty</p></html>';
/** A rate limit that the bench does not reach. */
const UNLIMITED = '100000';

/** Adds the bench of the pages: the largest contentful paint of the front page and of an empty page. */
export const addPagesBench: Bench = (command, options) =>
  command
    .summary('largest paint of the front page')
    .description(
      'Publishes the sample, serves it, and opens the front page in Chromium without a cache. An empty page is the floor.',
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
    const floor = await paintsOf(browser, emptyUrl(empty));
    const front = await paintsOf(browser, gateway.url + PAGE_PATHS.front);
    const checks = toChecks(front);
    options.print(
      `floor: largest paint of an empty page after ${median(floor).toFixed(1)} ms\n${formatChecks(checks)}`,
    );
    if (!checks.every(isPassed)) options.fail();
  } finally {
    await browser.close();
    empty.close();
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function toChecks(front: readonly number[]): Check[] {
  const named = { relation: 'under', bound: BOUND_MS, unit: 'ms' } as const;
  return [{ name: 'largest paint of the front page', measured: median(front), ...named }];
}

/** Returns the times of the largest paint in milliseconds. Each visit starts without a cache. */
async function paintsOf(browser: Browser, url: string): Promise<number[]> {
  const paints: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(url, { waitUntil: 'load' });
    paints.push(await largestPaintMs(page));
    await context.close();
  }
  return paints;
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
