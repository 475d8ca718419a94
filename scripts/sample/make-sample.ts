/**
 * Writes the simulated files of the sample input, bitcoin and base. With `--check`, fails if a committed file differs. The
 * simulation uses only + - * / and square roots: IEEE 754 defines their results exactly, so that the bytes are the same on
 * every machine. It does not define Math.exp, Math.log and Math.sin.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { toDate, toDayNumber } from '../../schemas/dates.js';
import type { MetricName } from '../../schemas/types.generated.js';

const LAST_DATE = '2023-09-26';
const SECONDS_PER_DAY = 86_400;
/** Log change by weekday, Sunday first. */
const WEEK = [-0.11, 0.01, 0.04, 0.04, 0.04, 0.03, -0.05];

type Random = () => number;
type Mined = { readonly blocks: number; readonly difficulty: number; readonly hashRate: number };
/** Returns the next value of a series. Called once per day, in order. */
type Daily = () => number;
/** Returns the metrics of the next day. Called once per day, in order. `weekday` is a log change. */
type DaySimulator = (weekday: number) => { readonly [metric in MetricName]?: number };

/** Returns the texts of the simulated files by name, the same at every call and on every machine. */
export function simulateSampleFiles(): { readonly [name in 'bitcoin.csv' | 'base.csv']: string } {
  return {
    'bitcoin.csv': toCsv('2021-01-01', simulateBitcoin(createRandom(20_210_101))),
    'base.csv': toCsv('2021-12-01', simulateBase(createRandom(20_211_204))),
  };
}

function simulateBitcoin(random: Random): DaySimulator {
  const demandOf = sum(
    wave(410, 0.1, 0.1),
    wave(173, 0.4, 0.06),
    wander(random, 0.95, 0.02),
    bursts(random, { perYear: 2, height: 0.45, fadeDays: 18 }),
    bursts(random, { perYear: 1.5, height: -0.4, fadeDays: 20 }),
  );
  const feesOf = sum(
    wave(290, 0.7, 0.25),
    wander(random, 0.96, 0.08),
    bursts(random, { perYear: 2.5, height: 1.2, fadeDays: 15 }),
    bursts(random, { perYear: 1.5, height: -0.9, fadeDays: 20 }),
  );
  const mine = createMining(random);
  return (weekday) => {
    const demand = demandOf() + weekday;
    const scarcity = 1.5 * demand + feesOf();
    const { blocks, difficulty, hashRate } = mine();
    const transactions = count(280_000, demand + 0.02 * bell(random));
    const addresses = count(930_000, 0.9 * demand + 0.02 * bell(random));
    const weight = Math.round(blocks * 4_000_000 * (1 - 0.06 / exp(1.2 * scarcity)));
    const feeMedian = 0.00004 * exp(scarcity + 0.05 * bell(random));
    return {
      tx_count: transactions,
      active_addresses: addresses,
      new_addresses: Math.round(addresses * 0.43 * exp(0.03 * bell(random))),
      transfer_count: Math.round(transactions * 2.9 * exp(0.03 * bell(random))),
      block_count: blocks,
      block_weight: weight,
      block_size: Math.round(weight * 0.36 * exp(0.02 * bell(random))),
      fees_total: significant(transactions * feeMedian * 1.8 * exp(0.05 * bell(random)), 8),
      fee_median: significant(feeMedian, 6),
      hash_rate: significant(hashRate, 10),
      difficulty,
      issuance: blocks * 6.25,
    };
  };
}

/** Simulates blocks at random intervals that depend on the hash rate. The difficulty is adjusted every 2016 blocks. */
function createMining(random: Random): () => Mined {
  const powerOf = sum(
    slope(0.00105),
    wander(random, 0.97, 0.01),
    bursts(random, { perYear: 0.5, height: -0.5, fadeDays: 60 }),
  );
  const hashesPerBlock = 2 ** 32;
  let difficulty = 19_557_774_000_000;
  let mined = 0;
  let days = 0;
  return () => {
    const power = 140e18 * exp(powerOf());
    const mean = (power * SECONDS_PER_DAY) / (difficulty * hashesPerBlock);
    const blocks = Math.max(1, Math.round(mean + Math.sqrt(mean) * bell(random)));
    const hashRate = (difficulty * hashesPerBlock * blocks) / SECONDS_PER_DAY / 1e12;
    const day = { blocks, difficulty, hashRate };
    mined += blocks;
    days += 1;
    if (mined >= 2016) {
      difficulty = Math.round((difficulty * mined) / (days * 144)); // the target is 144 blocks a day
      mined = 0;
      days = 0;
    }
    return day;
  };
}

