import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError, type BenchTerms } from './bench.js';
import { ask, saturate, type Answered } from './gateway-load.js';
import type { PaceResult } from './gateway-pace.js';
import type { Scene, Subject } from './gateway-scene.js';

/** How fast one server answered. */
export type RateSample = Answered & { readonly subject: Subject; readonly round: number };

/**
 * How long answers took at half of the greatest rate: redirects of a gateway at rest, or while a release arrived, and
 * those of bare Express, which say how quiet the machine was.
 */
export type LatencySample = PaceResult & {
  readonly round: number;
  readonly rate: number;
  readonly during: Situation;
  /** Whether the release that arrived was in force before the last request. */
  readonly isWhole: boolean;
};

/** In which situation answers were timed. */
export type Situation = 'bare' | 'rest' | 'arrival';

/** How much memory the gateway held after so many requests. */
export type MemorySample = { readonly requests: number; readonly memoryBytes: number };

/** How often and how long to measure. */
export type RoundsTerms = { readonly rounds: number; readonly seconds: number };

const SUBJECTS = [
  'bare',
  'redirect',
  'archive',
  'not-modified',
  'presigner',
] as const satisfies readonly Subject[];
const WARM_UP_SECONDS = 1;
/** Long enough for the gateway to look for a release, and to read one of the full history. */
const ARRIVAL_SECONDS = 4;
const BEFORE_ARRIVAL_MS = 1_500;
/** On a busy machine a release may come into force later than that; the next one is not published before. */
const ARRIVAL_TRIES = 60;
const ARRIVAL_PAUSE_MS = 500;
/** After so many requests at a time memory is looked at. */
const STEP = 12_500;

/** Answers of each server in turns, so that a slow minute of the machine meets all of them. Rounds alternate in order. */
export async function measureRates(
  { targets }: Scene,
  { rounds, seconds }: RoundsTerms,
  terms: BenchTerms,
): Promise<RateSample[]> {
  const samples: RateSample[] = [];
  for (const subject of SUBJECTS) await saturate(targets[subject], { seconds: WARM_UP_SECONDS }, terms);
  for (let round = 1; round <= rounds; round += 1) {
    for (const subject of round % 2 === 0 ? SUBJECTS.toReversed() : SUBJECTS) {
      const answered = await saturate(targets[subject], { seconds }, terms);
      samples.push({ subject, round, ...answered });
      const rate = Math.round(answered.requests / answered.seconds);
      terms.warn(`round ${round}/${rounds}  ${subject.padEnd(14)}${rate} answers/s`);
    }
  }
  return samples;
}

/** The greatest rate of a subject in any round: whatever else the machine does only slows it. */
export function bestRate(samples: readonly RateSample[], subject: Subject): number {
  const own = samples.filter((sample) => sample.subject === subject);
  return Math.max(...own.map(({ requests, seconds }) => requests / seconds));
}

/**
 * Answers at half of the greatest rate: in each round of bare Express, of a gateway at rest, and of one while a release
 * arrives.
 */
export async function measureLatencies(
  scene: Scene,
  rates: readonly RateSample[],
  { rounds, seconds }: RoundsTerms,
  terms: BenchTerms,
): Promise<LatencySample[]> {
  const samples: LatencySample[] = [];
  const half = (subject: 'bare' | 'redirect'): number => bestRate(rates, subject) / 2;
  const tell = (sample: LatencySample): void => {
    samples.push(sample);
    const { round, during, p99Ms, maxMs } = sample;
    terms.warn(
      `round ${round}/${rounds}  ${during.padEnd(14)}p99 ${p99Ms.toFixed(2)} ms, all within ${maxMs.toFixed(1)} ms`,
    );
  };
  for (let round = 1; round <= rounds; round += 1) {
    for (const [during, subject] of [
      ['bare', 'bare'],
      ['rest', 'redirect'],
    ] as const) {
      const rate = half(subject);
      const asked = await ask(scene.targets[subject], { rate, seconds }, terms);
      tell({ round, rate, during, ...asked, isWhole: true });
    }
    const rate = half('redirect');
    tell({ round, rate, during: 'arrival', ...(await askDuringArrival(scene, rate, terms)) });
  }
  return samples;
}

async function askDuringArrival(
  scene: Scene,
  rate: number,
  terms: BenchTerms,
): Promise<PaceResult & { readonly isWhole: boolean }> {
  const asked = ask(scene.targets.redirect, { rate, seconds: ARRIVAL_SECONDS }, terms);
  await Promise.race([asked, sleep(BEFORE_ARRIVAL_MS)]);
  scene.moveOn();
  const result = await asked;
  const isWhole = await scene.isUpToDate();
  for (let tries = 1; !(await scene.isUpToDate()); tries += 1) {
    if (tries > ARRIVAL_TRIES) throw new BenchError('the gateway does not take up a release');
    await sleep(ARRIVAL_PAUSE_MS);
  }
  return { ...result, isWhole };
}

/** The gateway's memory after each step of that many redirects. */
export async function measureMemory(
  { targets: { redirect } }: Scene,
  requests: number,
  terms: BenchTerms,
): Promise<MemorySample[]> {
  const samples: MemorySample[] = [];
  for (let done = STEP; done <= requests; done += STEP) {
    await saturate(redirect, { requests: STEP }, terms);
    samples.push({ requests: done, memoryBytes: await redirect.server.readMemoryBytes() });
  }
  return samples;
}
