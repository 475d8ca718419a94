import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseCount, type Bench, type BenchOptions } from '../bench.js';
import { readFullHistory } from '../metrics-history.js';
import { isPassed } from '../report.js';
import { canPin } from '../server-process.js';
import {
  checkGateway,
  formatFindings,
  LONG_MARKS,
  SHORT_MARKS,
  toFindingsJson,
  type GatewayMeasured,
} from './gateway-report.js';
import { measureLatencies, measureMemory, measureRates } from './gateway-rounds.js';
import { prepareStore } from './prepared-store.js';
import { startServers, type GatewayServers, type ServersOptions } from './servers.js';

type GatewayBenchOptions = {
  readonly history?: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly json: string;
  readonly long?: boolean;
};

/** Adds the bench of the gateway: rates relative to bare Express and the SDK's presigner, latency, and memory. */
export const addGatewayBench: Bench = (command, options) =>
  command
    .summary('redirects per second relative to bare Express and the SDK’s presigner, latency, memory')
    .description(
      'Sends requests to the built gateway on one core, alternately with a bare Express application and with one that ' +
        'only signs URLs with the SDK. Exits with 1 if a bound is missed. Takes about three minutes, or less than ' +
        'one with --rounds 1 --seconds 3.',
    )
    .option(
      '--history <dir>',
      'folder with the real histories in metrics/ (or CRD_HISTORY_DIR); by default the sample is repeated',
      options.environment['CRD_HISTORY_DIR'],
    )
    .option('--rounds <n>', 'number of measurements of each server; the best one counts', parseCount, 5)
    .option('--seconds <n>', 'duration of each measurement in seconds', parseCount, 5)
    .option('--json <file>', 'file for the results with every sample', 'bench-gateway.json')
    .option('--long', 'also check the memory after 2 million requests, which takes some minutes more')
    .action((own: GatewayBenchOptions) => runGatewayBench(own, options));

async function runGatewayBench(own: GatewayBenchOptions, options: BenchOptions): Promise<void> {
  const startedAtMs = options.now();
  const history = await readFullHistory(own.history, options.root);
  const work = await mkdtemp(path.join(tmpdir(), 'bench-gateway-'));
  try {
    options.warn(`publishing the full history and ${own.rounds} more days (not measured)`);
    const store = await prepareStore(history, { work, newDays: own.rounds }, options);
    const measured = await measureGateway({ store, work }, own, options);
    const findings = {
      startedAtMs,
      history: own.history === undefined ? ('synthetic' as const) : ('real' as const),
      pinned: canPin(),
      ...measured,
      checks: checkGateway(measured),
    };
    options.print(formatFindings(findings));
    await writeFile(own.json, toFindingsJson(findings));
    if (!findings.checks.every(isPassed)) options.fail();
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function measureGateway(
  serversOptions: ServersOptions,
  { rounds, seconds, long = false }: GatewayBenchOptions,
  options: BenchOptions,
): Promise<GatewayMeasured> {
  const extent = { rounds, seconds };
  const speed = await withServers(serversOptions, options, async (servers) => {
    const rates = await measureRates(servers, extent, options);
    return { rates, latencies: await measureLatencies(servers, rates, extent, options) };
  });
  const { late } = long ? LONG_MARKS : SHORT_MARKS;
  options.warn(`measuring the memory of a new gateway over ${late} requests`);
  const memory = await withServers(serversOptions, options, (servers) =>
    measureMemory(servers, late, options),
  );
  return { ...speed, memory };
}

async function withServers<T>(
  serversOptions: ServersOptions,
  options: BenchOptions,
  measure: (servers: GatewayServers) => Promise<T>,
): Promise<T> {
  const servers = await startServers(serversOptions, options);
  try {
    return await measure(servers);
  } finally {
    await servers.stop();
  }
}
