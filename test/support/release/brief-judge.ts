import { readFileSync } from 'node:fs';
import { type DayRecords, factAt, factWords } from '../../../generator/core/brief/narrator.js';
import { changeWords, shareWords, signalWords } from '../../../schemas/words.js';
import { CHAINS, LABEL_MEANINGS, METRICS } from '../../../schemas/catalog.js';
import { currentMethodology } from '../../../schemas/methodology.js';
import type { BriefDay, Extreme, MetricName } from '../../../schemas/types.generated.js';

const FILE = new URL('../../../templates/brief-day-1.claims.json', import.meta.url);
/** The allowed claims of briefs, with their templates. */
export const CLAIMS = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>;

/** Maximum number of words of a brief, its headline included. */
export const MOST_WORDS = 120;

/** The names of metrics and ratios in sentences, repeated here, so that a wrong one in the product is found. */
export const QUANTITIES: Readonly<Record<string, string>> = {
  transactions: 'tx_count',
  'active addresses': 'active_addresses',
  'new addresses': 'new_addresses',
  transfers: 'transfer_count',
  'failed transactions': 'failed_tx_count',
  'the number of blocks': 'block_count',
  'total block weight': 'block_weight',
  'total block size': 'block_size',
  'gas used': 'gas_used',
  'the mean gas limit': 'gas_limit_mean',
  'the mean gas price': 'gas_price_mean',
  fees: 'fees_total',
  'the median fee': 'fee_median',
  'fees paid to Ethereum': 'l1_fees_total',
  'the hash rate': 'hash_rate',
  difficulty: 'difficulty',
  issuance: 'issuance',
  'the mean fee': 'fee_mean',
  'use of block space': 'utilization',
};
const RATIOS = ['fee_mean', 'utilization'];
/** The quantities whose names are plurals. */
const PLURALS = [
  'tx_count',
  'active_addresses',
  'new_addresses',
  'transfer_count',
  'failed_tx_count',
  'fees_total',
  'l1_fees_total',
];

const DATE = String.raw`\d{4}-\d{2}-\d{2}`;
const NUMBER = String.raw`-?\d[\d,.]*\d|-?\d`;
const QUANTITY = `(?:${NUMBER})(?: (?:million|billion|trillion))?(?: (?:%|BTC|ETH|gwei|TH/s|[kMGT]?B|days?))?`;
const oneOf = (words: readonly string[]): string =>
  `(?:${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`;
const listOf = (item: string): string => `${item}(?:, ${item})*(?: and ${item})?`;
const SIGNALS = listOf(oneOf(currentMethodology().signals.map(({ signal }) => signalWords(signal))));
const NAME = oneOf(Object.keys(QUANTITIES).sort((a, b) => b.length - a.length));
const TREND = '(?:rising|falling|flat)';
/** The threshold of data quality for a label, from the methodology. All other numbers in a brief are from a record. */
const MINIMUM_QUALITY = '50 %';

/** Patterns of the variables of claims. All others are numbers, most of them with units. */
const WORDS: Readonly<Record<string, string>> = {
  date: DATE,
  since: DATE,
  chain: oneOf(Object.values(CHAINS).map(({ name }) => name)),
  label: oneOf(Object.keys(LABEL_MEANINGS)),
  previous: oneOf(Object.keys(LABEL_MEANINGS)),
  meaning: oneOf(Object.values(LABEL_MEANINGS)),
  named: `${oneOf(Object.keys(LABEL_MEANINGS))}(?: \\(${oneOf(Object.values(LABEL_MEANINGS))}\\))?`,
  subject: NAME,
  subjects: listOf(`(?:${NAME})(?: \\(${QUANTITY}\\))?`),
  were: '(?:was|were)',
  place: '(?:second-|third-)?(?:highest|lowest)',
  kind: '(?:highest|lowest)',
  move: `${NAME} (?:rose|fell) ${QUANTITY}(?: to ${QUANTITY})?`,
  moves: listOf(`${NAME} (?:rose|fell) ${QUANTITY}(?: to ${QUANTITY})?`),
  trends: `(?:no score to compare|all scores ${TREND}|${listOf(`(?:demand|cost|capacity) ${TREND}`)})`,
  confidence: `${QUANTITY}, (?:high|moderate|low)`,
  data: `${QUANTITY}(?:, without ${SIGNALS})?`,
  reason:
    '(?:the input had no row for this date|none of the metrics that a label needs had a value|' +
    `(?:(?:demand|pressure|demand and pressure) could not be computed(?: without enough values of ${SIGNALS})?; )?` +
    `data quality was ${QUANTITY}(?:, below the ${MINIMUM_QUALITY} needed)?)`,
  names: listOf(oneOf(Object.values(METRICS).map(({ words }) => words))),
};

