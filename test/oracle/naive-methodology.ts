/**
 * A second, independent and deliberately naive implementation of methodology v1, used as an oracle in tests.
 *
 * It was written only from the text of the methodology (schemas/methodology/v1.md) and a list of the metrics of each chain,
 * and shares no code with the product. It cuts and sorts every window again for each day, without rolling updates. It
 * repeats the numbers of the methodology, because an oracle that reads them from the product's data could not find wrong
 * ones. References (§) are to the methodology.
 */
import { createHash } from 'node:crypto';

/** A chain that the methodology covers. */
export type NaiveChain = 'bitcoin' | 'ethereum' | 'arbitrum' | 'base';

/**
 * One calendar day of a series, which has every day from the first to the last. `present` is false if the input has no
 * row; `metrics` is then ignored. An absent key is a missing metric.
 */
export type NaiveDay = {
  readonly date: string;
  readonly present: boolean;
  readonly metrics: Readonly<Record<string, number | null>>;
};

/** The conclusions of one day's meta record, without identity, provenance and determinism hash. */
export type NaiveMeta = {
  date: string;
  chain: NaiveChain;
  status: 'available' | 'degraded' | 'missing';
  regime: {
    label: string;
    since: string;
    run_days: number;
    previous_label: string | null;
    axes: {
      demand: { z: number | null; level: string | null };
      pressure: { z: number | null; level: string | null };
    };
  };
  confidence: {
    score: number;
    level: string;
    data_quality: number;
    completeness: number;
    depth: number;
    density: number;
    margin: number | null;
    speed: number;
    missing_signals: string[];
  };
  scorecard: Record<
    string,
    { score: number | null; z: number | null; level: string | null; trend: string | null }
  >;
  drivers: {
    dimension: string;
    signal: string;
    direction: 'up' | 'down';
    z: number;
    contribution: number;
    value: number | null;
    smoothed: number;
    baseline: number;
    unit: string;
  }[];
  inputs_sha256: string;
};

/** The derived metrics of one day. `utilization` is absent, not null, on a chain without it. */
export type NaiveDerived = {
  date: string;
  metrics: Record<
    string,
    {
      ma7: number | null;
      ma30: number | null;
      change_7d: number | null;
      change_30d: number | null;
      percentile_365d: number | null;
    }
  >;
  fee_mean: number | null;
  utilization?: number | null;
  block_interval_mean: number | null;
  tx_per_active_address: number | null;
};

type Maybe = number | null;
type Level = 'low' | 'normal' | 'high';
type Dimension = 'demand' | 'cost' | 'capacity';
type MetricOf = (name: string) => Maybe;

// ---------------------------------------------------------------------------------------------------------------- §0 arithmetic

function round6(x: number): number {
  return Math.floor(x * 1e6 + 0.5) / 1e6;
}

function round9(x: number): number {
  return Math.floor(x * 1e9 + 0.5) / 1e9;
}

function round2(x: number): number {
  return Math.floor(x * 100 + 0.5) / 100;
}

function sig9(x: number): number {
  return Number(x.toPrecision(9));
}

function clip(x: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, x));
}

/** Adds left to right, starting at 0. */
function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total = total + value;
  return total;
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sorted(values: readonly number[]): number[] {
  return Array.from(Float64Array.from(values).sort());
}

/** Returns an element of a series; null before its first and after its last date. */
function at(series: readonly Maybe[], index: number): Maybe {
  return series[index] ?? null;
}

/** Returns the available values of the dates [from, to] in order. Dates outside the series count as missing. */
function available(series: readonly Maybe[], from: number, to: number): number[] {
  const values: number[] = [];
  for (let index = from; index <= to; index += 1) {
    const value = at(series, index);
    if (value !== null) values.push(value);
  }
  return values;
}

/** Returns the median. Precondition: at least one value. */
function median(values: readonly number[]): number {
  const ordered = sorted(values);
  const half = Math.floor(ordered.length / 2);
  const upper = element(ordered, half);
  if (ordered.length % 2 === 1) return upper;
  return (element(ordered, half - 1) + upper) / 2;
}

function element<T>(list: readonly T[], index: number): T {
  const value = list[index];
  if (value === undefined) throw new RangeError(`no element ${index} in a list of ${list.length}`);
  return value;
}

/** Returns a / b; null if one is missing or b is 0. */
function ratio(a: Maybe, b: Maybe): Maybe {
  if (a === null || b === null || b === 0) return null;
  return a / b;
}

