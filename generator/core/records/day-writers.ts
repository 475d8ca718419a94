import { methodologyDigest } from '../../../schemas/methodology.js';
import type {
  BriefDay,
  Chain,
  Confidence,
  DerivedDay,
  DerivedSettings,
  Dimension,
  Genre,
  GoldDay,
  MeanSettings,
  MetaDay,
  Methodology,
  MetricSummary,
  Regime,
  Scorecard,
} from '../../../schemas/types.generated.js';
import type { BriefTemplates } from '../brief/narrator.js';
import { type Column, columnOf, type InputSeries, sourceOn } from '../input/input-series.js';
import {
  computeRegimes,
  confidenceLevel,
  confidenceScore,
  levelAt,
  marginAt,
  missingSharesAt,
  type RegimeSeries,
  speedAt,
} from '../methodology/regime-series.js';
import { metricsOf } from '../../../schemas/catalog.js';
import { methodologyInputs, missingSignalsAt, quantitySeries } from '../methodology/signals.js';
import { createRounding, type Rounding } from '../statistics/rounding.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { methodologyDataPath } from '../../../schemas/paths.js';
import { createInputsDigest, dimensionScore, driversAt } from '../methodology/drivers.js';
import { writeBrief } from '../brief/brief.js';
import { extremesAt } from './extremes.js';

/** A record of any genre. */
export type DayRecord = MetaDay | GoldDay | DerivedDay | BriefDay;

/** The schema of new day files of each genre. */
export const DAY_SCHEMAS = {
  meta: 'meta-day/1',
  gold: 'gold-day/1',
  derived: 'derived-day/1',
  briefs: 'brief-day/1',
} as const satisfies Record<Genre, string>;

/** The product texts that day records depend on. */
export type DayTexts = { readonly methodology: Methodology; readonly brief: BriefTemplates };

/** Writers for the day records of one series, in every schema that was ever published. */
export type DayWriters = {
  readonly regimes: RegimeSeries;
  readonly meta: (t: number, provenance: Provenance) => MetaDay;
  /** Writes a record. @throws Error if `schema` has no writer. Every schema that was ever published needs one. */
  readonly write: (schema: string, t: number, provenance: Provenance) => DayRecord;
};

/** Creates the writers for `series`. Add a new genre, or a new schema of one, here. */
export function createDayWriters(series: InputSeries, { methodology, brief }: DayTexts): DayWriters {
  const regimes = computeRegimes(series, methodology);
  const meta = rememberLast(createMetaWriter(series, regimes, methodologyDigest(methodology)));
  const gold = rememberLast(createGoldWriter(series, methodology.version));
  const derived = rememberLast(createDerivedWriter(series, methodology));
  const writers: Record<string, (t: number, provenance: Provenance) => DayRecord> = {
    'meta-day/1': meta,
    'gold-day/1': gold,
    'derived-day/1': derived,
    'brief-day/1': createBriefWriter(series, methodology, { meta, gold, derived }, brief),
  };
  return {
    regimes,
    meta,
    write: (schema, t, provenance) => {
      const writer = writers[schema];
      if (writer === undefined) throw new Error(`no writer of ${schema}`);
      return writer(t, provenance);
    },
  };
}

type Writer<T> = (t: number, provenance: Provenance) => T;

/** Caches the last record of a writer: a brief needs the records that were just written for its date. */
function rememberLast<T>(write: Writer<T>): Writer<T> {
  let last: { readonly t: number; readonly of: Provenance; readonly record: T } | undefined;
  return (t, provenance) => {
    const { revision, updatedThrough } = provenance;
    if (last?.t !== t || last.of.revision !== revision || last.of.updatedThrough !== updatedThrough) {
      last = { t, of: provenance, record: write(t, provenance) };
    }
    return last.record;
  };
}

/** Creates the writer of `gold-day/1`: the metrics of date `t` as they were read, and the name of their source. */
function createGoldWriter(
  series: InputSeries,
  methodologyVersion: string,
): (t: number, provenance: Provenance) => GoldDay {
  const columns = metricsOf(series.chain).map((metric) => [metric, columnOf(series, metric)] as const);
  return (t, provenance) => ({
    ...toIdentity('gold-day/1', series, t, provenance, methodologyVersion),
    metrics: Object.fromEntries(columns.map(([metric, column]) => [metric, column[t] ?? null])),
    source: series.present[t] ? (sourceOn(series, series.dates[t] ?? '')?.name ?? null) : null,
  });
}