const FORMS = Object.entries(CLAIMS).map(([id, template]) => {
  const source = template
    .split(/\{\{(\w+)\}\}/)
    .map((part, i) =>
      i % 2 === 0 ? part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : `(?<${part}>${WORDS[part] ?? QUANTITY})`,
    )
    .join('');
  return { id, pattern: new RegExp(`^${source}$`) };
});

/** What a sentence claims: the name of its template, and the words in the place of each variable. */
type Claim = { readonly id: string; readonly words: Readonly<Record<string, string>> };

/** Parses a sentence. One that begins with a quantity is matched with a small letter, as its name is written elsewhere. */
function parseClaim(sentence: string): Claim | undefined {
  const lower = sentence.charAt(0).toLowerCase() + sentence.slice(1);
  for (const { id, pattern } of FORMS) {
    const found = pattern.exec(sentence) ?? (id.startsWith('extreme.') ? pattern.exec(lower) : null);
    if (found !== null) return { id, words: { ...found.groups } };
  }
  return undefined;
}

/** Returns the claim that a sentence makes, or `undefined` if it matches no template. */
export function claimOf(sentence: string): string | undefined {
  return parseClaim(sentence)?.id;
}

export function sentencesIn(text: string): string[] {
  return text.split(/(?<=\.)\s+/).filter((sentence) => sentence !== '');
}

/** Returns the numbers and dates of a text, with their scale words or percent signs. */
export function numbersIn(text: string): string[] {
  return text.match(/\d{4}-\d{2}-\d{2}|-?\d(?:[\d,.]*\d)?(?: (?:million|billion|trillion|%))?/g) ?? [];
}

/** Returns a member of the records as text, or `undefined` if it is missing. */
function wordsAt(records: DayRecords, id: string): string | undefined {
  const fact = factAt(records, id);
  return fact && factWords(fact);
}

/** Splits `a, b and c`. No name contains a comma or "and". */
function itemsIn(list: string): string[] {
  return list.split(/, (?=[a-z])| and /);
}

function valueIdOf(quantity: string): string {
  return RATIOS.includes(quantity) ? `derived.${quantity}` : `gold.metrics.${quantity}`;
}

/** A quantity that a sentence calls extreme, and whether its value in brackets is right. */
type NamedExtreme = { readonly quantity: string; readonly isRight: boolean };

function namedIn(subjects: string, records: DayRecords): NamedExtreme[] {
  return itemsIn(subjects).map((item) => {
    const [, name = '', value] = /^(.*?)(?: \((.*)\))?$/.exec(item) ?? [];
    const quantity = QUANTITIES[name] ?? '';
    return { quantity, isRight: value === undefined || value === wordsAt(records, valueIdOf(quantity)) };
  });
}

const RANKS: Readonly<Record<string, number>> = { '': 1, 'second-': 2, 'third-': 3 };

/** Returns whether the records have the rank that a sentence gives to every quantity it names. */
function isRanked(form: string, words: Claim['words'], records: DayRecords): boolean {
  const named = namedIn(words['subjects'] ?? '', records);
  const [, ordinal = '', kind = ''] = /^(second-|third-)?(highest|lowest)$/.exec(words['place'] ?? '') ?? [];
  const rank = RANKS[ordinal];
  const counts: number[] = [];
  const holds = named.every(({ quantity, isRight }) => {
    const entry = (window: Extreme['window']): Extreme | undefined =>
      records.derived.extremes.find((each) => each.quantity === quantity && each.window === window);
    const [history, year] = [entry('history'), entry('365d')];
    const isYoung = history === undefined && year?.last_reached === null;
    const of = form.startsWith('history') || form.startsWith('both') ? (isYoung ? year : history) : year;
    counts.push(of?.compared ?? 0);
    if (!isRight || of?.kind !== kind || of.rank !== rank) return false;
    switch (form.replace('_least', '')) {
      case 'history':
        return true;
      case 'both':
        return year?.rank === 1 && of.last_reached === words['since'] && words['kind'] === kind;
      case 'since':
        return of.rank === 1 && of.last_reached === words['since'];
      case 'since_various':
        return of.rank === 1 && of.last_reached !== null;
      default:
        return of.rank > 1;
    }
  });
  const days = Number((words['days'] ?? '').replace(/\D/g, ''));
  const isCount = form.endsWith('_least') || new Set(counts).size === 1;
  const isPlural = named.length > 1 || named.some(({ quantity }) => PLURALS.includes(quantity));
  return (
    holds &&
    (form.startsWith('since') || (isCount && Math.min(...counts) === days)) &&
    words['were'] === (isPlural ? 'were' : 'was')
  );
}

