import { sha256Hex } from '../../schemas/digest.js';
import { methodologyDataPath } from '../../schemas/paths.js';
import type { MetaDay } from '../../schemas/types.generated.js';

/** Returns the meta day of bitcoin for a date: the same figures for every date. */
export function metaDay(date: string, revision: string): MetaDay {
  return {
    schema: 'meta-day/1',
    chain: 'bitcoin',
    date,
    updated_through: date,
    published_revision: revision,
    methodology_version: 'v1',
    status: 'available',
    regime: {
      label: 'slack',
      since: '2026-02-28',
      run_days: 1,
      previous_label: 'steady',
      axes: { demand: { z: -0.325937, level: 'normal' }, pressure: { z: -1.404255625, level: 'low' } },
      determinism_hash: sha256Hex(`regime of ${date}`),
    },
    confidence: {
      score: 0.989329,
      level: 'high',
      data_quality: 1,
      completeness: 1,
      depth: 1,
      density: 1,
      margin: 0.674063,
      speed: 0.183268375,
      missing_signals: [],
    },
    scorecard: {
      demand: { score: 36.48, z: -0.325937, level: 'normal', trend: 'flat' },
      cost: { score: 6.11, z: -1.6056095, level: 'low', trend: 'rising' },
      capacity: { score: 20.39, z: -0.800194, level: 'normal', trend: 'falling' },
    },
    drivers: [],
    methodology: { version: 'v1', sha256: sha256Hex('methodology'), path: methodologyDataPath('v1') },
    inputs_sha256: sha256Hex(`inputs of ${date}`),
  };
}
