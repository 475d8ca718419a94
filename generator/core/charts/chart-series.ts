import { toDayNumber } from '../../../schemas/dates.js';
import type { Chain, Chart, RegimeLabel } from '../../../schemas/types.generated.js';
import {
  confidenceCell,
  count,
  dayWords,
  signalWords,
  withMinusSigns,
  zWords,
} from '../../../schemas/words.js';

/** A day of a chart. A label of null: the date was withdrawn. */
type SeriesDay = {
  readonly label: RegimeLabel | null;
  readonly confidence: number;
  readonly demand: number | null;
  readonly pressure: number | null;
  readonly missing: readonly string[];
};

/** Days with the same label, as day numbers, from `from` up to but excluding `to`. */
export type Run = { readonly label: RegimeLabel; readonly from: number; readonly to: number };

/** The days of a chain, from day number `first`. */
export type ChartSeries = {
  readonly chain: Chain;
  readonly first: number;
  readonly days: readonly SeriesDay[];
  readonly runs: readonly Run[];
  readonly thresholds: Chart['thresholds'];
  readonly methodologyVersion: string;
};

/** What a chart says about a day of a chain, in words. */
export type Reading = {
  readonly date: string;
  readonly regime: string;
  /** How long the regime had lasted, that day included; empty without a regime. */
  readonly lasting: string;
  /** Empty without a regime. */
  readonly confidence: string;
  /** Empty if unknown. */
  readonly demand: string;
  readonly pressure: string;
  /** The missing signals; empty if none was missing. */
  readonly missing: string;
  /** Why there is no data; empty if there is. */
  readonly reason: string;
};

/** Returns the days of a published chart. */
export function toSeries(chart: Chart): ChartSeries {
  const { labels, signals, days } = chart;
  const first = toDayNumber(chart.first_date);
  const decoded = days.label.map((index, t): SeriesDay => {
    const bits = days.missing[t] ?? 0;
    return {
      label: index === null ? null : (labels[index] ?? null),
      confidence: days.confidence[t] ?? 0,
      demand: days.demand[t] ?? null,
      pressure: days.pressure[t] ?? null,
      missing: signals.filter((_, i) => Math.floor(bits / 2 ** i) % 2 === 1),
    };
  });
  return {
    chain: chart.chain,
    first,
    days: decoded,
    runs: runsOf(first, decoded),
    thresholds: chart.thresholds,
    methodologyVersion: chart.methodology_version,
  };
}

function runsOf(first: number, days: readonly SeriesDay[]): Run[] {
  const runs: Run[] = [];
  for (const [t, { label }] of days.entries()) {
    const last = runs.at(-1);
    const day = first + t;
    if (label === null) continue;
    if (last?.label === label && last.to === day) runs[runs.length - 1] = { ...last, to: day + 1 };
    else runs.push({ label, from: day, to: day + 1 });
  }
  return runs;
}

/** Returns the last day number of a series. */
export function lastDayOf({ first, days }: Pick<ChartSeries, 'first' | 'days'>): number {
  return first + days.length - 1;
}

/** Returns what a chart says about a day. */
export function readDay(series: ChartSeries, dayNumber: number): Reading {
  const date = dayWords(dayNumber);
  const day = series.days[dayNumber - series.first];
  const nothing = { regime: 'no data', lasting: '', confidence: '', demand: '', pressure: '', missing: '' };
  if (day === undefined) {
    const isBefore = dayNumber < series.first;
    const reason = isBefore
      ? `the data begins on ${dayWords(series.first)}`
      : `the data ends on ${dayWords(lastDayOf(series))}`;
    return { date, ...nothing, reason };
  }
  if (day.label === null) return { date, ...nothing, reason: 'the date was withdrawn' };
  const run = series.runs.find(({ from, to }) => dayNumber >= from && dayNumber < to);
  return {
    date,
    regime: day.label,
    lasting: count(dayNumber + 1 - (run?.from ?? dayNumber), 'day'),
    confidence: confidenceCell(day.label, day.confidence, ''),
    demand: axisWords(day.demand),
    pressure: axisWords(day.pressure),
    missing: day.missing.map(signalWords).join(', '),
    reason: '',
  };
}

/** Formats a z of an axis. */
export function axisWords(z: number | null): string {
  return z === null ? '' : withMinusSigns(zWords(z));
}