/** Returns a * b; null if one is missing. */
function product(a: Maybe, b: Maybe): Maybe {
  if (a === null || b === null) return null;
  return a * b;
}

// -------------------------------------------------------------------------------------------------------------------- §1 inputs

const methodologyInputs: Readonly<Record<NaiveChain, readonly string[]>> = {
  bitcoin: ['tx_count', 'active_addresses', 'fees_total', 'fee_median', 'block_weight', 'block_count'],
  ethereum: [
    'tx_count',
    'active_addresses',
    'fee_median',
    'gas_price_mean',
    'gas_used',
    'gas_limit_mean',
    'block_count',
  ],
  arbitrum: ['tx_count', 'active_addresses', 'fees_total', 'fee_median'],
  base: [
    'tx_count',
    'active_addresses',
    'fees_total',
    'fee_median',
    'gas_used',
    'gas_limit_mean',
    'block_count',
  ],
};

function metricOf(day: NaiveDay): MetricOf {
  return (name) => (day.present ? (day.metrics[name] ?? null) : null);
}

// ------------------------------------------------------------------------------------------------------------------- §2 signals

type SignalRow = {
  readonly dimension: Dimension;
  readonly name: string;
  readonly raw: (chain: NaiveChain, metric: MetricOf) => Maybe;
  readonly unit: string;
  readonly logged: boolean;
  readonly minScale: number;
  readonly weight: number;
  readonly chains: readonly NaiveChain[];
};

function utilization(chain: NaiveChain, metric: MetricOf): Maybe {
  if (chain === 'bitcoin') return ratio(metric('block_weight'), product(4000000, metric('block_count')));
  return ratio(metric('gas_used'), product(metric('gas_limit_mean'), metric('block_count')));
}

/** The table of §2, in the same order. */
const signalTable: readonly SignalRow[] = [
  {
    dimension: 'demand',
    name: 'tx_count',
    raw: (_chain, metric) => metric('tx_count'),
    unit: 'transactions',
    logged: true,
    minScale: 0.1,
    weight: 1,
    chains: ['bitcoin', 'ethereum', 'arbitrum', 'base'],
  },
  {
    dimension: 'demand',
    name: 'active_addresses',
    raw: (_chain, metric) => metric('active_addresses'),
    unit: 'addresses',
    logged: true,
    minScale: 0.1,
    weight: 1,
    chains: ['bitcoin', 'ethereum', 'arbitrum', 'base'],
  },
  {
    dimension: 'cost',
    name: 'fee_mean',
    raw: (_chain, metric) => ratio(metric('fees_total'), metric('tx_count')),
    unit: 'native coin per transaction',
    logged: true,
    minScale: 0.1,
    weight: 1,
    chains: ['bitcoin', 'arbitrum', 'base'],
  },
  {
    dimension: 'cost',
    name: 'fee_median',
    raw: (_chain, metric) => metric('fee_median'),
    unit: 'native coin per transaction',
    logged: true,
    minScale: 0.1,
    weight: 1,
    chains: ['bitcoin', 'ethereum', 'arbitrum', 'base'],
  },
  {
    dimension: 'cost',
    name: 'gas_price_mean',
    raw: (_chain, metric) => metric('gas_price_mean'),
    unit: 'gwei',
    logged: true,
    minScale: 0.1,
    weight: 1,
    chains: ['ethereum'],
  },
  {
    dimension: 'capacity',
    name: 'utilization',
    raw: utilization,
    unit: 'fraction',
    logged: false,
    minScale: 0.05,
    weight: 1,
    chains: ['bitcoin', 'ethereum', 'base'],
  },
];

/** The values of one signal of one chain, per date of the series. */
type Signal = {
  readonly row: SignalRow;
  /** Values before the transformation; null where x is null. */
  readonly raw: readonly Maybe[];
  readonly x: readonly Maybe[];
  readonly s: readonly Maybe[];
  /** The median of the baseline; null where the baseline is missing. */
  readonly m: readonly Maybe[];
  readonly z: readonly Maybe[];
};

function trimmedMean(values: readonly number[]): Maybe {
  if (values.length < 4) return null;
  const k = values.length >= 6 ? 2 : 1;
  const kept = sorted(values).slice(k, values.length - k);
  return mean(kept);
}

