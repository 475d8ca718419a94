import { CHAINS, LABEL_MEANINGS, METRICS, metricsOf } from '../../../schemas/catalog.js';
import type {
  BriefFact,
  Driver,
  MetaDay,
  Methodology,
  MetricName,
  Scorecard,
} from '../../../schemas/types.generated.js';
import { methodologyInputs } from '../methodology/signals.js';
import { shareWords, signalWords } from '../text/words.js';
import {
  type BriefTemplates,
  type ClaimValue,
  createNarrator,
  type DayRecords,
  type Narrator,
} from './narrator.js';

/** The texts of a brief and the facts they use. */
type Brief = {
  readonly headline: string;
  readonly body: string;
  readonly markdown: string;
  readonly facts: BriefFact[];
};

/** Writes the brief of one chain-day, using only its records. */
export function writeBrief(records: DayRecords, methodology: Methodology, templates: BriefTemplates): Brief {
  const narrator = createNarrator(records, templates.claims);
  const headline = headlineOf(narrator).join(' ');
  const sections = [
    { title: 'State', sentences: stateSection(narrator, methodology) },
    { title: 'What changed', sentences: changeSection(narrator) },
    { title: 'The day in numbers', sentences: daySection(narrator) },
    { title: 'Drivers', sentences: driversSection(narrator) },
    { title: 'Confidence', sentences: confidenceSection(narrator, methodology) },
    { title: 'Missing data', sentences: missingSection(narrator) },
  ]
    .filter(({ sentences }) => sentences.length > 0)
    .map(({ title, sentences }) => ({ title, text: sentences.join(' ') }));
  return {
    headline,
    body: sections.map(({ text }) => text).join('\n\n'),
    markdown: templates.markdown({ headline, sections }),
    facts: narrator.facts(),
  };
}

const SINCE = { fact: 'meta.regime.since' };
const DATE = { fact: 'meta.date' };
const RUN = { fact: 'meta.regime.run_days' };

/** Returns the state of the day in one sentence. */
function headlineOf({ records: { meta }, say }: Narrator): string[] {
  const { label, run_days: run, previous_label: previous } = meta.regime;
  const chain = { word: CHAINS[meta.chain].name };
  if (meta.status === 'missing') return say('headline.missing', { chain, date: DATE });
  if (label === 'indeterminate') return say('headline.unlabelled', { chain, date: DATE });
  const state = { chain, label: { word: label }, date: DATE, meaning: { word: LABEL_MEANINGS[label] } };
  return run === 1 && previous !== null
    ? say('headline.turned', state)
    : say('headline.unchanged', { ...state, since: SINCE });
}

/** Returns the sentences on the current label, how long it has lasted, and the label before it. */
function stateSection(narrator: Narrator, methodology: Methodology): string[] {
  const isLabelled = narrator.records.meta.regime.label !== 'indeterminate';
  return isLabelled ? sayLabel(narrator) : [...sayNoLabel(narrator), ...sayWhyNot(narrator, methodology)];
}

function sayLabel(narrator: Narrator): string[] {
  const {
    records: { meta },
    say,
  } = narrator;
  const { label, run_days: run, previous_label: previous } = meta.regime;
  const state = { label: { word: label }, meaning: { word: LABEL_MEANINGS[label] } };
  const before = { previous: { word: previous } };
  const wasLabelled = previous !== 'indeterminate';
  if (run === 1) {
    const dayBefore = wasLabelled ? say('state.before_turn', before) : say('state.regained');
    return [...say('state.turned', state), ...dayBefore, ...sayAxes(narrator)];
  }
  const current =
    run === 2
      ? say('state.second', state)
      : [...say('state.unchanged', state), ...say('state.since', { run: RUN, since: SINCE })];
  const earlier = wasLabelled ? say('state.before', before) : say('state.before_unlabelled');
  return [...current, ...earlier, ...sayAxes(narrator)];
}

function sayNoLabel({ records: { meta }, say }: Narrator): string[] {
  const { run_days: run, previous_label: previous } = meta.regime;
  const before = { previous: { word: previous } };
  if (run === 1) {
    return previous === null
      ? say('state.begins', { chain: { word: CHAINS[meta.chain].name } })
      : say('state.lost', before);
  }
  return [
    ...say('state.unlabelled', { run: RUN, since: SINCE }),
    ...(previous === null ? say('state.never') : say('state.last_label', before)),
  ];
}

function sayWhyNot(narrator: Narrator, methodology: Methodology): string[] {
  const {
    records: { meta, gold },
    say,
  } = narrator;
  const { axes } = meta.regime;
  if (meta.status === 'missing') return say('unlabelled.no_row');
  if (methodologyInputs(methodology, meta.chain).every((metric) => (gold.metrics[metric] ?? null) === null))
    return say('unlabelled.no_input');
  const { minimum } = methodology.data_quality;
  const quality = {
    quality: { fact: 'meta.confidence.data_quality' },
    minimum: { word: shareWords(minimum) },
  };
  return [
    ...(axes.demand.z === null ? say('unlabelled.no_demand') : []),
    ...(axes.pressure.z === null ? say('unlabelled.no_pressure') : []),
    ...(meta.confidence.data_quality < minimum ? say('unlabelled.quality', quality) : []),
    ...sayAxes(narrator),
  ];
}

