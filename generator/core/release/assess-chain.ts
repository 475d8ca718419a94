import { canonicalJson } from '../../../schemas/canonical-json.js';
import { methodologyDigest } from '../../../schemas/methodology.js';
import { manifestPath } from '../../../schemas/paths.js';
import type {
  Chain,
  Genre,
  GoldDay,
  Manifest,
  Methodology,
  MetricName,
  RecordChain,
  ReleaseRecord,
  Site,
} from '../../../schemas/types.generated.js';
import { columnOf, cutSeries, type InputSeries, metricsWithValues, sourceOn } from '../input/input-series.js';
import {
  manifestOf,
  type PublishedState,
  type Drop,
  type Restatement,
  type MetricChange,
} from './plan-types.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { settlingDaysOf } from '../volumes/draft-volumes.js';
import { closedPeriods } from '../volumes/volume-files.js';
import type { ChainDraft } from '../draft/chain-draft.js';

/**
 * A chain's input compared with its published state.
 * - `first`: nothing was ever published.
 * - `same`: exactly the published input.
 * - `extended`: the published input, plus later dates, changed sources or another site; or a period of it has closed since.
 * - `compare`: something differs or may differ, so that history must be rebuilt and compared.
 * - `dropped`: published history is missing from the input.
 */
type Assessment =
  | { readonly kind: 'first' | 'same' | 'extended' | 'compare' }
  | { readonly kind: 'dropped'; readonly drops: readonly Drop[] };

/** What makes the files of a chain, beside its input. */
export type Recipe = {
  readonly writersSha256: string;
  readonly methodologySha256: string;
  /** The site of this run, which needs no rebuilding of history. */
  readonly site: Site | undefined;
  readonly full: boolean;
  /** Revision of this run. */
  readonly revision: string;
};

/**
 * Returns the chains whose manifests a plan needs: those whose input is not exactly the published one. The plan assesses them
 * again, with what was read.
 */
export function chainsThatDiffer(
  inputs: readonly InputSeries[],
  previous: PublishedState,
  recipe: Recipe,
): Chain[] {
  const isSame = (series: InputSeries): boolean =>
    assessChain(series, createInputDigest(series), previous, recipe).kind === 'same';
  return inputs.filter((series) => !isSame(series)).map(({ chain }) => chain);
}

/**
 * Compares a chain's input with the published state, of which it needs no manifest. `inputDigestAt` returns the digest of
 * the input through a date.
 */
export function assessChain(
  series: InputSeries,
  inputDigestAt: (date: string) => InputDigest,
  previous: PublishedState | undefined,
  recipe: Recipe,
): Assessment {
  const record = previous?.record.chains[series.chain];
  if (previous === undefined || !(manifestPath('meta', series.chain) in previous.record.manifests))
    return { kind: 'first' };
  if (record === undefined) return { kind: 'compare' }; // rolled back to before its first release
  const drops = findDrops(series, {
    firstDate: firstDateOf(previous.calendars.get(series.chain)),
    updatedThrough: record.updated_through,
    metrics: record.metrics,
  });
  if (drops.length > 0) return { kind: 'dropped', drops };
  const sameInput = inputDigestAt(record.updated_through).sha256 === record.input_sha256;
  if (!sameInput || !isSameRecipe(record, recipe)) return { kind: 'compare' };
  const grown = series.dates.at(-1) !== record.updated_through;
  const isOther = hasOtherSources(series, previous) || !isSameSite(record.site, recipe.site);
  return { kind: grown || isOther || hasClosed(series, previous, recipe) ? 'extended' : 'same' };
}

