import { readFileSync } from 'node:fs';
import { type DayRecords, factAt, factWords } from '../../../generator/core/brief/narrator.js';
import { signalWords } from '../../../generator/core/text/words.js';
import { CHAINS, LABEL_MEANINGS, METRICS } from '../../../schemas/catalog.js';
import { currentMethodology } from '../../../schemas/methodology.js';
import type { BriefDay, MetricName } from '../../../schemas/types.generated.js';

const FILE = new URL('../../../templates/brief-day-1.claims.json', import.meta.url);
/** The allowed claims of briefs, with their templates. */
export const CLAIMS = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>;

const DATE = String.raw`\d{4}-\d{2}-\d{2}`;
const NUMBER = String.raw`-?\d[\d,.]*\d|-?\d`;
const QUANTITY = `(?:${NUMBER})(?: (?:million|billion|trillion))?(?: [%\\w/]+(?: address(?:es)?)?)?`;
const oneOf = (words: readonly string[]): string =>
  `(?:${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`;
const LEVELS = oneOf(['low', 'normal', 'high', 'rising', 'falling', 'flat']);
const SIGNALS = oneOf(currentMethodology().signals.map(({ signal }) => signalWords(signal)));
const METRIC_WORDS = oneOf(Object.values(METRICS).map(({ words }) => words));

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
  demand: `(?:${LEVELS}|${QUANTITY})`,
  cost: `(?:${LEVELS}|${QUANTITY})`,
  capacity: `(?:${LEVELS}|${QUANTITY})`,
  pressure: LEVELS,
  subject: '(?:Transactions|transactions|Active addresses|Fees|fees|Gas used|The hash rate)',
  signal: SIGNALS,
  signals: `${SIGNALS}(?:, ${SIGNALS})*`,
  limit: '(?:moderate|low)',
  minimum: MINIMUM_QUALITY,
  names: `${METRIC_WORDS}(?:, ${METRIC_WORDS})*`,
};

