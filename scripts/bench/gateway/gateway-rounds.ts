import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError, type BenchOptions } from '../bench.js';
import { saturate, sendEvenly, type Throughput } from './load.js';
import type { PaceResult } from './pace.js';
import type { GatewayServers, Subject } from './servers.js';

/** Throughput of one server in one round. */
export type RateSample = Throughput & { readonly subject: Subject; readonly round: number };

/** Latencies of one server in one round. */
export type LatencySample = PaceResult & {
  readonly round: number;
  readonly rate: number;
  readonly during: Situation;
  /** True if the gateway served the new release before the last request; always true without one. */
  readonly isWhole: boolean;
};

/** Bare Express, the gateway, or the gateway while it loads a new release. */
export type Situation = 'bare' | 'rest' | 'arrival';

/** Resident memory of the gateway after a number of requests. */
export type MemorySample = { readonly requests: number; readonly memoryBytes: number };

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
export async function measureRates(
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
export function bestRate(samples: readonly RateSample[], subject: Subject): number {
  const own = samples.filter((sample) => sample.subject === subject);
  return Math.max(...own.map(({ requests, seconds }) => requests / seconds));
}

/** Measures latencies at half of the best rate: bare Express, the gateway, and the gateway while it loads a release. */
export async function measureLatencies(
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
export async function measureMemory(
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