function computeSignal(
  row: SignalRow,
  chain: NaiveChain,
  days: readonly NaiveDay[],
  smoothing: 'causal' | 'centred',
): Signal {
  const raw = days.map((day) => {
    const value = row.raw(chain, metricOf(day));
    if (value === null) return null;
    if (row.logged && !(value > 0)) return null;
    return value;
  });
  const x = raw.map((value) => (value !== null && row.logged ? Math.log(value) : value));
  const s = days.map((_day, t) =>
    smoothing === 'centred' ? trimmedMean(available(x, t - 3, t + 3)) : trimmedMean(available(x, t - 6, t)),
  );
  const m: Maybe[] = [];
  const z: Maybe[] = [];
  for (let t = 0; t < days.length; t += 1) {
    const baseline = available(s, t - 371, t - 7);
    if (baseline.length < 90) {
      m.push(null);
      z.push(null);
      continue;
    }
    const middle = median(baseline);
    m.push(middle);
    const smooth = at(s, t);
    if (smooth === null) {
      z.push(null);
      continue;
    }
    const deviation = median(baseline.map((value) => Math.abs(value - middle)));
    const scale = Math.max(1.4826 * deviation, row.minScale);
    z.push(clip(round6((smooth - middle) / scale), -8, 8));
  }
  return { row, raw, x, s, m, z };
}

// ------------------------------------------------------------------------------------------------------- §3 dimensions and axes

/** Returns z of a dimension on date t; null if none of its signals is available. */
function dimensionZ(signals: readonly Signal[], dimension: Dimension, t: number): Maybe {
  let weighted = 0;
  let weights = 0;
  for (const signal of signals) {
    const z = at(signal.z, t);
    if (signal.row.dimension !== dimension || z === null) continue;
    weighted = weighted + signal.row.weight * z;
    weights = weights + signal.row.weight;
  }
  return weights === 0 ? null : round9(weighted / weights);
}

function pressureZ(cost: Maybe, capacity: Maybe): Maybe {
  if (cost === null) return null;
  if (capacity === null) return round9((0.75 * cost) / 0.75);
  return round9((0.75 * cost + 0.25 * capacity) / (0.75 + 0.25));
}

// -------------------------------------------------------------------------------------------------------------------- §4 levels

function nextLevel(before: Level, z: Maybe): Level {
  if (z === null) return 'normal';
  let level = before;
  if (level === 'high' && z < 0.3) level = 'normal';
  if (level === 'low' && z > -0.3) level = 'normal';
  if (z >= 1.0) level = 'high';
  if (z <= -1.0) level = 'low';
  return level;
}

/** Returns the level of every date from a series of z. The level before the first date is normal. */
function levelsOf(zs: readonly Maybe[]): Level[] {
  const levels: Level[] = [];
  let level: Level = 'normal';
  for (const z of zs) {
    level = nextLevel(level, z);
    levels.push(level);
  }
  return levels;
}

// --------------------------------------------------------------------------------------------------------------------- §5 label

const labelTable: Readonly<Record<Level, Readonly<Record<Level, string>>>> = {
  // demand -> pressure -> label
  high: { low: 'expanding', normal: 'expanding', high: 'congested' },
  normal: { low: 'slack', normal: 'steady', high: 'strained' },
  low: { low: 'dormant', normal: 'quiet', high: 'strained' },
};

// -------------------------------------------------------------------------------------------------------------- §6 data quality

function dataQuality(signals: readonly Signal[], t: number) {
  let c = 0;
  let d = 0;
  let e = 0;
  let w = 0;
  for (const { row, x, s } of signals) {
    c = c + row.weight * (available(x, t - 6, t).length / 7);
    d = d + row.weight * Math.min(1, available(s, t - 371, t - 7).length / 365);
    e = e + row.weight * (available(x, t - 29, t).length / 30);
    w = w + row.weight;
  }
  return {
    data_quality: round9((0.5 * c + 0.25 * d + 0.25 * e) / w),
    completeness: round9(c / w),
    depth: round9(d / w),
    density: round9(e / w),
  };
}

// ---------------------------------------------------------------------------------------------------------------- §7 confidence

function marginOf(z: number, level: Level): number {
  if (level === 'high') return round9(z - 0.3);
  if (level === 'low') return round9(-z - 0.3);
  return round9(1.0 - Math.abs(z));
}