function simulateBase(random: Random): DaySimulator {
  const demandOf = sum(
    slope(0.0005),
    wave(230, 0.2, 0.25),
    wander(random, 0.94, 0.04),
    bursts(random, { perYear: 2, height: 0.9, fadeDays: 15 }),
    bursts(random, { perYear: 2, height: -0.9, fadeDays: 25 }),
  );
  const feesOf = sum(wave(310, 0.6, 0.2), wander(random, 0.95, 0.08), gasBursts(random));
  const settlementOf = sum(wave(260, 0.3, 0.3), wander(random, 0.95, 0.06), gasBursts(random));
  return (weekday) => {
    const demand = demandOf() + weekday;
    const transactions = count(210_000, demand + 0.03 * bell(random));
    const addresses = count(42_000, 0.9 * demand + 0.03 * bell(random));
    const gas = count(transactions * 190_000, 0.03 * bell(random));
    const gasPrice = 0.08 * exp(0.5 * demand + feesOf());
    const settlement = transactions * 0.00005 * exp(settlementOf());
    const fees = gas * gasPrice * 1e-9 + settlement;
    return {
      tx_count: transactions,
      active_addresses: addresses,
      new_addresses: Math.round(addresses * 0.3 * exp(0.05 * bell(random))),
      failed_tx_count: Math.round(transactions * 0.03 * exp(0.1 * bell(random))),
      block_count: random() < 0.01 ? 43_200 - Math.floor(random() * 300) : 43_200,
      gas_used: gas,
      gas_limit_mean: 25_000_000,
      gas_price_mean: significant(gasPrice, 6),
      fees_total: significant(fees, 8),
      fee_median: significant((fees / transactions) * 0.6 * exp(0.04 * bell(random)), 6),
      l1_fees_total: significant(settlement, 8),
    };
  };
}

function gasBursts(random: Random): Daily {
  return sum(
    bursts(random, { perYear: 2, height: 0.9, fadeDays: 12 }),
    bursts(random, { perYear: 1, height: -0.8, fadeDays: 20 }),
  );
}

/** Returns a generator of uniform numbers in [0, 1) from a seed. Source: mulberry32 (Tommy Ettinger, public domain). */
function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns an approximately standard normal number: the sum of twelve uniform ones, minus 6 (Irwin-Hall). */
function bell(random: Random): number {
  let total = -6;
  for (let i = 0; i < 12; i += 1) total += random();
  return total;
}

/** Returns approximately e^x: (1 + x / 1024)^1024 by ten squarings. Precondition: |x| < 32. */
function exp(x: number): number {
  let power = 1 + x / 1024;
  for (let i = 0; i < 10; i += 1) power *= power;
  return power;
}

/** Returns a triangle wave from -`height` to `height`. `phase` is a share of the period. */
function wave(periodDays: number, phase: number, height: number): Daily {
  let turns = phase;
  return () => {
    turns += 1 / periodDays;
    return height * (4 * Math.abs(turns - Math.floor(turns) - 0.5) - 1);
  };
}

/** Returns an autoregressive series: each value is the share `memory` of the previous one plus a random step. */
function wander(random: Random, memory: number, step: number): Daily {
  let level = 0;
  return () => (level = memory * level + step * bell(random));
}

/** Returns rare events that grow within a week and then decay. `height` is the sum of an event's steps without decay. */
function bursts(
  random: Random,
  { perYear, height, fadeDays }: { perYear: number; height: number; fadeDays: number },
): Daily {
  let level = 0;
  let rising = 0;
  return () => {
    if (random() < perYear / 365) rising = 7;
    if (rising > 0) level += height / 7;
    rising = Math.max(0, rising - 1);
    level *= 1 - 1 / fadeDays;
    return level;
  };
}

function slope(perDay: number): Daily {
  let level = 0;
  return () => (level += perDay);
}

function sum(...parts: readonly Daily[]): Daily {
  return () => parts.reduce((total, part) => total + part(), 0);
}

function count(typical: number, logChange: number): number {
  return Math.round(typical * exp(logChange));
}

function significant(x: number, digits: number): number {
  return Number(x.toPrecision(digits));
}

function toCsv(firstDate: string, simulate: DaySimulator): string {
  const first = toDayNumber(firstDate);
  const rows = Array.from({ length: toDayNumber(LAST_DATE) - first + 1 }, (_, i) => {
    const weekday = (first + i + 4) % 7; // day 0 was a Thursday
    return { date: toDate(first + i), ...simulate(WEEK[weekday] ?? 0) };
  });
  const header = Object.keys(rows[0] ?? {}).join(',');
  return `${[header, ...rows.map((row) => Object.values(row).join(','))].join('\n')}\n`;
}

/** Writes the files. With `check`, reports those that differ instead, and resolves `false` if there are any. */
async function makeSample(check: boolean): Promise<boolean> {
  const folder = import.meta.dirname;
  let same = true;
  for (const [name, text] of Object.entries(simulateSampleFiles())) {
    const file = path.join(folder, name);
    if (!check) await writeFile(file, text);
    else if ((await readFile(file, 'utf8')) !== text) {
      process.stderr.write(`scripts/sample/${name} differs from the simulation. Run: npm run sample\n`);
      same = false;
    }
  }
  return same;
}

if (process.argv[1] === import.meta.filename && !(await makeSample(process.argv.includes('--check')))) {
  process.exitCode = 1;
}
