import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { Chain, GoldDay, LabelChange, Manifest, MetricName } from '../../../schemas/types.generated.js';
import type { ChainDraft } from '../draft/chain-draft.js';
import { columnOf, cutSeries, metricsWithValues, type InputSeries } from '../input/input-series.js';

/** Published history that is missing from the input. No option accepts it, so that a truncated download is never published. */
export type Drop =
  | { readonly kind: 'later-start'; readonly published: string; readonly input: string }
  | { readonly kind: 'earlier-end'; readonly published: string; readonly input: string }
  | { readonly kind: 'gone-column'; readonly metric: MetricName };

/** The published facts about a chain that reveal a drop. */
export type PublishedExtent = {
  readonly firstDate: string;
  readonly updatedThrough: string;
  readonly metrics: readonly MetricName[];
};

/** Returns the parts of published history that the input has dropped. */
export function findDrops(series: InputSeries, published: PublishedExtent): Drop[] {
  const first = series.dates[0] ?? '';
  const last = series.dates.at(-1) ?? '';
  const values = metricsWithValues(cutSeries(series, published.updatedThrough));
  const drops: Drop[] = [];
  if (first > published.firstDate) {
    drops.push({ kind: 'later-start', published: published.firstDate, input: first });
  }
  if (last < published.updatedThrough) {
    drops.push({ kind: 'earlier-end', published: published.updatedThrough, input: last });
  }
  for (const metric of published.metrics) {
    if (!values.includes(metric)) drops.push({ kind: 'gone-column', metric });
  }
  return drops;
}

/** New content for published dates of a chain, summarized for the person who decides. */
export type Restatement = {
  readonly dates: number;
  readonly first_date: string;
  readonly last_date: string;
  /** The dates whose input changed. */
  readonly input_dates: readonly string[];
  /** New dates before the published end: their rows were missing until now. */
  readonly added_dates: readonly string[];
  /** Dates that a rollback withdrew and that would be published again. */
  readonly withdrawn_dates: readonly string[];
  readonly metrics: readonly MetricChange[];
  readonly label_changes: readonly LabelChange[];
};

/** Changes of a metric over the restated dates; `largest` is the largest relative change, or an added or removed value. */
export type MetricChange = {
  readonly metric: MetricName;
  readonly dates: number;
  readonly largest: { readonly date: string; readonly from: number | null; readonly to: number | null };
};

/** The published values of a restated date. */
export type PublishedGold = Pick<GoldDay, 'date' | 'metrics'>;

/** Compares the published gold days with the input, per metric, in the order in which the days list them. */
export function compareMetrics(series: InputSeries, published: readonly PublishedGold[]): MetricChange[] {
  const indexOf = new Map(series.dates.map((date, t) => [date, t]));
  const metrics = [...new Set(published.flatMap((day) => Object.keys(day.metrics)))] as MetricName[]; // closed by the gold schema
  return metrics.flatMap((metric) => {
    const column = columnOf(series, metric);
    const changes = published.flatMap(({ date, metrics: values }) => {
      const from = values[metric] ?? null;
      const to = column[indexOf.get(date) ?? -1] ?? null;
      return from === to ? [] : [{ date, from, to }];
    });
    const largest = changes.reduce<(typeof changes)[number] | undefined>(
      (most, change) => (most === undefined || sizeOf(change) > sizeOf(most) ? change : most),
      undefined,
    );
    return largest === undefined ? [] : [{ metric, dates: changes.length, largest }];
  });
}

function sizeOf({ from, to }: { readonly from: number | null; readonly to: number | null }): number {
  if (from === null || to === null || from === 0) return Infinity;
  return Math.abs(to / from - 1);
}

/** The content of a plan digest: which published state is restated, by which input, on which dates. */
export type PlannedRestatement = {
  readonly chain: Chain;
  readonly manifest_sha256: string;
  readonly input_sha256: string;
  readonly writers_sha256: string;
  readonly dates: readonly string[];
};

/** Returns the digest that accepts exactly these restatements. It does not depend on the time of the run. */
export function planDigest(restatements: readonly PlannedRestatement[]): string {
  return sha256Hex(canonicalJson(restatements));
}

/** Returns what a draft would restate. `through` is the newest published date. */
export function toRestatement(
  draft: ChainDraft,
  through: string | null,
  published: Readonly<Record<string, Manifest | undefined>>,
): Restatement {
  const { restatedDates: dates } = draft;
  const listed = Object.values(published).flatMap((manifest) => manifest?.dates ?? []);
  const withdrawn = new Set(listed.filter(({ status }) => status === 'withdrawn').map(({ date }) => date));
  return {
    dates: dates.length,
    first_date: dates[0] ?? '',
    last_date: dates.at(-1) ?? '',
    input_dates: draft.restatedInputs.filter((date) => !withdrawn.has(date)),
    added_dates: draft.newDates.filter((date) => through !== null && date < through),
    withdrawn_dates: dates.filter((date) => withdrawn.has(date)),
    metrics: [], // prepare-plan.ts adds them: it can read the published days
    label_changes: draft.labelChanges,
  };
}
