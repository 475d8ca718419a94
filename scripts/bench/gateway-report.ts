import { formatTable } from '../../generator/commands/format-table.js';
import { isKept, median, type Check } from './check.js';
import { bestRate, type LatencySample, type RateSample, type Situation } from './gateway-rounds.js';
import { LONG_MARKS, memoryAt, SHORT_MARKS, type GatewayMeasured } from './gateway-checks.js';
import type { Subject } from './gateway-scene.js';
import { formatChecks, machine } from './report.js';

/** What a bench of the gateway has found, and where. */
export type GatewayFindings = GatewayMeasured & {
  readonly startedAtMs: number;
  /** What the releases were made of. */
  readonly history: 'real' | 'made up';
  /** Whether the server that was measured had a core to itself. */
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
  bare: 'bare Express: how quiet the machine is',
  rest: 'gateway, no release arrives',
  arrival: 'gateway, a release arrives',
};

/** The findings as tables: the machine, every rate and latency, memory, and the figures beside their bounds. */
export function formatGatewayFindings(findings: GatewayFindings): string {
  const { history, pinned, rates, latencies, checks } = findings;
  const { node, cpu, cpus } = machine();
  const core = pinned
    ? 'one core for the server'
    : 'the server not kept on one core: no taskset, or one core';
  return [
    `${core}, the load on another; releases of a ${history} full history; Node ${node}, ${cpus} x ${cpu}`,
    formatTable(
      ['asked', 'best a second', 'all a second', 'CPU us'],
      Object.entries(SUBJECTS).map(([subject, name]) => toRateRow(rates, subject as Subject, name)), // its keys
    ),
    formatTable(
      ['answers at an even rate', 'a second', 'p50 ms', 'p99 ms', 'p99.9 ms', 'max ms', 'all p99 ms'],
      Object.entries(SITUATIONS).map(([during, name]) => toLatencyRow(latencies, during as Situation, name)), // its keys
    ),
    formatMemory(findings),
    formatChecks(checks),
  ].join('\n\n');
}

/** Processor time per answer says most where other programs take some of the machine: they slow it, and cost it nothing. */
function toRateRow(samples: readonly RateSample[], subject: Subject, name: string): string[] {
  const own = samples.filter((sample) => sample.subject === subject);
  const all = own.map(({ requests, seconds }) => Math.round(requests / seconds));
  const cpu = Math.min(...own.map(({ cpuSeconds, requests }) => (cpuSeconds / requests) * 1e6));
  return [name, String(Math.round(bestRate(samples, subject))), all.join(' '), cpu.toFixed(0)];
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
  return `memory of a fresh gateway after ${marks.early} requests ${inMb(early)}, after ${marks.late} ${inMb(late)} (${(late / early).toFixed(3)} times); median of all looks ${inMb(middle)}`;
}

/** The findings as the document of `--json`. */
export function toGatewayFindingsJson(findings: GatewayFindings): string {
  const { startedAtMs, history, pinned, checks, rates, latencies, memory } = findings;
  const document = {
    bench: 'gateway',
    started_at: new Date(startedAtMs).toISOString(),
    machine: machine(),
    history,
    pinned,
    passed: checks.every(isKept),
    checks: checks.map((check) => ({ ...check, passed: isKept(check) })),
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
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