/** Returns whether each of the moves has the direction, the size and the value of the records. */
function haveMoved(moves: string, member: 'change_1d' | 'change_7d', records: DayRecords): boolean {
  const parts = moves.split(/ and |, (?=[a-z])/);
  return parts.every((part) => {
    const [, name = '', verb, size, value] = /^(.*) (rose|fell) (.*? %)(?: to (.*))?$/.exec(part) ?? [];
    const metric = QUANTITIES[name] as MetricName; // the template names only these
    const change = records.derived.metrics[metric]?.[member] ?? null;
    return (
      change !== null &&
      (verb === 'rose' ? change > 0 : change < 0) &&
      size === changeWords(change).replace(/^[+-]/, '') &&
      (value === undefined || value === wordsAt(records, `gold.metrics.${metric}`))
    );
  });
}

/** Returns whether the label, its meaning, the trends, the confidence and the data quality are those of the records. */
function isState(words: Claim['words'], { meta }: DayRecords): boolean {
  const { regime, confidence, scorecard } = meta;
  const meaning = LABEL_MEANINGS[regime.label];
  const level = confidence.score >= 0.9 ? 'high' : confidence.score >= 0.7 ? 'moderate' : 'low';
  const trends = Object.entries(scorecard).flatMap(([name, { trend }]) =>
    trend === null ? [] : [`${name} ${trend}`],
  );
  const said = words['trends'] ?? '';
  const all = /^all scores (.*)$/.exec(said)?.[1];
  const isTrend =
    said === 'no score to compare'
      ? trends.length === 0
      : all === undefined
        ? itemsIn(said).sort().join() === trends.sort().join()
        : trends.length > 1 && trends.every((each) => each.endsWith(` ${all}`));
  const missing = confidence.missing_signals.map(signalWords).join();
  const [, quality, signals = ''] = /^(.*?)(?:, without (.*))?$/.exec(words['data'] ?? '') ?? [];
  const isData = quality === shareWords(confidence.data_quality) && itemsIn(signals).join() === missing;
  return (
    [regime.label, `${regime.label} (${meaning})`].includes(words['named'] ?? '') &&
    isTrend &&
    confidence.level === level &&
    words['confidence'] === `${shareWords(confidence.score)}, ${level}` &&
    isData
  );
}

/** Returns the missing signals without which the axes cannot be computed. Pressure does without capacity. */
function absentSignals(axes: readonly ('demand' | 'pressure')[], missing: readonly string[]): string {
  const dimensions: readonly string[] = axes.map((axis) => (axis === 'demand' ? 'demand' : 'cost'));
  return currentMethodology()
    .signals.filter(({ signal, dimension }) => missing.includes(signal) && dimensions.includes(dimension))
    .map(({ signal }) => signalWords(signal))
    .join();
}

/** Returns whether the reason for a missing label is that of the records. */
function isReason(reason: string, { meta, gold }: DayRecords): boolean {
  const { regime, confidence } = meta;
  if (reason.startsWith('the input')) return meta.status === 'missing';
  if (reason.startsWith('none of'))
    return regime.label === 'indeterminate' && Object.keys(gold.metrics).length > 0;
  const [, axes = ''] = /^(.*?) could not be computed/.exec(reason) ?? [];
  const [, signals = ''] = / without enough values of (.*?);/.exec(reason) ?? [];
  const lacking = (['demand', 'pressure'] as const).filter((axis) => regime.axes[axis].z === null);
  return (
    axes === lacking.join(' and ') &&
    (axes === '' || itemsIn(signals).join() === absentSignals(lacking, confidence.missing_signals)) &&
    reason.includes(`data quality was ${shareWords(confidence.data_quality)}`) &&
    reason.includes(`below the ${MINIMUM_QUALITY}`) === confidence.data_quality < 0.5
  );
}

