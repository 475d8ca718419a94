import { METRICS, metricsOf } from '../../../schemas/catalog.js';
import type { Chain, DerivedDay, GoldDay, Methodology } from '../../../schemas/types.generated.js';
import { numbers, texts, type Column } from './column.js';

/** Returns the columns of gold days: the metrics of the chain and their source. */
export function goldColumns(chain: Chain): Column<GoldDay>[] {
  const metrics = metricsOf(chain).map((metric) =>
    numbers<GoldDay>(
      metric,
      METRICS[metric].unit,
      `Metric: ${METRICS[metric].words}.`,
      ({ metrics }) => metrics[metric] ?? null,
    ),
  );
  return [...metrics, texts('source', 'Source of the values.', ({ source }) => source)];
}

/** What is derived from each metric. Without a unit, the value has that of the metric. */
const SUMMARIES = [
  { name: 'ma7', words: 'mean of 7 dates' },
  { name: 'ma30', words: 'mean of 30 dates' },
  { name: 'change_7d', unit: 'fraction', words: 'change of the mean of 7 dates within 7 days' },
  { name: 'change_30d', unit: 'fraction', words: 'change of the mean of 7 dates within 30 days' },
  { name: 'percentile_365d', unit: 'fraction', words: 'rank among the last 365 dates' },
] as const;

/** Returns the columns of derived days: the summaries of each metric, and the ratios that the chain has. */
export function derivedColumns(chain: Chain, { derived, quantities }: Methodology): Column<DerivedDay>[] {
  const summaries = metricsOf(chain).flatMap((metric) =>
    SUMMARIES.map(({ name, words, ...own }) =>
      numbers<DerivedDay>(
        `${metric}_${name}`,
        'unit' in own ? own.unit : METRICS[metric].unit,
        `Of ${METRICS[metric].words}: ${words}.`,
        ({ metrics }) => metrics[metric]?.[name] ?? null,
      ),
    ),
  );
  const ratios = (Object.keys(RATIO_WORDS) as Ratio[]).filter(
    (name) =>
      derived.ratios.includes(name) && quantities[name]?.forms.some(({ chains }) => chains.includes(chain)),
  );
  return [
    ...summaries,
    ...ratios.map((name) =>
      numbers<DerivedDay>(name, quantities[name]?.unit ?? '', RATIO_WORDS[name], (day) => day[name] ?? null),
    ),
  ];
}

type Ratio = 'fee_mean' | 'utilization' | 'block_interval_mean' | 'tx_per_active_address';

const RATIO_WORDS: Readonly<Record<Ratio, string>> = {
  fee_mean: 'Fees for each transaction.',
  utilization: 'Used part of the block space.',
  block_interval_mean: 'Mean time between blocks.',
  tx_per_active_address: 'Transactions for each active address.',
};
