import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { methodologyDataPath } from '../../../schemas/paths.js';
import type { Confidence, Dimension, MetaDay, Regime, Scorecard } from '../../../schemas/types.generated.js';
import type { InputSeries } from '../input/input-series.js';
import { confidenceLevel, confidenceScore, marginAt, speedAt } from '../methodology/confidence.js';
import { driversAt } from '../methodology/drivers.js';
import { createInputsDigest } from '../methodology/inputs-digest.js';
import { levelAt, type RegimeSeries } from '../methodology/regime-series.js';
import { dimensionScore } from '../methodology/scorecard.js';
import { methodologyInputs, missingSignalsAt } from '../methodology/signals.js';
import { toIdentity, type Provenance } from './provenance.js';

/** Creates the writer of `meta-day/1`. Source: methodology v1 §§5-10. */
export function createMetaWriter(
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
  const decided = labels[t] !== 'indeterminate' && margin !== null;
  const score = decided
    ? confidenceScore({ margin, runDays: regimes.runs[t]?.days ?? 1, speed }, settings, rounding)
    : settings.indeterminate_score;
  const quality = regimes.quality[t] ?? { data_quality: 0, completeness: 0, depth: 0, density: 0 };
  const level = confidenceLevel(score, quality.data_quality, settings);
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