/** Returns z(t) - z(t-7), rounded by round9; null if one is missing. */
function weekChange(zs: readonly Maybe[], t: number): Maybe {
  const current = at(zs, t);
  const before = at(zs, t - 7);
  return current === null || before === null ? null : round9(current - before);
}

function speedOf(demand: readonly Maybe[], pressure: readonly Maybe[], t: number): number {
  let speed = 0;
  for (const change of [weekChange(demand, t), weekChange(pressure, t)]) {
    if (change !== null) speed = Math.max(speed, Math.abs(change));
  }
  return speed;
}

function confidenceScore(label: string, margin: Maybe, runDays: number, speed: number): number {
  if (label === 'indeterminate' || margin === null) return 0;
  const run = Math.min(runDays, 14) / 14;
  const exponent = 0.33 + 5.81 * clip(margin, 0, 1) + 0.51 * run - 0.84 * Math.min(2, speed);
  return round6(1 / (1 + Math.exp(-exponent)));
}

function confidenceLevel(score: number, quality: number): string {
  if (score >= 0.9 && quality >= 0.8) return 'high';
  if (score >= 0.7 && quality >= 0.6) return 'moderate';
  return 'low';
}

// ----------------------------------------------------------------------------------------------------- §8 scorecard and drivers

function scoreOf(z: Maybe): Maybe {
  return z === null ? null : round2(100 / (1 + Math.exp(-1.702 * z)));
}

function trendOf(change: Maybe): string | null {
  if (change === null) return null;
  if (change >= 0.25) return 'rising';
  if (change <= -0.25) return 'falling';
  return 'flat';
}

/** Returns the share of a dimension in its axis on a date; null if the axis is missing. */
function shareOf(dimension: Dimension, demand: Maybe, cost: Maybe, capacity: Maybe): Maybe {
  if (dimension === 'demand') return demand === null ? null : 1;
  if (cost === null) return null;
  const total = capacity === null ? 0.75 : 0.75 + 0.25;
  return (dimension === 'cost' ? 0.75 : 0.25) / total;
}

function driversOf(
  signals: readonly Signal[],
  t: number,
  demand: Maybe,
  cost: Maybe,
  capacity: Maybe,
): NaiveMeta['drivers'] {
  const drivers: NaiveMeta['drivers'] = [];
  for (const signal of signals) {
    const { row } = signal;
    const z = at(signal.z, t);
    const s = at(signal.s, t);
    const m = at(signal.m, t);
    const share = shareOf(row.dimension, demand, cost, capacity);
    if (z === null || s === null || m === null || z === 0 || share === null) continue;
    const weights = sum(
      signals
        .filter((other) => other.row.dimension === row.dimension && at(other.z, t) !== null)
        .map((other) => other.row.weight),
    );
    const value = at(signal.raw, t);
    drivers.push({
      dimension: row.dimension,
      signal: row.name,
      direction: z > 0 ? 'up' : 'down',
      z,
      contribution: round9((row.weight / weights) * share * z),
      value: value === null ? null : sig9(value),
      smoothed: sig9(row.logged ? Math.exp(s) : s),
      baseline: sig9(row.logged ? Math.exp(m) : m),
      unit: row.unit,
    });
  }
  return drivers.sort((a, b) => {
    const difference = Math.abs(b.contribution) - Math.abs(a.contribution);
    if (difference !== 0) return difference;
    return a.signal < b.signal ? -1 : 1;
  });
}

// --------------------------------------------------------------------------------------------------------------- §9 determinism

/** Returns the RFC 8785 form of a JSON value. @throws TypeError for any other value. */
function canonical(value: unknown): string {
  if (value === null || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`not a JSON number: ${value}`);
    return JSON.stringify(value);
  }
  if (typeof value === 'string') {
    if (/\p{Surrogate}/u.test(value)) throw new TypeError('a lone surrogate is not Unicode text');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return `[${items.map(canonical).join(',')}]`;
  }
  if (typeof value === 'object') {
    const members = new Map<string, unknown>(Object.entries(value));
    const keys = [...members.keys()].sort(); // the default order is by UTF-16 code units
    return `{${keys.map((key) => `${canonical(key)}:${canonical(members.get(key))}`).join(',')}}`;
  }
  throw new TypeError(`not a JSON value: ${typeof value}`);
}

/** Returns the SHA-256 of one date's `{chain, date, metrics}`, 32 bytes. */
function dayDigest(chain: NaiveChain, day: NaiveDay): Buffer {
  const metric = metricOf(day);
  const metrics = Object.fromEntries(methodologyInputs[chain].map((name) => [name, metric(name)]));
  return createHash('sha256')
    .update(canonical({ chain, date: day.date, metrics }), 'utf8')
    .digest();
}

