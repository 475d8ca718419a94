import path from 'node:path';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatTable } from '../../infra/process/format-table.js';
import {
  type GatewayServers,
  type ServersOptions,
  type Subject,
  type Throughput,
  prepareStore,
  saturate,
  sendEvenly,
  startServers,
} from './gateway-servers.js';
import {
  type Bench,
  BenchError,
  type BenchOptions,
  type Check,
  canPin,
  formatChecks,
  formatJson,
  isPassed,
  machine,
  median,
  parseCount,
  readFullHistory,
} from './harness.js';
import type { PaceResult } from './programs/pace.js';

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

/** Throughput of one server in one round. */
type RateSample = Throughput & { readonly subject: Subject; readonly round: number };

/** Latencies of one server in one round. */
type LatencySample = PaceResult & {
  readonly round: number;
  readonly rate: number;
  readonly during: Situation;
  /** True if the gateway served the new release before the last request; always true without one. */
  readonly isWhole: boolean;
};

/** Bare Express, the gateway, or the gateway while it loads a new release. */
type Situation = 'bare' | 'rest' | 'arrival';

/** Resident memory of the gateway after a number of requests. */
type MemorySample = { readonly requests: number; readonly memoryBytes: number };

/** Number of rounds, and duration of each measurement. */
export type RoundsOptions = { readonly rounds: number; readonly seconds: number };

const SUBJECTS = [
  'bare',
  'redirect',
  'archive',
  'not-modified',
  'presigner',
] as const satisfies readonly Subject[];
const WARM_UP_SECONDS = 1;
/** Sufficient for the gateway to find the new release and read its manifests. */
const ARRIVAL_SECONDS = 4;
const BEFORE_ARRIVAL_MS = 1_500;
/** Number of polls until the gateway must serve the new release: it may need longer on a busy machine. */
const ARRIVAL_TRIES = 60;
const ARRIVAL_PAUSE_MS = 500;
/** Number of requests between two memory samples. */
const STEP = 12_500;

/** Measures the servers one after the other, in alternating order, so that a slow period of the machine affects all. */
async function measureRates(
  { targets }: GatewayServers,
  { rounds, seconds }: RoundsOptions,
  options: BenchOptions,
): Promise<RateSample[]> {
  const samples: RateSample[] = [];
  for (const subject of SUBJECTS) await saturate(targets[subject], { seconds: WARM_UP_SECONDS }, options);
  for (let round = 1; round <= rounds; round += 1) {
    for (const subject of round % 2 === 0 ? SUBJECTS.toReversed() : SUBJECTS) {
      const answered = await saturate(targets[subject], { seconds }, options);
      samples.push({ subject, round, ...answered });
      const rate = Math.round(answered.requests / answered.seconds);
      options.warn(`round ${round}/${rounds}  ${subject.padEnd(14)}${rate} responses/s`);
    }
  }
  return samples;
}

/** Returns the best rate of all rounds, because other programs on the machine can only lower a rate. */
function bestRate(samples: readonly RateSample[], subject: Subject): number {
  const own = samples.filter((sample) => sample.subject === subject);
  return Math.max(...own.map(({ requests, seconds }) => requests / seconds));
}

/** Measures latencies at half of the best rate: bare Express, the gateway, and the gateway while it loads a release. */
async function measureLatencies(
  servers: GatewayServers,
  rates: readonly RateSample[],
  { rounds, seconds }: RoundsOptions,
  options: BenchOptions,
): Promise<LatencySample[]> {
  const samples: LatencySample[] = [];
  const half = (subject: 'bare' | 'redirect'): number => bestRate(rates, subject) / 2;
  const add = (sample: LatencySample): void => {
    samples.push(sample);
    const { round, during, p99Ms, maxMs } = sample;
    options.warn(
      `round ${round}/${rounds}  ${during.padEnd(14)}p99 ${p99Ms.toFixed(2)} ms, max ${maxMs.toFixed(1)} ms`,
    );
  };
  for (let round = 1; round <= rounds; round += 1) {
    for (const [during, subject] of [
      ['bare', 'bare'],
      ['rest', 'redirect'],
    ] as const) {
      const rate = half(subject);
      const result = await sendEvenly(servers.targets[subject], { rate, seconds }, options);
      add({ round, rate, during, ...result, isWhole: true });
    }
    const rate = half('redirect');
    add({ round, rate, during: 'arrival', ...(await measureArrival(servers, rate, options)) });
  }
  return samples;
}

