import { canonicalJson } from '../../../schemas/canonical-json.js';
import { CHAIN_IDS, METRIC_NAMES, metricsOf } from '../../../schemas/catalog.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { Chain, Methodology } from '../../../schemas/types.generated.js';
import { toInputSeries, type InputSeries } from '../input-series.js';
import { createDayWriters, DAY_SCHEMAS } from '../records/day-writers.js';

const PROBE_DAYS = 420;
const PROBE_STEP = 13;
const PROBE_FIRST_DAY = 18_000;

/**
 * What the code makes of a small built-in series: the same on every machine, and another one as soon as a writer, the
 * methodology or the platform's arithmetic would make other bytes. It tells whether history must be rebuilt to know
 * that it is unchanged.
 */
export function writersFingerprint(methodology: Methodology): string {
  const known = FINGERPRINTS.get(methodology) ?? probeWriters(methodology);
  FINGERPRINTS.set(methodology, known);
  return known;
}

/** One probe per methodology is enough: the code does not change while it runs. */
const FINGERPRINTS = new WeakMap<Methodology, string>();

function probeWriters(methodology: Methodology): string {
  const digests = CHAIN_IDS.flatMap((chain) => {
    const writers = createDayWriters(probeSeries(chain), methodology);
    const provenance = { revision: '2000-01-01.000001', updatedThrough: '2000-01-01' };
    const dates = Array.from({ length: Math.floor(PROBE_DAYS / PROBE_STEP) }, (_, i) => (i + 1) * PROBE_STEP);
    return dates.flatMap((t) =>
      Object.values(DAY_SCHEMAS).map((schema) =>
        sha256Hex(canonicalJson(writers.write(schema, t, provenance))),
      ),
    );
  });
  return sha256Hex(digests.join(''));
}

/** A series with waves, steps and holes, from integer arithmetic alone. */
function probeSeries(chain: Chain): InputSeries {
  const metrics = metricsOf(chain);
  const days = Array.from({ length: PROBE_DAYS }, (_, t) => t).filter((t) => t % 101 !== 100);
  const rows = days.map((t) => ({
    day: PROBE_FIRST_DAY + t,
    values: metrics.map((metric) => probeValue(t, METRIC_NAMES.indexOf(metric))),
  }));
  return toInputSeries(chain, metrics, rows, [{ name: 'probe', licence: 'none' }]);
}

function probeValue(t: number, m: number): number | null {
  if ((t + m) % 37 === 0) return null;
  const noise = (t * 7919 + m * 104_729) % 997;
  const wave = Math.abs(((t * (m + 3)) % 240) - 120);
  const step = t > 300 && m % 3 === 0 ? 900 : 0;
  return 1000 + noise + 4 * wave + step;
}