const FORMS = Object.entries(CLAIMS).map(([id, template]) => {
  const source = template
    .split(/(\{\{\w+\}\})/)
    .map((part) => /^\{\{(\w+)\}\}$/.exec(part)?.[1] ?? part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .map((part, i) => (i % 2 === 0 ? part : `(?:${WORDS[part] ?? QUANTITY})`))
    .join('');
  return { id, pattern: new RegExp(`^${source}$`) };
});

/** Returns the claim that a sentence makes, or `undefined` if it matches no template. */
export function claimOf(sentence: string): string | undefined {
  return FORMS.find(({ pattern }) => pattern.test(sentence))?.id;
}

export function sentencesIn(text: string): string[] {
  return text.split(/(?<=\.)\s+/).filter((sentence) => sentence !== '');
}

/** Returns the numbers and dates of a text, with their scale words or percent signs. */
export function numbersIn(text: string): string[] {
  return text.match(/\d{4}-\d{2}-\d{2}|-?\d(?:[\d,.]*\d)?(?: (?:million|billion|trillion|%))?/g) ?? [];
}

const METRIC_OF: Readonly<Record<string, MetricName>> = {
  transactions: 'tx_count',
  'active addresses': 'active_addresses',
  fees: 'fees_total',
  'gas used': 'gas_used',
  'the hash rate': 'hash_rate',
};

/** Minimum change for each word of direction. The values are repeated here, so that wrong ones in the product are found. */
const DIRECTIONS: Readonly<Record<string, (change: number) => boolean>> = {
  above: (change) => change >= 0.01,
  below: (change) => change <= -0.01,
  level: (change) => Math.abs(change) < 0.01,
};

/** Returns true if a claim holds on the day. Claims without a condition below count as true. `place` is the index of its driver. */
function isTrue(claim: string, sentence: string, { meta, derived }: DayRecords, place: number): boolean {
  const [kind = '', form = ''] = claim.split('.');
  const { regime, confidence, scorecard, drivers } = meta;
  const [, direction = ''] = /_(above|below|near)$/.exec(form) ?? [];
  if (['week', 'rate', 'month'].includes(kind) && form in DIRECTIONS) {
    const name = Object.keys(METRIC_OF).find((each) => sentence.toLowerCase().includes(each)) ?? '';
    const summary = derived.metrics[METRIC_OF[name] as MetricName];
    const change = kind === 'month' ? summary?.change_30d : summary?.change_7d;
    return change !== null && change !== undefined && DIRECTIONS[form]?.(change) === true;
  }
  if (kind === 'drivers' && direction !== '') {
    const driver = drivers[place];
    if (driver === undefined || !sentence.includes(signalWords(driver.signal))) return false;
    return (
      direction === 'near' ||
      (direction === 'above' ? driver.smoothed > driver.baseline : driver.smoothed < driver.baseline)
    );
  }
  const isComparable = scorecard.demand.trend !== null && scorecard.cost.trend !== null;
  const isHigh = confidence.score >= 0.9;
  const isModerate = confidence.score >= 0.7;
  const conditions: Readonly<Record<string, boolean>> = {
    'confidence.high': confidence.level === 'high' && isHigh,
    'confidence.moderate': confidence.level === 'moderate' && isModerate && !isHigh,
    'confidence.low': confidence.level === 'low' && !isModerate,
    'confidence.missing':
      confidence.missing_signals.length > 0 &&
      sentence.endsWith(`: ${confidence.missing_signals.map(signalWords).join(', ')}.`),
    'confidence.young': regime.run_days < 14,
    'confidence.grown': regime.run_days >= 14,
    'confidence.moved': isComparable && confidence.speed >= 0.25,
    'confidence.calm': isComparable && confidence.speed < 0.25,
    'confidence.incomparable': !isComparable,
    'confidence.week_whole': confidence.completeness === 1,
    'change.same': regime.run_days >= 8,
    'change.within_week': regime.run_days >= 2 && regime.run_days <= 7,
    'state.turned': regime.run_days === 1,
    'state.second': regime.run_days === 2,
    'state.since': regime.run_days > 2,
    'headline.missing': meta.status === 'missing',
    'unlabelled.no_row': meta.status === 'missing',
    'unlabelled.no_demand': regime.axes.demand.z === null,
    'unlabelled.no_pressure': regime.axes.pressure.z === null,
    'unlabelled.quality': confidence.data_quality < 0.5,
  };
  const names = new RegExp(`\\b(was|turned|to) ${regime.label}\\b`);
  if (
    ['headline.turned', 'headline.unchanged', 'state.turned', 'state.unchanged', 'state.second'].includes(
      claim,
    )
  ) {
    return (conditions[claim] ?? true) && names.test(sentence);
  }
  return conditions[claim] ?? true;
}

/** Returns the sentences whose claim does not hold on the day. */
function findFalseClaims(sentences: readonly string[], records: DayRecords): string[] {
  let place = -1;
  return sentences.filter((sentence) => {
    const claim = claimOf(sentence) ?? '';
    if (/^drivers\.(first|next)_/.test(claim)) place += 1;
    return !isTrue(claim, sentence, records, place);
  });
}

/** Returns the faults of a brief: unknown sentences, false claims, numbers without a fact, facts without a record. */
export function findBriefFaults(brief: BriefDay, records: DayRecords): string[] {
  const sentences = [brief.headline, ...sentencesIn(brief.body)];
  const known = new Set(brief.facts.flatMap((fact) => numbersIn(factWords(fact))));
  const prose = brief.markdown
    .replace(/^#+ .*$/gm, (line) => (line === `# ${brief.headline}` ? brief.headline : ''))
    .split(/\n+/)
    .filter((line) => line !== '');
  const isSame = prose.join('\n') === [brief.headline, ...brief.body.split('\n\n')].join('\n');
  return [
    ...sentences.filter((each) => claimOf(each) === undefined).map((each) => `unknown sentence: ${each}`),
    ...findFalseClaims(sentences, records).map((each) => `false claim: ${each}`),
    ...sentences
      .flatMap((sentence) => {
        const isThreshold = (number: string): boolean =>
          claimOf(sentence) === 'unlabelled.quality' && number === MINIMUM_QUALITY;
        return numbersIn(sentence).filter((number) => !isThreshold(number));
      })
      .filter((number) => !known.has(number))
      .map((number) => `${number} is not in the facts`),
    ...brief.facts
      .filter(({ id, value }) => factAt(records, id)?.value !== value)
      .map(({ id }) => `${id} differs from the record`),
    ...brief.facts
      .filter((fact) => !numbersIn(factWords(fact)).every((n) => sentences.flatMap(numbersIn).includes(n)))
      .map(({ id }) => `${id} is not in the text`),
    ...(isSame ? [] : ['the Markdown differs from the body']),
  ];
}