/** The ranks in the year that each form of the sentence on a contradiction needs. */
const ODDS: Readonly<Record<string, (rank: number) => boolean>> = {
  highest: (rank) => rank >= 0.9,
  lowest: (rank) => rank <= 0.1,
  upper: (rank) => rank >= 2 / 3 && rank < 0.9,
  lower: (rank) => rank > 0.1 && rank <= 1 / 3,
  extreme: () => true,
};
const AXIS_OF: Readonly<Record<string, 'demand' | 'pressure'>> = {
  tx_count: 'demand',
  active_addresses: 'demand',
  fee_median: 'pressure',
  gas_price_mean: 'pressure',
  fees_total: 'pressure',
};

/** Returns whether a value of the day contradicts the level of its axis, with the rank that a sentence states. */
function isAtOdds(form: string, words: Claim['words'], records: DayRecords): boolean {
  const quantity = QUANTITIES[words['subject'] ?? ''] ?? '';
  const rank = records.derived.metrics[quantity as MetricName]?.percentile_365d ?? NaN;
  const level = records.meta.regime.axes[AXIS_OF[quantity] ?? 'demand'].level;
  const contradicts =
    level === 'high' ? rank <= 0.3 : level === 'low' ? rank >= 0.7 : rank <= 0.05 || rank >= 0.95;
  const isExtreme = records.derived.extremes.some((each) => each.quantity === quantity);
  return (
    quantity in AXIS_OF &&
    contradicts &&
    isExtreme === (form === 'extreme') &&
    ODDS[form]?.(rank) === true &&
    (form === 'extreme' || words['rank'] === shareWords(rank)) &&
    words['were'] === (PLURALS.includes(quantity) ? 'were' : 'was')
  );
}

/** Returns whether a claim holds on the day. */
function isTrue({ id, words }: Claim, records: DayRecords): boolean {
  const { meta, gold, derived } = records;
  const { regime } = meta;
  const [kind = '', form = ''] = id.split('.');
  const isNamed =
    (words['date'] ?? meta.date) === meta.date &&
    (words['chain'] ?? CHAINS[meta.chain].name) === CHAINS[meta.chain].name;
  const isLabelled = regime.label !== 'indeterminate';
  const hasTurned = regime.run_days === 1 && regime.previous_label !== null;
  const isHeld =
    regime.run_days > 1 &&
    (words['since'] ?? regime.since) === regime.since &&
    (words['run'] === undefined || words['run'] === wordsAt(records, 'meta.regime.run_days'));
  const isReasoned = !isLabelled && isReason(words['reason'] ?? '', records);
  const isPrevious = hasTurned && words['previous'] === regime.previous_label;
  if (!isNamed) return false;
  if (words['place'] !== undefined) return isRanked(form, words, records);
  if (kind === 'odds') return isAtOdds(form, words, records);
  switch (id) {
    case 'headline.turned':
      return (
        hasTurned && words['label'] === regime.label && words['meaning'] === LABEL_MEANINGS[regime.label]
      );
    case 'headline.lost':
      return hasTurned && !isLabelled;
    case 'headline.move':
      return (
        !hasTurned && words['label'] === regime.label && haveMoved(words['move'] ?? '', 'change_1d', records)
      );
    case 'headline.move_only':
      return !isLabelled && haveMoved(words['move'] ?? '', 'change_1d', records);
    case 'headline.state':
      return isLabelled && words['label'] === regime.label;
    case 'headline.unlabelled':
      return !isLabelled;
    case 'headline.missing':
      return meta.status === 'missing';
    case 'moves.day':
    case 'moves.more':
      return haveMoved(words['moves'] ?? '', 'change_1d', records);
    case 'moves.week':
      return haveMoved(words['moves'] ?? '', 'change_7d', records);
    case 'state.held':
      return isHeld && isState(words, records);
    case 'state.turned':
      return isPrevious && regime.previous_label !== 'indeterminate' && isState(words, records);
    case 'state.regained':
      return regime.run_days === 1 && isState(words, records);
    case 'state.none':
      return isHeld && isReasoned;
    case 'state.none_week':
      return isHeld && isReasoned && haveMoved(words['moves'] ?? '', 'change_7d', records);
    case 'state.begins':
      return regime.previous_label === null && isReasoned;
    case 'state.lost':
      return isPrevious && isReasoned;
    case 'missing.day':
      return (
        words['names'] ===
        (Object.keys(METRICS) as MetricName[])
          .filter((name) => name in gold.metrics && gold.metrics[name] === null)
          .filter((name) => (derived.metrics[name]?.ma7 ?? null) !== null)
          .map((name) => METRICS[name].words)
          .join(', ')
          .replace(/, (?!.*, )/, ' and ')
      );
    default:
      return false;
  }
}

