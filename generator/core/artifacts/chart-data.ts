import { LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { toDate, toDayNumber } from '../../../schemas/dates.js';
import { chartDataPath } from '../../../schemas/paths.js';
import type { Chain, Chart, MetaDay, Methodology, RegimeLabel } from '../../../schemas/types.generated.js';
import { expectedSignals } from '../methodology/signals.js';
import { shownShare, shownZ } from '../../../schemas/words.js';
import { JSON_TYPE, jsonContent, type FileTemplate } from './artifact.js';

const LABELS = Object.keys(LABEL_MEANINGS) as RegimeLabel[]; // Object.keys loses the key type

/** The part of a meta record that charts show. Numbers are rounded as in texts. */
export type ChartPoint = {
  readonly date: string;
  readonly label: RegimeLabel;
  readonly confidence: number;
  readonly demand: number | null;
  readonly pressure: number | null;
  readonly missing: readonly string[];
};

export function toChartPoint({ date, regime, confidence }: MetaDay): ChartPoint {
  const { demand, pressure } = regime.axes;
  return {
    date,
    label: regime.label,
    confidence: shownShare(confidence.score),
    demand: demand.z === null ? null : shownZ(demand.z),
    pressure: pressure.z === null ? null : shownZ(pressure.z),
    missing: confidence.missing_signals,
  };
}

/** Returns the data of a chain's chart. Precondition: at least one point; dates ascend. */
export function chartDataFile(
  chain: Chain,
  points: readonly ChartPoint[],
  methodology: Methodology,
): FileTemplate {
  return {
    path: chartDataPath(chain),
    type: JSON_TYPE,
    content: ({ revision }) => jsonContent('chart', toChart(chain, points, methodology, revision)),
  };
}

/** Returns the chart of a chain with these points. A date between them without a point is null in every list. */
export function toChart(
  chain: Chain,
  points: readonly ChartPoint[],
  methodology: Methodology,
  revision: string,
): Chart {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`${chain} has no date to chart`);
  const signals = expectedSignals(methodology, chain).map(({ signal }) => signal);
  const from = toDayNumber(first.date);
  const byDate = new Map(points.map((point) => [point.date, point]));
  const days = Array.from({ length: toDayNumber(last.date) - from + 1 }, (_, t) =>
    byDate.get(toDate(from + t)),
  );
  const { enter, exit } = methodology.levels;
  return {
    schema: 'chart/1',
    chain,
    updated_through: last.date,
    published_revision: revision,
    methodology_version: methodology.version,
    thresholds: { enter, exit },
    first_date: first.date,
    labels: LABELS,
    signals,
    days: {
      label: days.map((day) => (day === undefined ? null : LABELS.indexOf(day.label))),
      confidence: days.map((day) => day?.confidence ?? null),
      demand: days.map((day) => day?.demand ?? null),
      pressure: days.map((day) => day?.pressure ?? null),
      missing: days.map((day) => toBits(day?.missing ?? [], signals)),
    },
  };
}

function toBits(missing: readonly string[], signals: readonly string[]): number {
  return signals.reduce((sum, signal, i) => sum + (missing.includes(signal) ? 2 ** i : 0), 0);
}

/** Returns the points of a published chart, ascending. */
export function pointsOf({ first_date: first, labels, signals, days }: Chart): ChartPoint[] {
  const from = toDayNumber(first);
  return days.label.flatMap((index, t): ChartPoint[] => {
    const label = index === null ? undefined : labels[index];
    if (label === undefined) return [];
    const bits = days.missing[t] ?? 0;
    return [
      {
        date: toDate(from + t),
        label,
        confidence: days.confidence[t] ?? 0,
        demand: days.demand[t] ?? null,
        pressure: days.pressure[t] ?? null,
        missing: signals.filter((_, i) => Math.floor(bits / 2 ** i) % 2 === 1),
      },
    ];
  });
}