/**
 * Returns the SHA-256 of the RFC 8785 form of a published meta record without published_revision, updated_through and
 * regime.determinism_hash.
 */
export function naiveDeterminismHash(record: Readonly<Record<string, unknown>>): string {
  const kept = Object.entries(record)
    .filter(([name]) => name !== 'published_revision' && name !== 'updated_through')
    .map(([name, value]): [string, unknown] => {
      if (name !== 'regime' || typeof value !== 'object' || value === null) return [name, value];
      return [
        name,
        Object.fromEntries(Object.entries(value).filter(([member]) => member !== 'determinism_hash')),
      ];
    });
  return createHash('sha256')
    .update(canonical(Object.fromEntries(kept)), 'utf8')
    .digest('hex');
}

// ---------------------------------------------------------------------------------------------------------------- the meta days

/**
 * Returns the meta record of each date by methodology v1. With `smoothing` 'centred', the hindsight variant of §7, the
 * smoothing window is [t-3, t+3].
 */
export function naiveMetaDays(
  chain: NaiveChain,
  days: readonly NaiveDay[],
  smoothing: 'causal' | 'centred' = 'causal',
): NaiveMeta[] {
  const signals = signalTable
    .filter((row) => row.chains.includes(chain))
    .map((row) => computeSignal(row, chain, days, smoothing));
  const hasCapacity = signals.some((signal) => signal.row.dimension === 'capacity');

  const demandZ = days.map((_day, t) => dimensionZ(signals, 'demand', t));
  const costZ = days.map((_day, t) => dimensionZ(signals, 'cost', t));
  const capacityZ = days.map((_day, t) => dimensionZ(signals, 'capacity', t));
  const pressureZs = days.map((_day, t) => pressureZ(at(costZ, t), at(capacityZ, t)));

  const demandLevels = levelsOf(demandZ);
  const costLevels = levelsOf(costZ);
  const capacityLevels = levelsOf(capacityZ);
  const pressureLevels = levelsOf(pressureZs);

  const digests = days.map((day) => dayDigest(chain, day));

  const published = (zs: readonly Maybe[], levels: readonly Level[], t: number): Level | null =>
    at(zs, t) === null ? null : element(levels, t);
  const card = (zs: readonly Maybe[], levels: readonly Level[], t: number) => ({
    score: scoreOf(at(zs, t)),
    z: at(zs, t),
    level: published(zs, levels, t),
    trend: trendOf(weekChange(zs, t)),
  });

  const records: NaiveMeta[] = [];
  days.forEach((day, t) => {
    const demand = at(demandZ, t);
    const cost = at(costZ, t);
    const capacity = at(capacityZ, t);
    const pressure = at(pressureZs, t);
    const demandLevel = element(demandLevels, t);
    const pressureLevel = element(pressureLevels, t);

    const quality = dataQuality(signals, t);
    const metric = metricOf(day);
    const hasInput = methodologyInputs[chain].some((name) => metric(name) !== null);
    const decided = demand !== null && pressure !== null && hasInput && quality.data_quality >= 0.5;
    const label = decided ? labelTable[demandLevel][pressureLevel] : 'indeterminate';

    const yesterday = records[t - 1];
    const continues = yesterday !== undefined && yesterday.regime.label === label;
    const since = continues ? yesterday.regime.since : day.date;
    const runDays = continues ? yesterday.regime.run_days + 1 : 1;
    const labelBefore = yesterday === undefined ? null : yesterday.regime.label;
    const previousLabel = continues ? yesterday.regime.previous_label : labelBefore;

    const margin =
      demand === null || pressure === null
        ? null
        : Math.min(marginOf(demand, demandLevel), marginOf(pressure, pressureLevel));
    const speed = speedOf(demandZ, pressureZs, t);
    const score = confidenceScore(label, margin, runDays, speed);

    const scorecard: NaiveMeta['scorecard'] = {
      demand: card(demandZ, demandLevels, t),
      cost: card(costZ, costLevels, t),
    };
    if (hasCapacity) scorecard['capacity'] = card(capacityZ, capacityLevels, t);

    const window = digests.slice(Math.max(0, t - 384), t + 1);

    records.push({
      date: day.date,
      chain,
      status: !day.present ? 'missing' : label === 'indeterminate' ? 'degraded' : 'available',
      regime: {
        label,
        since,
        run_days: runDays,
        previous_label: previousLabel,
        axes: {
          demand: { z: demand, level: published(demandZ, demandLevels, t) },
          pressure: { z: pressure, level: published(pressureZs, pressureLevels, t) },
        },
      },
      confidence: {
        score,
        level: confidenceLevel(score, quality.data_quality),
        ...quality,
        margin,
        speed,
        missing_signals: signals.filter(({ z }) => at(z, t) === null).map(({ row }) => row.name),
      },
      scorecard,
      drivers: driversOf(signals, t, demand, cost, capacity),
      inputs_sha256: createHash('sha256').update(Buffer.concat(window)).digest('hex'),
    });
  });
  return records;
}