/** Returns whether a period has closed since the chain was last published, although no date came after it. */
function hasClosed(
  { chain, dates, sources }: InputSeries,
  previous: PublishedState,
  recipe: Recipe,
): boolean {
  const [first = ''] = dates;
  const history = { first, through: dates.at(-1) ?? '', settlingDays: settlingDaysOf(sources) };
  const before = previous.record.manifests[manifestPath('meta', chain)]?.revision ?? recipe.revision;
  const closedIn = (revision: string): string =>
    closedPeriods({ ...history, revision })
      .map(({ id }) => id)
      .join();
  return closedIn(before) !== closedIn(recipe.revision);
}

/** Returns the first date of a calendar, which lists all published dates that were not withdrawn; empty if it has none. */
function firstDateOf(calendar = ''): string {
  return calendar.split('\n', 2)[1]?.slice(0, 10) ?? '';
}

function hasOtherSources(series: InputSeries, previous: PublishedState): boolean {
  const published = previous.status.chains[series.chain]?.sources ?? [];
  return canonicalJson(published) !== canonicalJson(series.sources);
}

function isSameSite(one: Site | undefined, other: Site | undefined): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}

/** Returns whether the same input would surely give the same bytes as published. With `full` it is computed again. */
export function isSameRecipe(
  chain: RecordChain | undefined,
  { writersSha256, methodologySha256, full }: Recipe,
): boolean {
  return !full && writersSha256 === chain?.writers_sha256 && methodologySha256 === chain.methodology_sha256;
}

export function manifestsOf(
  state: PublishedState | undefined,
  series: InputSeries,
): { readonly [genre in Genre]: Manifest | undefined } {
  const { chain } = series;
  return {
    meta: manifestOf(state, 'meta', chain),
    gold: manifestOf(state, 'gold', chain),
    derived: manifestOf(state, 'derived', chain),
    briefs: manifestOf(state, 'briefs', chain),
  };
}

/** Returns whether the methodology changed without a new version. */
export function isChangedMethodology(previous: ReleaseRecord | undefined, methodology: Methodology): boolean {
  const published = previous?.methodology;
  return published?.version === methodology.version && published.sha256 !== methodologyDigest(methodology);
}

/** The published facts about a chain that reveal a drop. */
type PublishedExtent = {
  readonly firstDate: string;
  readonly updatedThrough: string;
  readonly metrics: readonly MetricName[];
};

/** Returns the parts of published history that the input has dropped. */
function findDrops(series: InputSeries, published: PublishedExtent): Drop[] {
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
type PlannedRestatement = {
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
    metrics: [], // plan-with-published.ts adds them: it can read the published days
    label_changes: draft.labelChanges,
  };
}

/** A commitment to the input of a chain: its rows as values, not as text, and their sources. */
export type InputDigest = {
  readonly rows: number;
  readonly sha256: string;
};

/**
 * Returns a function from date to the SHA-256 over the canonical rows up to and including it. A metric without any
 * value counts like a metric without a column; a date without a row contributes nothing.
 */
export function createInputDigest(series: InputSeries): (date: string) => InputDigest {
  const known = DIGESTS.get(series) ?? digestRows(series);
  DIGESTS.set(series, known);
  return known;
}

/** The function of each series: its rows are written as text once. */
const DIGESTS = new WeakMap<InputSeries, (date: string) => InputDigest>();

function digestRows(series: InputSeries): (date: string) => InputDigest {
  const columns = metricsWithValues(series).map((metric) => [metric, series.metrics[metric]] as const);
  const rows: { readonly date: string; readonly text: string }[] = [];
  series.dates.forEach((date, t) => {
    if (!series.present[t]) return;
    const metrics: Record<string, number> = {};
    for (const [metric, column] of columns) {
      const value = column?.[t] ?? null;
      if (value !== null) metrics[metric] = value;
    }
    rows.push({ date, text: canonicalJson({ date, metrics, source: sourceOn(series, date)?.name ?? null }) });
  });
  return (through) => {
    const covered = rows.filter(({ date }) => date <= through);
    return { rows: covered.length, sha256: sha256Hex(covered.map(({ text }) => `${text}\n`).join('')) };
  };
}