/** Creates the writer of `derived-day/1`: moving means, changes, rank, ratios and extremes of date `t`. Source: methodology v1 §11. */
function createDerivedWriter(
  series: InputSeries,
  methodology: Methodology,
): (t: number, provenance: Provenance) => DerivedDay {
  const rounding = createRounding(methodology.rounding);
  const columns = metricsOf(series.chain).map((metric) => [metric, columnOf(series, metric)] as const);
  const ratios = ratioColumns(series, methodology, rounding);
  const { dates } = series;
  const settings = methodology.derived;
  const ranked = [...columns, ...settings.extremes.ratios.map((name) => [name, ratios[name]] as const)];
  return (t, provenance) => {
    const ratio = (name: string): number | null => ratios[name]?.[t] ?? null;
    const record: DerivedDay = {
      ...toIdentity('derived-day/1', series, t, provenance, methodology.version),
      metrics: Object.fromEntries(
        columns.map(([metric, column]) => [metric, summarize(column, t, settings, rounding)]),
      ),
      fee_mean: ratio('fee_mean'),
      block_interval_mean: ratio('block_interval_mean'),
      tx_per_active_address: ratio('tx_per_active_address'),
      extremes: ranked.flatMap(([quantity, column]) =>
        column === undefined
          ? []
          : extremesAt(
              { column, dates, t, mean: meanAt(column, t, settings.ma30) },
              settings.extremes,
              rounding,
            ).map((each) => ({ quantity, ...each })),
      ),
    };
    return ratios['utilization'] === undefined ? record : { ...record, utilization: ratio('utilization') };
  };
}

/** Returns the ratios of the chain as they are published. */
function ratioColumns(
  series: InputSeries,
  methodology: Methodology,
  rounding: Rounding,
): Record<string, Column> {
  const columns: Record<string, Column> = {};
  for (const name of methodology.derived.ratios) {
    const quantity = methodology.quantities[name];
    const column = quantity && quantitySeries(quantity, series);
    if (column !== undefined) columns[name] = column.map((x) => (x === null ? null : rounding.quantity(x)));
  }
  return columns;
}

function summarize(column: Column, t: number, settings: DerivedSettings, rounding: Rounding): MetricSummary {
  const mean = (of: MeanSettings, at: number): number | null => meanAt(column, at, of);
  const change = (now: number | null, before: number | null): number | null => {
    if (now === null || before === null || before === 0) return null;
    const ratio = now / before - 1;
    return Number.isFinite(ratio) ? rounding.combined(ratio) : null;
  };
  const changeOf = ({ mean: name, lag_days: lag }: DerivedSettings['change_7d']): number | null =>
    change(mean(settings[name], t), mean(settings[name], t - lag));
  const rounded = (x: number | null): number | null => (x === null ? null : rounding.quantity(x));
  return {
    ma7: rounded(mean(settings.ma7, t)),
    ma30: rounded(mean(settings.ma30, t)),
    change_1d: change(column[t] ?? null, column[t - 1] ?? null),
    change_7d: changeOf(settings.change_7d),
    change_30d: changeOf(settings.change_30d),
    percentile_365d: rankAt(column, t, settings, rounding),
  };
}

/** Returns the mean of the available values in the last `days` dates up to `t`, or null when there are too few. */
function meanAt(column: Column, t: number, settings: MeanSettings): number | null {
  let sum = 0;
  let count = 0;
  for (let i = Math.max(0, t - settings.days + 1); i <= t; i += 1) {
    const value = column[i] ?? null;
    if (value === null) continue;
    sum += value;
    count += 1;
  }
  return count < settings.min_values ? null : sum / count;
}

/** Returns the share of the year's values below the day's own value; equal values count in part. */
function rankAt(column: Column, t: number, settings: DerivedSettings, rounding: Rounding): number | null {
  const { days, min_values: minValues } = settings.percentile_365d;
  const own = column[t] ?? null;
  if (own === null) return null;
  let [below, equal, count] = [0, 0, 0];
  for (let i = Math.max(0, t - days + 1); i <= t; i += 1) {
    const value = column[i] ?? null;
    if (value === null) continue;
    count += 1;
    if (value < own) below += 1;
    else if (value === own) equal += 1;
  }
  return count < minValues ? null : rounding.combined((below + settings.equal_share * equal) / count);
}

/** Creates the writer of `meta-day/1`. Source: methodology v1 §§5-10. */
function createMetaWriter(
  series: InputSeries,
  regimes: RegimeSeries,
  methodologySha256: string,
): (t: number, provenance: Provenance) => MetaDay {
  const { methodology } = regimes;
  const inputs = methodologyInputs(methodology, series.chain);
  const inputsDigest = createInputsDigest(series, inputs, methodology.determinism.input_days);
  const { version } = methodology;
  const reference = { version, sha256: methodologySha256, path: methodologyDataPath(version) };
  // Each record is written twice, for its digest and for its bytes: what does not depend on the release is cached.
  const inputsOf = memoize(inputsDigest);
  const hashes = new Map<number, string>();
  return (t, provenance) => {
    const record: MetaDay = {
      ...toIdentity('meta-day/1', series, t, provenance, version),
      status: regimes.status[t] ?? 'missing',
      regime: regimeAt(t, regimes),
      confidence: confidenceAt(t, regimes),
      scorecard: scorecardAt(t, regimes),
      drivers: driversAt(t, regimes, methodology, regimes.rounding),
      methodology: reference,
      inputs_sha256: inputsOf(t),
    };
    const determinism_hash = hashes.get(t) ?? determinismHash(record);
    hashes.set(t, determinism_hash);
    return { ...record, regime: { ...record.regime, determinism_hash } };
  };
}

