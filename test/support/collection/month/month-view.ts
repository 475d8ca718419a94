import type { CollectedDay, DayValues } from '../../../../generator/core/collection/day-values.js';
import type { MetricName } from '../../../../schemas/types.generated.js';
import { createRandom } from '../../random/seeded.js';
import { nameOf, type Episode, type MonthChain, type MonthScript } from './month-script.js';

/** What a source says about a date in an hour, and which of the values are wrong. */
export type View = {
  readonly values: DayValues;
  readonly counts: CollectedDay['counts'];
  readonly wrong: readonly MetricName[];
  /** Whether the source offers the date, but cannot give it. */
  readonly damaged: boolean;
};

/** Usual values; `fees` and prices have decimals. */
const USUAL: Readonly<Record<MonthChain, { readonly [metric in MetricName]?: number }>> = {
  base: { tx_count: 8_000_000, active_addresses: 500_000, fees_total: 4_000, fee_median: 0.0002 },
  ethereum: {
    tx_count: 1_200_000,
    active_addresses: 500_000,
    fee_median: 0.0007,
    gas_price_mean: 17,
    gas_used: 108_000_000_000,
    gas_limit_mean: 30_000_000,
    block_count: 7_150,
  },
};

const isWhole = (metric: MetricName): boolean => !/^fee|^gas_price/.test(metric);

function toText(metric: MetricName, value: number): string {
  return isWhole(metric) ? String(Math.round(value)) : String(Number(value.toFixed(9)));
}

const TRUTHS = new WeakMap<MonthScript, Map<string, ReadonlyMap<MetricName, number>>>();
const VIEWS = new WeakMap<MonthScript, Map<string, View>>();

/** Returns what is remembered of a script. */
function remembered<T>(memo: WeakMap<MonthScript, Map<string, T>>, script: MonthScript): Map<string, T> {
  const known = memo.get(script) ?? new Map<string, T>();
  memo.set(script, known);
  return known;
}

function truthOf(script: MonthScript, chain: MonthChain, day: number): ReadonlyMap<MetricName, number> {
  const known = remembered(TRUTHS, script);
  const truth = known.get(nameOf(chain, day)) ?? drawTruth(script, chain, day);
  known.set(nameOf(chain, day), truth);
  return truth;
}

/** The true values of a date: within 8 % of the usual ones, and more on an airdrop day. */
function drawTruth(script: MonthScript, chain: MonthChain, day: number): Map<MetricName, number> {
  const isAirdrop = script.episodes.get(nameOf(chain, day))?.fault === 'airdrop';
  const random = createRandom(script.seed * 7_919 + (day + 100) * 31 + chain.length);
  const factors: { readonly [metric in MetricName]?: number } = isAirdrop
    ? { tx_count: 8, active_addresses: 4, fees_total: 3 }
    : {};
  const usual = Object.entries(USUAL[chain]) as [MetricName, number][]; // keys of USUAL
  return new Map(
    usual.map(([metric, value]) => {
      const noise = metric === 'block_count' ? 1 : 0.92 + random() * 0.16;
      return [metric, value * noise * (factors[metric] ?? 1)];
    }),
  );
}

/** What the main source says about a date in an hour of the month; `undefined` if it does not have the date. */
export function viewMain(
  script: MonthScript,
  chain: MonthChain,
  day: number,
  hour: number,
): View | undefined {
  const age = hour - (day + 1) * 24;
  const episode = script.episodes.get(nameOf(chain, day));
  const isOn = episode !== undefined && age >= episode.from && age < episode.until;
  if (age < 1 || (isOn && episode.fault === 'late-day') || isCut(script, chain, day, hour)) return undefined;
  if (isOn && episode.fault === 'repeat') {
    const before = viewMain(script, chain, day - 1, hour);
    return before && { ...before, counts: countsOf(chain, day), wrong: metricsOf(before.values) };
  }
  const isShifted = script.shifts.some((each) => each.chain === chain && isWithin(each, hour));
  const isRevised = hour >= revisedFrom(script, chain, day);
  const views = remembered(VIEWS, script);
  const name = `${chain} ${day} ${isOn} ${isShifted} ${isRevised}`;
  const known = views.get(name);
  if (known !== undefined) return known;
  const truth = new Map(truthOf(script, chain, day));
  truth.set('tx_count', countOf(truth, { isShifted, isRevised }));
  const plain: View = {
    values: toValues(truth),
    counts: countsOf(chain, day),
    wrong: [],
    damaged: false,
  };
  const view = isOn ? { ...plain, ...distort(episode, truth, plain.counts) } : plain;
  views.set(name, view);
  return view;
}

function countOf(
  truth: ReadonlyMap<MetricName, number>,
  { isShifted, isRevised }: { readonly isShifted: boolean; readonly isRevised: boolean },
): number {
  return (truth.get('tx_count') ?? 0) * (isShifted ? 1.002 : 1) * (isRevised ? 1.001 : 1);
}

