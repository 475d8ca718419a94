/** Computes the real history with the product and the naive implementation, and prints the differences. */
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { computeRegimes } from '../../../generator/core/methodology/regime-series.js';
import { createDayWriters } from '../../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { inHindsight } from '../../../scripts/calibration/hindsight.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { assertValid } from '../../../schemas/validate.js';
import { naiveDeterminismHash, naiveMetaDays } from '../../oracle/naive-methodology.js';
import { AS_OF, readHistory } from '../history-data.js';
import { derivedConclusions, metaConclusions, toNaiveDays, toNaiveRecords } from '../naive-records.js';
import type { Disagreement, OracleComparison } from '../oracle-comparison.js';

const texts = await readProductTexts();
const { methodology } = texts;

function compare(series: InputSeries): OracleComparison {
  const naive = toNaiveRecords(series);
  const writers = createDayWriters(series, texts);
  const provenance = { revision: `${AS_OF}.000001`, updatedThrough: series.dates.at(-1) ?? '' };
  const meta = series.dates.map((_, t) => writers.meta(t, provenance));
  const derived = series.dates.map((_, t) =>
    assertValid('derived-day', writers.write('derived-day/1', t, provenance)),
  );
  const differing = (product: readonly string[], oracle: readonly string[]): Disagreement[] =>
    series.dates
      .map((date, t) => ({ date, product: product[t] ?? '', oracle: oracle[t] ?? '' }))
      .filter((day) => day.product !== day.oracle);
  const labelsOf = (records: readonly { regime: { label: string } }[]): string[] =>
    records.map(({ regime }) => regime.label);
  return {
    chain: series.chain,
    dates: meta.length,
    labelled: labelsOf(naive.meta).filter((label) => label !== 'indeterminate').length,
    disagreements: {
      'every conclusion of the meta record': differing(
        meta.map(metaConclusions),
        naive.meta.map(canonicalJson),
      ),
      'the determinism hash': differing(
        meta.map(({ regime }) => regime.determinism_hash),
        meta.map((record) => naiveDeterminismHash({ ...record })),
      ),
      'every conclusion of the derived record': differing(
        derived.map(derivedConclusions),
        naive.derived.map(canonicalJson),
      ),
      'the label in hindsight': differing(
        computeRegimes(series, inHindsight(methodology)).labels,
        labelsOf(naiveMetaDays(series.chain, toNaiveDays(series), 'centred')),
      ),
    },
  };
}

process.stdout.write(JSON.stringify((await readHistory()).map(compare)));