/** Returns the records that the sentences do not name: a value that is the highest or lowest of a window. */
function findUnsaidRecords(claims: readonly Claim[], records: DayRecords): string[] {
  const named = claims
    .filter(({ words }) => words['place'] !== undefined)
    .flatMap(({ words }) => namedIn(words['subjects'] ?? '', records).map(({ quantity }) => quantity));
  return records.derived.extremes
    .filter(({ quantity, rank }) => rank === 1 && !named.includes(quantity))
    .map(({ quantity, kind, window }) => `the ${kind} ${quantity} (${window}) is not mentioned`);
}

/** Returns the faults of the table: each row has the name of a metric or ratio, and its members of the records. */
function findTableFaults(rows: readonly string[], records: DayRecords): string[] {
  const expected = [
    ...(Object.keys(METRICS) as MetricName[]).map((name) => ({
      name: METRICS[name].words,
      ids: [
        `gold.metrics.${name}`,
        ...['change_1d', 'change_7d', 'percentile_365d'].map((member) => `derived.metrics.${name}.${member}`),
      ],
    })),
    { name: 'mean fee', ids: ['derived.fee_mean'] },
    { name: 'use of block space', ids: ['derived.utilization'] },
  ]
    .map(({ name, ids }) => ({ name, facts: ids.map((id) => factAt(records, id)) }))
    .filter(({ facts: [value] }) => value !== undefined)
    .map(({ name, facts }) =>
      [
        name,
        ...facts.map((fact) =>
          fact === undefined
            ? ''
            : fact.unit === 'change'
              ? changeWords(Number(fact.value))
              : factWords(fact),
        ),
      ].join('|'),
    );
  const found = rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim())
      .join('|')
      .replace(/\|+$/, ''),
  );
  return found.join('\n') === expected.map((row) => row.replace(/\|+$/, '')).join('\n')
    ? []
    : ['the table differs from the records'];
}

/**
 * Returns the faults of a brief: unknown sentences, false claims, records that it does not mention, numbers without a fact,
 * facts without a record, a wrong table, too many words.
 */
export function findBriefFaults(brief: BriefDay, records: DayRecords): string[] {
  const sentences = [brief.headline, ...sentencesIn(brief.body)];
  const claims = sentences.map(parseClaim);
  const lines = brief.markdown.split('\n').filter((line) => line !== '');
  const rows = lines.filter((line) => line.startsWith('|'));
  const prose = lines.filter((line) => !line.startsWith('|')).map((line) => line.replace(/^# /, ''));
  const known = new Set(brief.facts.flatMap((fact) => numbersIn(factWords(fact))));
  const stated = new Set(
    [...sentences, ...rows].flatMap((text) => numbersIn(text.replaceAll('+', '').replaceAll('| -', '| '))),
  );
  const words = sentences.join(' ').split(' ').length;
  return [
    ...sentences.filter((_, i) => claims[i] === undefined).map((each) => `unknown sentence: ${each}`),
    ...sentences
      .filter((_, i) => claims[i] !== undefined && !isTrue(claims[i], records))
      .map((each) => `false claim: ${each}`),
    ...findUnsaidRecords(
      claims.flatMap((claim) => claim ?? []),
      records,
    ),
    ...sentences
      .flatMap((sentence) => numbersIn(sentence.replace(`below the ${MINIMUM_QUALITY}`, '')))
      .filter((number) => !known.has(number))
      .map((number) => `${number} is not in the facts`),
    ...brief.facts
      .filter(({ id, value }) => factAt(records, id)?.value !== value)
      .map(({ id }) => `${id} differs from the record`),
    ...brief.facts
      .filter((fact) => !numbersIn(factWords(fact)).every((number) => stated.has(number)))
      .map(({ id }) => `${id} is not in the text`),
    ...(prose.join('\n') === [brief.headline, ...brief.body.split('\n\n')].join('\n')
      ? []
      : ['the Markdown differs from the body']),
    ...findTableFaults(rows.slice(2), records),
    ...(words > MOST_WORDS ? [`${words} words`] : []),
  ];
}
