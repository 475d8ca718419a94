import type { MetricName, Scorecard } from '../../../schemas/types.generated.js';
import type { Narrator } from './narrator.js';

/** Relative changes smaller than this are described as "about the same". */
const MIN_CHANGE = 0.01;

/** The metrics whose weekly means are reported, with their names in a sentence. The sentence about a rate does not say "a day". */
const WEEKLY: readonly { readonly metric: MetricName; readonly name: string; readonly isRate?: true }[] = [
  { metric: 'tx_count', name: 'transactions' },
  { metric: 'active_addresses', name: 'active addresses' },
  { metric: 'fees_total', name: 'fees' },
  { metric: 'gas_used', name: 'gas used' },
  { metric: 'hash_rate', name: 'the hash rate', isRate: true },
];
/** The names of the metrics that are also compared with thirty days before. */
const MONTHLY = ['transactions', 'fees'];

/** Returns the sentences that compare the day with the day before, a week before and thirty days before. */
export function changeSection(narrator: Narrator): string[] {
  return [
    ...sayLabel(narrator),
    ...sayTrends(narrator),
    ...WEEKLY.flatMap(({ metric, name, isRate }) =>
      sayWeek(narrator, metric, name, isRate ? 'rate' : 'week'),
    ),
    ...WEEKLY.filter(({ name }) => MONTHLY.includes(name)).flatMap(({ metric, name }) =>
      sayMonth(narrator, metric, name),
    ),
  ];
}

function sayLabel({ records: { meta }, say }: Narrator): string[] {
  const { label, run_days: run } = meta.regime;
  if (label === 'indeterminate' || run === 1) return []; // the state section reports a change of the label
  return say(run > 7 ? 'change.same' : 'change.within_week');
}

function sayTrends({ records: { meta }, say }: Narrator): string[] {
  const { demand, cost, capacity } = meta.scorecard;
  const trend = (score: Scorecard['demand']): { word: string | null } => ({ word: score.trend });
  const two = { demand: trend(demand), cost: trend(cost) };
  return capacity === undefined || capacity.trend === null
    ? say('change.trend_two', two)
    : say('change.trend_three', { ...two, capacity: trend(capacity) });
}

function sayWeek(narrator: Narrator, metric: MetricName, name: string, form: 'week' | 'rate'): string[] {
  const id = `derived.metrics.${metric}`;
  const subject = { word: name.charAt(0).toUpperCase() + name.slice(1) };
  const mean = { subject, mean: { fact: `${id}.ma7` } };
  const change = narrator.number(`${id}.change_7d`);
  if (change === null) return narrator.say(`${form}.mean_only`, mean);
  return narrator.say(`${form}.${directionOf(change)}`, {
    ...mean,
    ...(directionOf(change) === 'level' ? {} : { change: { fact: `${id}.change_7d` } }),
  });
}

function sayMonth({ say, number }: Narrator, metric: MetricName, name: string): string[] {
  const id = `derived.metrics.${metric}.change_30d`;
  const change = number(id);
  if (change === null) return [];
  const direction = directionOf(change);
  const subject = { subject: { word: name } };
  return say(`month.${direction}`, direction === 'level' ? subject : { ...subject, change: { fact: id } });
}

function directionOf(change: number): 'above' | 'below' | 'level' {
  if (Math.abs(change) < MIN_CHANGE) return 'level';
  return change > 0 ? 'above' : 'below';
}