/** The values of a metric of a date that are right: the true one, and its revisions by the source. */
export function rightValues(
  script: MonthScript,
  chain: MonthChain,
  day: number,
  metric: MetricName,
): number[] {
  const truth = truthOf(script, chain, day);
  const value = truth.get(metric) ?? 0;
  if (metric !== 'tx_count') return [Number(toText(metric, value))];
  const revisions = isRevisedWithWeek(script, chain, day) ? [false, true] : [false];
  const small = script.episodes.get(nameOf(chain, day))?.fault === 'small' ? [1, 1.002] : [1];
  return [false, true].flatMap((isShifted) =>
    revisions.flatMap((isRevised) =>
      small.map((factor) => Math.round(countOf(truth, { isShifted, isRevised }) * factor)),
    ),
  );
}

function isWithin({ from, until }: { readonly from: number; readonly until: number }, hour: number): boolean {
  return hour >= from && hour < until;
}

/** The hour from which `tx_count` of a date is another, with those of its week. */
function revisedFrom({ weeks }: MonthScript, chain: MonthChain, day: number): number {
  const found = weeks.find(({ chain: on, from }) => on === chain && isInWeekBefore(day, from));
  return found?.from ?? Infinity;
}

/** Returns whether the source revises a date together with its week. */
export function isRevisedWithWeek(script: MonthScript, chain: MonthChain, day: number): boolean {
  return revisedFrom(script, chain, day) !== Infinity;
}

function isInWeekBefore(day: number, hour: number): boolean {
  const today = Math.floor(hour / 24);
  return day < today && day >= today - 7;
}

function isCut({ cuts }: MonthScript, chain: MonthChain, day: number, hour: number): boolean {
  return cuts.some(
    (each) => each.chain === chain && isWithin(each, hour) && day >= Math.floor(each.from / 24) - 8,
  );
}

function distort(
  { fault, metric }: Episode,
  truth: ReadonlyMap<MetricName, number>,
  counts: CollectedDay['counts'],
): Pick<View, 'values'> & Partial<View> {
  const times = (factor: number): DayValues =>
    toValues(new Map([...truth].map(([each, value]) => [each, value * factor])));
  const wrong = [...truth.keys()];
  const only = (each: MetricName, value: number | undefined): DayValues => {
    const { [each]: _left, ...others } = toValues(truth);
    return value === undefined ? others : { ...others, [each]: toText(each, value) };
  };
  const count = truth.get('tx_count') ?? 0;
  switch (fault) {
    case 'late-metric':
      return { values: only(metric, undefined) };
    case 'half':
      return { values: times(0.4), wrong };
    case 'x10':
      return { values: times(10), wrong };
    case 'zeros':
      return { values: times(0), wrong };
    case 'zero-metric':
      return { values: only(metric, 0), wrong: [metric] };
    case 'gaps':
      return { values: times(0.97), wrong, counts: { ...counts, all_rows: '5' } };
    case 'damaged':
      return { values: {}, damaged: true };
    case 'small':
      return { values: only('tx_count', count * 1.002) };
    case 'large':
      return { values: only('tx_count', count * 1.05), wrong: ['tx_count'] };
    default:
      return { values: toValues(truth) };
  }
}

/** What the check source says about `tx_count` of a date. */
export function viewCheck(
  script: MonthScript,
  chain: MonthChain,
  day: number,
  hour: number,
): string | undefined {
  const age = hour - (day + 1) * 24;
  const episode = script.episodes.get(nameOf(chain, day));
  const from = episode?.fault === 'airdrop' ? episode.confirmed : 3;
  if (age < from) return undefined;
  const isOn = episode !== undefined && age < episode.until;
  if (isOn && episode.fault === 'repeat') return undefined; // so that only the repetition shows that it is wrong
  const factor =
    isOn && episode.fault === 'check-half' ? 0.5 : isOn && episode.fault === 'check-zero' ? 0 : 1;
  return toText('tx_count', (truthOf(script, chain, day).get('tx_count') ?? 0) * 1.001 * factor);
}

export const metricsOf = (values: DayValues): MetricName[] => Object.keys(values) as MetricName[]; // loses the key type

function toValues(truth: ReadonlyMap<MetricName, number>): DayValues {
  return Object.fromEntries([...truth].map(([metric, value]) => [metric, toText(metric, value)]));
}

/** The raw counts of a whole day. */
function countsOf(chain: MonthChain, day: number): CollectedDay['counts'] {
  if (chain === 'base') return {};
  const first = 20_000_000 + day * 7_150;
  return {
    block_count: '7150',
    block_numbers: '7150',
    first_block: `${first}`,
    last_block: `${first + 7_149}`,
    block_tx_count: '1200',
    all_rows: '1200',
    all_gas: '77',
    gas_used: '77',
    status_missing: '0',
  };
}
