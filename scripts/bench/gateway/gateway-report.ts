import { formatTable } from '../../../infra/process/format-table.js';
import { formatChecks, formatJson, machine, median, type Check } from '../report.js';
import {
  bestRate,
  type LatencySample,
  type MemorySample,
  type RateSample,
  type Situation,
} from './gateway-rounds.js';
import type { Subject } from './servers.js';

/** All measurements of one run. */
export type GatewayMeasured = {
  readonly rates: readonly RateSample[];
  readonly latencies: readonly LatencySample[];
  readonly memory: readonly MemorySample[];
};

/** Numbers of requests after which the memory is compared. */
type MemoryMarks = { readonly early: number; readonly late: number };

/** Numbers with `--long`. Only these have a bound. */
export const LONG_MARKS: MemoryMarks = { early: 500_000, late: 2_000_000 };
/** Numbers without `--long`. */
export const SHORT_MARKS: MemoryMarks = { early: 12_500, late: 50_000 };

/** Compares the measurements with their bounds. The best round counts for rates. */
export function checkGateway({ rates, memory }: GatewayMeasured): Check[] {
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
export type Findings = GatewayMeasured & {
  readonly startedAtMs: number;
  /** Source of the published history. */
  readonly history: 'real' | 'synthetic';
  /** True if the measured server had its own core. */
  readonly pinned: boolean;
  readonly checks: readonly Check[];
};

const SUBJECTS: Readonly<Record<Subject, string>> = {
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
      Object.entries(SUBJECTS).map(([subject, name]) => toRateRow(rates, subject as Subject, name)), // its keys
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