function sayAxes({ records: { meta }, say }: Narrator): string[] {
  const { demand, pressure } = meta.regime.axes;
  const first = { demand: { word: demand.level }, demand_z: { fact: 'meta.regime.axes.demand.z' } };
  const second = { pressure: { word: pressure.level }, pressure_z: { fact: 'meta.regime.axes.pressure.z' } };
  if (pressure.z === null) return say('state.demand_only', first);
  return demand.z === null ? say('state.pressure_only', second) : say('state.axes', { ...first, ...second });
}

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
function changeSection(narrator: Narrator): string[] {
  return [
    ...sayStill(narrator),
    ...sayTrends(narrator),
    ...WEEKLY.flatMap(({ metric, name, isRate }) =>
      sayWeek(narrator, metric, name, isRate ? 'rate' : 'week'),
    ),
    ...WEEKLY.filter(({ name }) => MONTHLY.includes(name)).flatMap(({ metric, name }) =>
      sayMonth(narrator, metric, name),
    ),
  ];
}

function sayStill({ records: { meta }, say }: Narrator): string[] {
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

/** Percentile ranks: from `HIGH` on, a value is one of the year's highest; up to `LOW`, one of its lowest. */
const HIGH = 0.95;
const LOW = 0.05;

/** Returns the sentences on the day's own numbers. `say` leaves out a sentence whose value is missing. */
function daySection(narrator: Narrator): string[] {
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
function missingSection({ records: { meta, gold }, say }: Narrator): string[] {
  const metrics = metricsOf(meta.chain);
  const missing = metrics.filter((metric) => (gold.metrics[metric] ?? null) === null);
  if (missing.length === 0) return say('missing.none');
  return missing.length === metrics.length
    ? say('missing.all')
    : say('missing.some', { names: { word: missing.map((metric) => METRICS[metric].words).join(', ') } });
}

/** Maximum number of drivers in a brief. */
const DRIVERS = 3;

/** Returns the sentences on the strongest drivers and on the scores. */
function driversSection(narrator: Narrator): string[] {
  const {
    records: { meta },
    say,
  } = narrator;
  const score = (dimension: string): ClaimValue => ({ fact: `meta.scorecard.${dimension}.score` });
  const two = { demand: score('demand'), cost: score('cost') };
  return [
    ...meta.drivers.slice(0, DRIVERS).flatMap((driver, i) => sayDriver(narrator, driver, i)),
    ...((meta.scorecard.capacity?.score ?? null) === null
      ? say('drivers.scores_two', two)
      : say('drivers.scores_three', { ...two, capacity: score('capacity') })),
  ];
}

function sayDriver({ say, words }: Narrator, { signal, direction }: Driver, i: number): string[] {
  const [recent, usual] = [`meta.drivers.${i}.smoothed`, `meta.drivers.${i}.baseline`];
  const rank = i === 0 ? 'first' : 'next';
  const driver = { signal: { word: signalWords(signal) }, lately: { fact: recent } };
  if (words(recent) === words(usual)) return say(`drivers.${rank}_near`, driver);
  return say(`drivers.${rank}_${direction === 'up' ? 'above' : 'below'}`, {
    ...driver,
    usually: { fact: usual },
  });
}

/** Returns the sentences on the confidence in the label and the reasons for it. */
function confidenceSection(narrator: Narrator, methodology: Methodology): string[] {
  const { say, records } = narrator;
  const { label } = records.meta.regime;
  if (label === 'indeterminate') return [...say('confidence.none'), ...sayEvidence(narrator)];
  return [
    ...say(`confidence.${records.meta.confidence.level}`, { score: { fact: 'meta.confidence.score' } }),
    ...say('confidence.quality', { quality: { fact: 'meta.confidence.data_quality' } }),
    ...sayReasons(narrator, methodology),
    ...sayEvidence(narrator),
  ];
}

function sayReasons({ say, records: { meta } }: Narrator, methodology: Methodology): string[] {
  const { run_limit_days: limitDays } = methodology.confidence;
  return [
    ...say('confidence.margin', { margin: { fact: 'meta.confidence.margin' } }),
    ...say(meta.regime.run_days < limitDays ? 'confidence.young' : 'confidence.grown'),
    ...saySpeed(say, meta, methodology),
  ];
}

/**
 * Returns the sentence on the speed: how far the axes have moved since a week before. It covers only axes with a value on
 * both days. A trend is null if one of the days lacks the dimension that its axis requires, so a null trend means that
 * this axis could not be compared.
 */
function saySpeed(
  say: Narrator['say'],
  { scorecard, confidence }: MetaDay,
  methodology: Methodology,
): string[] {
  if (scorecard.demand.trend === null || scorecard.cost.trend === null) return say('confidence.incomparable');
  const isCalm = confidence.speed < methodology.scorecard.trend_threshold;
  return say(isCalm ? 'confidence.calm' : 'confidence.moved', { speed: { fact: 'meta.confidence.speed' } });
}

function sayEvidence({ say, records: { meta } }: Narrator): string[] {
  const { completeness, depth, density, missing_signals: missing } = meta.confidence;
  const signals = missing.length === 0 ? null : missing.map(signalWords).join(', ');
  const share = (member: string): { share: ClaimValue } => ({ share: { fact: `meta.confidence.${member}` } });
  return [
    ...(completeness === 1
      ? say('confidence.week_whole')
      : say('confidence.week_part', share('completeness'))),
    ...(density === 1 ? [] : say('confidence.month_part', share('density'))),
    ...(depth === 1 ? [] : say('confidence.history', share('depth'))),
    ...say('confidence.missing', { signals: { word: signals } }),
  ];
}
