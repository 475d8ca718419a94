import type { Check } from './check.js';
import {
  bestRate,
  type LatencySample,
  type MemorySample,
  type RateSample,
  type Situation,
} from './gateway-rounds.js';
import type { Subject } from './gateway-scene.js';

/** All that was measured. */
export type GatewayMeasured = {
  readonly rates: readonly RateSample[];
  readonly latencies: readonly LatencySample[];
  readonly memory: readonly MemorySample[];
};

/** Requests after which memory is looked at, and those after which it may have grown no more. */
export type MemoryMarks = { readonly early: number; readonly late: number };

/** The marks of the long measurement; only there memory is held to its bound. */
export const LONG_MARKS: MemoryMarks = { early: 500_000, late: 2_000_000 };
/** Those of the short one. */
export const SHORT_MARKS: MemoryMarks = { early: 12_500, late: 50_000 };

/** How much of a difference between two rates of the same process is noise. */
const NOISE = 0.03;

/** The bounds of the gateway, each beside the figure that was measured: of rates and latencies that of the best round. */
export function checkGateway({ rates, latencies, memory }: GatewayMeasured): Check[] {
  const ratio = (of: Subject, to: Subject): number => bestRate(rates, of) / bestRate(rates, to);
  const times = (name: string, measured: number, bound: number): Check => ({
    name,
    measured,
    relation: 'at least',
    bound,
    unit: 'times',
  });
  const p99 = (name: string, during: Situation): Check => ({
    name,
    measured: Math.min(
      ...latencies.filter((each) => each.during === during && each.isWhole).map(({ p99Ms }) => p99Ms),
    ),
    relation: 'under',
    bound: 10,
    unit: 'ms',
  });
  return [
    times('redirects to a bundle, of bare Express (wanted: 0.80)', ratio('redirect', 'bare'), 0.6),
    times('redirects through the archive, of bare Express', ratio('archive', 'bare'), 0.6),
    times("redirects to a bundle, of the SDK's presigner", ratio('redirect', 'presigner'), 4),
    times("redirects through the archive, of the SDK's presigner", ratio('archive', 'presigner'), 4),
    times('304, of redirects (less 0.03 for noise)', ratio('not-modified', 'redirect'), 1 - NOISE),
    p99('p99 at half of the greatest rate', 'rest'),
    p99('p99 while a release arrives', 'arrival'),
    ...(memory.some(({ requests }) => requests === LONG_MARKS.late) ? [checkMemory(memory)] : []),
  ];
}

function checkMemory(memory: readonly MemorySample[]): Check {
  const { early, late } = LONG_MARKS;
  return {
    name: 'memory after 2 million requests, of that after 0.5 million',
    measured: memoryAt(memory, late) / memoryAt(memory, early),
    relation: 'at most',
    bound: 1.05,
    unit: 'times',
  };
}

/** The memory that was held after so many requests. */
export function memoryAt(memory: readonly MemorySample[], requests: number): number {
  return memory.find((sample) => sample.requests === requests)?.memoryBytes ?? Number.NaN;
}
