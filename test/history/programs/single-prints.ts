/** Multiplies single values of bitcoin by ten and prints how many labels change within the week. */
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { computeRegimes } from '../../../generator/core/methodology/regime-series.js';
import { addDays } from '../../../schemas/dates.js';
import { currentMethodology } from '../../../schemas/methodology.js';
import type { Methodology, MetricName } from '../../../schemas/types.generated.js';
import { createRandom } from '../../support/random/seeded.js';
import { applyEdit, valueOf, type Edit } from '../drawn-edits.js';
import { cutBetween } from '../edited-series.js';
import { readHistory, seriesOf } from '../history-data.js';

const FIRST = '2016-01-01';
const LAST = '2025-12-31';
/** Number of prints: single values that are multiplied by ten. */
const PRINTS = 200;
const SEED = 1;
/** Metrics of bitcoin that signals use. Its history has no block weight. */
const METRICS = ['tx_count', 'active_addresses', 'fees_total', 'fee_median'] as const satisfies MetricName[];
/** Number of dates before a value that affect the following week: baseline, smoothing, and time for levels to settle. */
const DAYS_BEFORE = 450;

function drawPrints(series: InputSeries): Edit[] {
  const random = createRandom(SEED);
  const { dates } = cutBetween(series, FIRST, LAST);
  const prints: Edit[] = [];
  while (prints.length < PRINTS) {
    const date = dates[Math.floor(random() * dates.length)] ?? '';
    const metric = METRICS[Math.floor(random() * METRICS.length)] ?? 'tx_count';
    const value = valueOf(series, metric, date);
    if (value !== null && value !== 0) prints.push({ chain: 'bitcoin', date, metric, value: 10 * value });
  }
  return prints;
}

function countChanged(series: InputSeries, prints: readonly Edit[], methodology: Methodology): number {
  const labelsOfWeek = (each: InputSeries): string =>
    computeRegimes(each, methodology).labels.slice(DAYS_BEFORE).join();
  return prints.filter((print) => {
    const part = cutBetween(series, addDays(print.date, -DAYS_BEFORE), addDays(print.date, 6));
    return labelsOfWeek(part) !== labelsOfWeek(applyEdit(part, print));
  }).length;
}

const methodology = currentMethodology();
const plain = {
  ...methodology,
  smoothing: { ...methodology.smoothing, trim: [{ min_values: 4, drop_each_end: 0 }] },
};
const bitcoin = seriesOf(await readHistory(), 'bitcoin');
const prints = drawPrints(bitcoin);
const changed = {
  prints: prints.length,
  trimmed: countChanged(bitcoin, prints, methodology),
  plain: countChanged(bitcoin, prints, plain),
};
process.stdout.write(JSON.stringify(changed));