/**
 * Returns the SHA-256 of the record's RFC 8785 form without `published_revision`, `updated_through` and
 * `regime.determinism_hash`: it commits to every conclusion. Source: methodology v1 §9.
 */
export function determinismHash(record: MetaDay): string {
  const { published_revision: _revision, updated_through: _through, regime, ...rest } = record;
  const { determinism_hash: _hash, ...conclusions } = regime;
  return sha256Hex(canonicalJson({ ...rest, regime: conclusions }));
}

function memoize(of: (t: number) => string): (t: number) => string {
  const cache = new Map<number, string>();
  return (t) => {
    const value = cache.get(t) ?? of(t);
    cache.set(t, value);
    return value;
  };
}

function regimeAt(t: number, { dates, labels, runs, axes, levels }: RegimeSeries): Regime {
  const run = runs[t];
  const axis = (name: 'demand' | 'pressure'): Regime['axes']['demand'] => {
    const z = axes[name][t] ?? null;
    return { z, level: levelAt(z, levels[name][t]) };
  };
  return {
    label: labels[t] ?? 'indeterminate',
    since: dates[run?.start ?? t] ?? '',
    run_days: run?.days ?? 1,
    previous_label: run?.previous ?? null,
    axes: { demand: axis('demand'), pressure: axis('pressure') },
    determinism_hash: '',
  };
}

function confidenceAt(t: number, regimes: RegimeSeries): Confidence {
  const { axes, levels, methodology, rounding, labels, signals } = regimes;
  const settings = methodology.confidence;
  const margin = marginAt(t, axes, levels, methodology.levels, rounding);
  const speed = speedAt(t, axes, settings.speed_lag_days, rounding);
  const missing = missingSharesAt(t, signals);
  const decided = labels[t] !== 'indeterminate' && margin !== null;
  const score = decided
    ? confidenceScore({ margin, runDays: regimes.runs[t]?.days ?? 1, speed, missing }, settings, rounding)
    : settings.indeterminate_score;
  const quality = regimes.quality[t] ?? { data_quality: 0, completeness: 0, depth: 0, density: 0 };
  const level = confidenceLevel(score, settings);
  return { score, level, ...quality, margin, speed, missing_signals: missingSignalsAt(t, signals) };
}

function scorecardAt(t: number, regimes: RegimeSeries): Scorecard {
  const { dimensions, dimensionLevels, methodology, rounding } = regimes;
  const score = (dimension: Dimension): Scorecard['demand'] =>
    dimensionScore(
      dimensions[dimension] ?? [],
      dimensionLevels[dimension] ?? [],
      t,
      methodology.scorecard,
      rounding,
    );
  const card = { demand: score('demand'), cost: score('cost') };
  return dimensions.capacity === undefined ? card : { ...card, capacity: score('capacity') };
}

/** The writers of the records that a brief is derived from. */
type BriefSources = {
  readonly meta: (t: number, provenance: Provenance) => MetaDay;
  readonly gold: (t: number, provenance: Provenance) => GoldDay;
  readonly derived: (t: number, provenance: Provenance) => DerivedDay;
};

/** Creates the writer of `brief-day/1`: date `t` in words, derived only from the other records of that date. */
function createBriefWriter(
  series: InputSeries,
  methodology: Methodology,
  sources: BriefSources,
  templates: BriefTemplates,
): (t: number, provenance: Provenance) => BriefDay {
  return (t, provenance) => {
    const meta = sources.meta(t, provenance);
    const records = { meta, gold: sources.gold(t, provenance), derived: sources.derived(t, provenance) };
    return {
      ...toIdentity('brief-day/1', series, t, provenance, methodology.version),
      status: meta.status,
      ...writeBrief(records, methodology, templates),
      regime: meta.regime,
    };
  };
}

/** The release that a record belongs to. */
type Provenance = { readonly revision: string; readonly updatedThrough: string };

/** The first members of every day file. */
type DayIdentity<S extends string> = {
  readonly schema: S;
  readonly chain: Chain;
  readonly date: string;
  readonly updated_through: string;
  readonly published_revision: string;
  readonly methodology_version: string;
};

function toIdentity<S extends `${string}-day/${number}`>(
  schema: S,
  series: InputSeries,
  t: number,
  provenance: Provenance,
  methodologyVersion: string,
): DayIdentity<S> {
  return {
    schema,
    chain: series.chain,
    date: series.dates[t] ?? '',
    updated_through: provenance.updatedThrough,
    published_revision: provenance.revision,
    methodology_version: methodologyVersion,
  };
}