async function measureArrival(
  servers: GatewayServers,
  rate: number,
  options: BenchOptions,
): Promise<PaceResult & { readonly isWhole: boolean }> {
  const sending = sendEvenly(servers.targets.redirect, { rate, seconds: ARRIVAL_SECONDS }, options);
  await Promise.race([sending, sleep(BEFORE_ARRIVAL_MS)]);
  servers.publishNext();
  const result = await sending;
  const isWhole = await servers.isUpToDate();
  for (let tries = 1; !(await servers.isUpToDate()); tries += 1) {
    if (tries > ARRIVAL_TRIES)
      throw new BenchError('The gateway did not find the new release. Read its log.');
    await sleep(ARRIVAL_PAUSE_MS);
  }
  return { ...result, isWhole };
}

/** Samples the gateway's memory while it answers a number of redirects. */
async function measureMemory(
  { targets: { redirect } }: GatewayServers,
  requests: number,
  options: BenchOptions,
): Promise<MemorySample[]> {
  const samples: MemorySample[] = [];
  for (let done = STEP; done <= requests; done += STEP) {
    await saturate(redirect, { requests: STEP }, options);
    samples.push({ requests: done, memoryBytes: await redirect.server.readMemoryBytes() });
  }
  return samples;
}

/** All measurements of one run. */
type GatewayMeasured = {
  readonly rates: readonly RateSample[];
  readonly latencies: readonly LatencySample[];
  readonly memory: readonly MemorySample[];
};

/** Numbers of requests after which the memory is compared. */
type MemoryMarks = { readonly early: number; readonly late: number };

/** Numbers with `--long`. Only these have a bound. */
const LONG_MARKS: MemoryMarks = { early: 500_000, late: 2_000_000 };
/** Numbers without `--long`. */
const SHORT_MARKS: MemoryMarks = { early: 12_500, late: 50_000 };

/** Compares the measurements with their bounds. The best round counts for rates. */
function checkGateway({ rates, memory }: GatewayMeasured): Check[] {
  const relativeRate = (name: string, subject: Subject, bound: number): Check => ({
    name,
    measured: bestRate(rates, subject) / bestRate(rates, 'bare'),
    relation: 'at least',
    bound,
    unit: 'times',
  });
  return [
    relativeRate('redirects to one bundle, relative to bare Express', 'redirect', 0.8),
    relativeRate('redirects through the archive, relative to bare Express', 'archive', 0.6),
    ...(memory.some(({ requests }) => requests === LONG_MARKS.late) ? [checkMemory(memory)] : []),
  ];
}

function checkMemory(memory: readonly MemorySample[]): Check {
  const { early, late } = LONG_MARKS;
  return {
    name: 'memory after 2 million requests, relative to 0.5 million',
    measured: memoryAt(memory, late) / memoryAt(memory, early),
    relation: 'at most',
    bound: 1.05,
    unit: 'times',
  };
}

/** Returns the resident memory after a number of requests. */
function memoryAt(memory: readonly MemorySample[], requests: number): number {
  return memory.find((sample) => sample.requests === requests)?.memoryBytes ?? Number.NaN;
}

/** Results of the bench and the conditions of the run. */
type Findings = GatewayMeasured & {
  readonly startedAtMs: number;
  /** Source of the published history. */
  readonly history: 'real' | 'synthetic';
  /** True if the measured server had its own core. */
  readonly pinned: boolean;
  readonly checks: readonly Check[];
};

const SUBJECT_NAMES: Readonly<Record<Subject, string>> = {
  bare: 'bare Express, constant 307, same log',
  presigner: "Express with the SDK's presigner, no log",
  redirect: 'gateway, redirect to one bundle',
  archive: 'gateway, redirects through the archive',
  'not-modified': 'gateway, 304',
};

