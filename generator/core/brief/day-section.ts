import { METRICS, metricsOf } from '../../../schemas/catalog.js';
import type { Narrator } from './narrator.js';

/** Percentile ranks: from `HIGH` on, a value is one of the year's highest; up to `LOW`, one of its lowest. */
const HIGH = 0.95;
const LOW = 0.05;

/** Returns the sentences on the day's own numbers. `say` leaves out a sentence whose value is missing. */
export function daySection(narrator: Narrator): string[] {
  const { say } = narrator;
  const gold = (metric: string): { fact: string } => ({ fact: `gold.metrics.${metric}` });
  return [
    ...sayUse(narrator),
    ...say('day.new_addresses', { count: gold('new_addresses') }),
    ...say('day.failed', { count: gold('failed_tx_count') }),
    ...sayFees(narrator),
    ...say('day.gas_price', { price: gold('gas_price_mean') }),
    ...say('day.settlement', { fees: gold('l1_fees_total') }),
    ...say('day.blocks', {
      blocks: { ...gold('block_count'), noun: 'blocks' },
      interval: { fact: 'derived.block_interval_mean' },
    }),
    ...say('day.utilization', { share: { fact: 'derived.utilization' } }),
    ...say('day.hash_rate', { rate: gold('hash_rate') }),
    ...say('day.issuance', { coins: gold('issuance') }),
  ];
}

function sayUse({ say, number }: Narrator): string[] {
  const transactions = { fact: 'gold.metrics.tx_count', noun: 'transactions' };
  const addresses = { fact: 'gold.metrics.active_addresses', noun: 'active addresses' };
  const rank = number('derived.metrics.tx_count.percentile_365d');
  const form =
    rank !== null && rank >= HIGH ? 'rank_high' : rank !== null && rank <= LOW ? 'rank_low' : 'rank';
  const both = say('day.use', { transactions, addresses });
  return [
    ...(both.length > 0 ? both : say('day.transactions', { transactions })),
    ...say(`day.${form}`, { rank: { fact: 'derived.metrics.tx_count.percentile_365d' } }),
  ];
}

function sayFees({ say }: Narrator): string[] {
  const total = { total: { fact: 'gold.metrics.fees_total' } };
  const median = { median: { fact: 'gold.metrics.fee_median' } };
  const inOneSentence = say('day.fees', { ...total, mean: { fact: 'derived.fee_mean' }, ...median });
  return inOneSentence.length > 0
    ? inOneSentence
    : [...say('day.fees_total', total), ...say('day.fee_median', median)];
}

/** Returns the sentence that names the chain's missing metrics. */
export function missingSection({ records: { meta, gold }, say }: Narrator): string[] {
  const metrics = metricsOf(meta.chain);
  const missing = metrics.filter((metric) => (gold.metrics[metric] ?? null) === null);
  if (missing.length === 0) return say('missing.none');
  return missing.length === metrics.length
    ? say('missing.all')
    : say('missing.some', { names: { word: missing.map((metric) => METRICS[metric].words).join(', ') } });
}