// ----------------------------------------------------------------------------------------------------------- §11 derived metrics

/** The metrics of each chain. */
const chainMetrics: Readonly<Record<NaiveChain, readonly string[]>> = {
  bitcoin: [
    'tx_count',
    'active_addresses',
    'new_addresses',
    'transfer_count',
    'block_count',
    'block_weight',
    'block_size',
    'fees_total',
    'fee_median',
    'hash_rate',
    'difficulty',
    'issuance',
  ],
  ethereum: [
    'tx_count',
    'active_addresses',
    'new_addresses',
    'transfer_count',
    'failed_tx_count',
    'block_count',
    'gas_used',
    'gas_limit_mean',
    'gas_price_mean',
    'fees_total',
    'fee_median',
    'issuance',
  ],
  arbitrum: [
    'tx_count',
    'active_addresses',
    'new_addresses',
    'failed_tx_count',
    'block_count',
    'gas_used',
    'gas_price_mean',
    'fees_total',
    'fee_median',
    'l1_fees_total',
  ],
  base: [
    'tx_count',
    'active_addresses',
    'new_addresses',
    'failed_tx_count',
    'block_count',
    'gas_used',
    'gas_limit_mean',
    'gas_price_mean',
    'fees_total',
    'fee_median',
    'l1_fees_total',
  ],
};

/** Returns the mean of the available values of the `length` dates up to t; null if there are fewer than `needed`. */
function movingAverage(series: readonly Maybe[], t: number, length: number, needed: number): Maybe {
  const values = available(series, t - length + 1, t);
  return values.length < needed ? null : mean(values);
}

function changeOver(series: readonly Maybe[], t: number, lag: number): Maybe {
  const quotient = ratio(movingAverage(series, t, 7, 4), movingAverage(series, t - lag, 7, 4));
  return quotient === null ? null : round9(quotient - 1);
}

function percentile(series: readonly Maybe[], t: number): Maybe {
  const own = at(series, t);
  const values = available(series, t - 364, t);
  if (own === null || values.length < 90) return null;
  const below = values.filter((value) => value < own).length;
  const equal = values.filter((value) => value === own).length;
  return round9((below + equal / 2) / values.length);
}

function published9(value: Maybe): Maybe {
  return value === null ? null : sig9(value);
}

/** Returns the derived record of each date, with every metric that the chain supports, even if the input lacks it. */
export function naiveDerivedDays(chain: NaiveChain, days: readonly NaiveDay[]): NaiveDerived[] {
  const seriesOf = new Map<string, Maybe[]>(
    chainMetrics[chain].map((name) => [name, days.map((day) => metricOf(day)(name))]),
  );
  return days.map((day, t) => {
    const metrics: NaiveDerived['metrics'] = {};
    for (const [name, series] of seriesOf) {
      metrics[name] = {
        ma7: published9(movingAverage(series, t, 7, 4)),
        ma30: published9(movingAverage(series, t, 30, 15)),
        change_7d: changeOver(series, t, 7),
        change_30d: changeOver(series, t, 30),
        percentile_365d: percentile(series, t),
      };
    }
    const metric = metricOf(day);
    const record: NaiveDerived = {
      date: day.date,
      metrics,
      fee_mean: published9(ratio(metric('fees_total'), metric('tx_count'))),
      block_interval_mean: published9(ratio(86400, metric('block_count'))),
      tx_per_active_address: published9(ratio(metric('tx_count'), metric('active_addresses'))),
    };
    if (chain !== 'arbitrum') record.utilization = published9(utilization(chain, metric));
    return record;
  });
}