const SITUATIONS: Readonly<Record<Situation, string>> = {
  bare: 'bare Express (shows how busy the machine is)',
  rest: 'gateway',
  arrival: 'gateway while it loads a release',
};

/** Formats the findings as tables: rates, latencies, memory, and the checked values with their bounds. */
export function formatFindings(findings: Findings): string {
  const { history, pinned, rates, latencies, checks } = findings;
  const { node, cpu, cpus } = machine();
  const core = pinned
    ? 'server and load on one core each'
    : 'server not pinned to a core (needs taskset and two cores)';
  return [
    `${core}; ${history} history; Node ${node}, ${cpus} x ${cpu}`,
    formatTable(
      ['subject', 'best per second', 'all rounds', 'relative to bare', 'CPU us'],
      Object.entries(SUBJECT_NAMES).map(([subject, name]) => toRateRow(rates, subject as Subject, name)), // its keys
    ),
    formatTable(
      [
        'latency at half of the best rate',
        'per second',
        'p50 ms',
        'p99 ms',
        'p99.9 ms',
        'max ms',
        'p99 of all rounds',
      ],
      Object.entries(SITUATIONS).map(([during, name]) => toLatencyRow(latencies, during as Situation, name)), // its keys
    ),
    formatMemory(findings),
    formatChecks(checks),
  ].join('\n\n');
}

/** Includes the CPU time per response, the most reliable number on a busy machine: other programs hardly affect it. */
function toRateRow(samples: readonly RateSample[], subject: Subject, name: string): string[] {
  const own = samples.filter((sample) => sample.subject === subject);
  const ratesOfRounds = own.map(({ requests, seconds }) => Math.round(requests / seconds));
  const cpu = Math.min(...own.map(({ cpuSeconds, requests }) => (cpuSeconds / requests) * 1e6));
  const best = bestRate(samples, subject);
  const relative = (best / bestRate(samples, 'bare')).toFixed(2);
  return [name, String(Math.round(best)), ratesOfRounds.join(' '), relative, cpu.toFixed(0)];
}

function toLatencyRow(samples: readonly LatencySample[], during: Situation, name: string): string[] {
  const own = samples.filter((sample) => sample.during === during);
  const [best] = own.toSorted((a, b) => a.p99Ms - b.p99Ms);
  const figures = best === undefined ? [] : [best.p50Ms, best.p99Ms, best.p999Ms, best.maxMs];
  return [
    name,
    String(Math.round(best?.rate ?? Number.NaN)),
    ...figures.map((ms) => ms.toFixed(2)),
    own.map(({ p99Ms }) => p99Ms.toFixed(2)).join(' '),
  ];
}

function formatMemory({ memory }: GatewayMeasured): string {
  const marks = memory.some(({ requests }) => requests === LONG_MARKS.late) ? LONG_MARKS : SHORT_MARKS;
  const [early, late] = [memoryAt(memory, marks.early), memoryAt(memory, marks.late)];
  const middle = median(memory.map(({ memoryBytes }) => memoryBytes));
  const inMb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  return `memory of a new gateway: ${inMb(early)} after ${marks.early} requests, ${inMb(late)} after ${marks.late} (${(late / early).toFixed(3)} times), median ${inMb(middle)}`;
}

/** Returns the document of `--json`. */
export function toFindingsJson(findings: Findings): string {
  const { history, pinned, rates, latencies, memory } = findings;
  return formatJson('gateway', findings, {
    history,
    pinned,
    rates: rates.map(({ cpuSeconds, ...rate }) => ({ ...rate, cpu_seconds: cpuSeconds })),
    latencies: latencies.map(({ p50Ms, p99Ms, p999Ms, maxMs, isWhole, ...latency }) => ({
      ...latency,
      p50_ms: p50Ms,
      p99_ms: p99Ms,
      p999_ms: p999Ms,
      max_ms: maxMs,
      whole: isWhole,
    })),
    memory: memory.map(({ memoryBytes, requests }) => ({ requests, memory_bytes: memoryBytes })),
  });
}
