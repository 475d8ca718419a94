import path from 'node:path';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { installLocked } from '../python/install-locked.js';
import { prepareStore } from './gateway-servers.js';
import {
  type Bench,
  type BenchOptions,
  type Check,
  formatChecks,
  isPassed,
  median,
  readFullHistory,
  startServerProcess,
} from './harness.js';

/**
 * What measure_client.py prints, in seconds. A sample is the client's time and that of its peer: curl for a history, pandas
 * for `regimes_on`.
 */
type Sample = readonly [client: number, peer: number];
type Measured = {
  readonly mirror: number;
  readonly regimes: readonly Sample[];
  readonly gold: readonly Sample[];
  readonly meta: readonly Sample[];
};

const ROUNDS = 15;
/** Delays of each answer: none, and a round trip to a service in another city. */
const DELAYS_MS = [0, 10];

/** Adds the bench of the Python client: a history by curl of the same bytes, a mirror of a whole store, and a join. */
export const addClientBench: Bench = (command, options) =>
  command
    .summary('time of a history relative to curl, of a mirror, and of regimes_on relative to pandas')
    .description(
      'Serves the full histories (CRD_HISTORY_DIR) and reads and mirrors them with the Python client.',
    )
    .action(async () => {
      const work = await mkdtemp(path.join(tmpdir(), 'chain-reference-client-'));
      try {
        await runClientBench(work, options);
      } finally {
        await rm(work, { recursive: true, force: true, maxRetries: 10 });
      }
    });

async function runClientBench(work: string, options: BenchOptions): Promise<void> {
  const history = await readFullHistory(options.environment['CRD_HISTORY_DIR'], options.root);
  const store = await prepareStore(history, { work, newDays: 0 }, options);
  const proxy = await startProxy();
  const env = {
    CRD_STORE: `file:${store.folder}`,
    CRD_ACCOUNTS_STORE: `file:${store.accounts}`,
    CRD_KEY_MODE: 'test',
    CRD_LINK_SECRET: randomBytes(32).toString('hex'),
    CRD_PUBLIC_BASE_URL: proxy.url,
    CRD_RATE_ADDRESS_PER_MINUTE: '100000',
    CRD_RATE_KEY_PER_MINUTE: '100000',
    CRD_PORT: '0',
    CRD_METRICS_PORT: '0',
  };
  const served = { script: path.join('gateway', 'main.js'), args: ['serve'], env, core: 'measured' } as const;
  const gateway = await startServerProcess({ ...served, log: path.join(work, 'log') }, options);
  try {
    const checks: Check[] = [];
    for (const delayMs of DELAYS_MS) {
      proxy.forward(gateway.url, delayMs);
      const measured = await measure([proxy.url, String(ROUNDS), work], store.key, options);
      checks.push(...toChecks(measured, `, answers after ${delayMs} ms`));
      const floors = [measured.gold, measured.meta].map((samples) => median(samples.map(([, peer]) => peer)));
      options.print(
        `curl: ${floors.map((s) => (s * 1000).toFixed(0)).join(' and ')} ms, after ${delayMs} ms`,
      );
    }
    options.print(formatChecks(checks));
    if (!checks.every(isPassed)) options.fail();
  } finally {
    await gateway.stop();
    proxy.close();
  }
}

function toChecks({ gold, meta, mirror, regimes }: Measured, when: string): Check[] {
  const ratio = (name: string, samples: readonly Sample[], bound: number): Check => ({
    name: name + when,
    measured: median(samples.map(([client, peer]) => client / peer)),
    relation: 'at most',
    bound,
    unit: 'times',
  });
  const joined = median(regimes.map(([client]) => client)) * 1000;
  return [
    ratio('gold history by curl', gold, 1.3),
    ratio('meta history by curl', meta, 1.3),
    { name: `mirror of all${when}`, measured: mirror * 1000, relation: 'under', bound: 10_000, unit: 'ms' },
    ratio('regimes_on 200,000 rows by pandas', regimes, 4),
    { name: `regimes_on 200,000 rows${when}`, measured: joined, relation: 'under', bound: 1000, unit: 'ms' },
  ];
}

async function measure(args: readonly string[], key: string, options: BenchOptions): Promise<Measured> {
  const { root, environment, signal } = options;
  const requirements = path.join(root, 'test', 'python', 'clients', 'requirements.txt');
  const folder = path.join(root, '.python', 'clients');
  const python = installLocked({ what: 'the Python clients', requirements, folder });
  const PYTHONPATH = path.join(root, 'templates', 'python', 'src');
  const env = { ...environment, CRD_API_KEY: key, PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1' };
  const line = [path.join(import.meta.dirname, 'programs', 'measure_client.py'), ...args];
  return JSON.parse((await promisify(execFile)(python, line, { env, signal })).stdout) as Measured; // it prints that
}

/** Starts a proxy that passes each request on after a delay. */
async function startProxy() {
  let target = { url: '', delayMs: 0 };
  const server = createServer((req, res) => {
    const { method, headers, url = '' } = req;
    void sleep(target.delayMs).then(() =>
      request(target.url + url, { method, headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      }).end(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    forward: (url: string, delayMs: number): void => void (target = { url, delayMs }),
    close: () => server.close(),
  };
}
