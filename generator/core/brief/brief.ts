import { LABEL_MEANINGS, METRICS, metricsOf } from '../../../schemas/catalog.js';
import type { BriefFact, MetaDay, Methodology } from '../../../schemas/types.generated.js';
import { methodologyInputs } from '../methodology/signals.js';
import { changeWords, confidenceWords, joinWords, shareWords, signalWords } from '../../../schemas/words.js';
import {
  type BriefTemplates,
  createNarrator,
  type DayRecords,
  factAt,
  factsOf,
  factWords,
  type Narrator,
  type Stated,
} from './narrator.js';
import {
  atOdds,
  extremesOf,
  headOf,
  type Move,
  movesOf,
  moveWords,
  type StandOut,
  subjectOf,
} from './standout.js';

/** The texts of a brief and the facts they use. */
type Brief = {
  readonly headline: string;
  readonly body: string;
  readonly markdown: string;
  readonly facts: BriefFact[];
};

/** Maximum number of words of a brief, its headline included. */
const MOST_WORDS = 120;

/**
 * Writes the brief of one chain-day, using only its records: first what was extreme or changed, then the label, then what is
 * missing. Everything that is the same on most days is in the table.
 */
export function writeBrief(records: DayRecords, methodology: Methodology, templates: BriefTemplates): Brief {
  const narrator = createNarrator(records, templates.claims);
  const full = proseOf(narrator, methodology, true);
  const prose = countWords(full) > MOST_WORDS ? proseOf(narrator, methodology, false) : full;
  const rows = tableOf(narrator);
  const [headline = '', ...paragraphs] = prose.map((sentences) =>
    sentences.map(({ text }) => text).join(' '),
  );
  return {
    headline,
    body: paragraphs.join('\n\n'),
    markdown: templates.markdown({ headline, paragraphs, rows: rows.map(({ text }) => text) }),
    facts: factsOf([...prose.flat(), ...rows]),
  };
}

/** Returns the sentences of the headline and of each paragraph. */
function proseOf(narrator: Narrator, methodology: Methodology, hasValues: boolean): Stated[][] {
  const extremes = extremesOf(narrator, hasValues);
  const lead = leadOf(narrator, extremes);
  const isLabelled = narrator.records.meta.regime.label !== 'indeterminate';
  const week = draftMoves(narrator, 'moves.week', movesOf(narrator, 'change_7d'), 'all');
  return withinLimit([
    lead.headline.map(needed),
    [...daySentences(narrator, extremes, lead), ...(isLabelled ? week : [])],
    (isLabelled
      ? [...sayLabel(narrator, lead), ...sayAtOdds(narrator, extremes)]
      : sayNoLabel(narrator, methodology)
    ).map(needed),
    sayGone(narrator).map(needed),
  ]);
}

function countWords(prose: readonly (readonly Stated[])[]): number {
  return prose.flat().reduce((sum, { text }) => sum + text.split(' ').length, 0);
}

/** A sentence, with shorter versions of it. A brief that is too long omits an optional one. */
type Draft = { readonly versions: readonly Stated[]; readonly isOptional: boolean };

function needed(sentence: Stated): Draft {
  return { versions: [sentence], isOptional: false };
}

function optional(...versions: readonly Stated[]): Draft {
  return { versions, isOptional: true };
}

/** Returns the paragraphs with as many optional sentences as the brief has room for, the first ones first. */
function withinLimit(paragraphs: readonly (readonly Draft[])[]): Stated[][] {
  const always = paragraphs.flat().flatMap(({ versions, isOptional }) => (isOptional ? [] : versions));
  let room = MOST_WORDS - countWords([always]);
  const choose = ({ versions, isOptional }: Draft): readonly Stated[] => {
    if (!isOptional) return versions;
    const chosen = versions.find((sentence) => countWords([[sentence]]) <= room);
    if (chosen === undefined) return [];
    room -= countWords([[chosen]]);
    return [chosen];
  };
  return paragraphs.map((drafts) => drafts.flatMap(choose)).filter((sentences) => sentences.length > 0);
}

const SINCE = { fact: 'meta.regime.since' };
const RUN = { fact: 'meta.regime.run_days' };

/** How remarkable a new label is, on the scale of the extremes. */
const TURN_SIZE = 1;
/** How much less a move counts than an extreme of the same size. */
const MOVE_WEIGHT = 0.35;

/** The headline, and what of the day it says. */
type Lead = {
  readonly headline: readonly Stated[];
  readonly hasMeaning?: boolean;
  readonly extreme?: StandOut;
  readonly move?: Move;
};

/** Returns the most remarkable fact of the day in one sentence: an extreme, a new label, or else the largest move. */
function leadOf(narrator: Narrator, [extreme]: readonly StandOut[]): Lead {
  const {
    records: { meta },
    say,
  } = narrator;
  const { label, run_days: run, previous_label: previous } = meta.regime;
  const head = headOf(narrator);
  const state = { ...head, label: { word: label }, meaning: { word: LABEL_MEANINGS[meta.regime.label] } };
  const isLabelled = label !== 'indeterminate';
  if (meta.status === 'missing') return { headline: say('headline.missing', head) };
  const [move] = movesOf(narrator, 'change_1d');
  const hasTurned = run === 1 && previous !== null;
  const least = Math.max(hasTurned ? TURN_SIZE : 0, (move?.size ?? 0) * MOVE_WEIGHT);
  if (extreme !== undefined && extreme.size >= least) return { headline: extreme.headline, extreme };
  if (hasTurned)
    return {
      hasMeaning: isLabelled,
      headline: isLabelled ? say('headline.turned', state) : say('headline.lost', head),
    };
  if (move === undefined)
    return { headline: say(isLabelled ? 'headline.state' : 'headline.unlabelled', state) };
  const moved = { move: moveWords([move], narrator, NONE) };
  return { headline: say(isLabelled ? 'headline.move' : 'headline.move_only', { ...state, ...moved }), move };
}

const NONE: ReadonlySet<string> = new Set();
const MOST_MOVES = 3;

/** Returns the sentences on what was extreme on the day, and on the largest moves, without what the headline says. */
function daySentences(narrator: Narrator, extremes: readonly StandOut[], lead: Lead): Draft[] {
  const told = new Set(extremes.flatMap(({ quantities }) => quantities));
  const moves = movesOf(narrator, 'change_1d').filter(({ name }) => name !== lead.move?.name);
  return [
    ...extremes.flatMap((extreme) => {
      const sentences = extreme === lead.extreme ? extreme.rest : extreme.sentence;
      return sentences.map((sentence) => (extreme.isRecord ? needed(sentence) : optional(sentence)));
    }),
    ...draftMoves(narrator, lead.move === undefined ? 'moves.day' : 'moves.more', moves, told),
  ];
}

/** Drafts a sentence about the first moves, with fewer of them in each shorter version. */
function draftMoves(
  narrator: Narrator,
  claim: string,
  moves: readonly Move[],
  told: ReadonlySet<string> | 'all',
): Draft[] {
  const counts = Array.from({ length: Math.min(MOST_MOVES, moves.length) }, (_, i) => i + 1).reverse();
  const versions = counts.flatMap((count) =>
    narrator.say(claim, { moves: moveWords(moves.slice(0, count), narrator, told) }),
  );
  return versions.length === 0 ? [] : [optional(...versions)];
}

/** Returns the sentence on a value of the day that contradicts the label. */
function sayAtOdds(narrator: Narrator, extremes: readonly StandOut[]): Stated[] {
  const name = atOdds(narrator.records);
  if (name === undefined) return [];
  const subject = subjectOf(name);
  if (extremes.some(({ quantities }) => quantities.includes(name)))
    return narrator.say('odds.extreme', subject);
  const id = `derived.metrics.${name}.percentile_365d`;
  const rank = narrator.number(id) ?? NaN;
  const form = rank >= 0.9 ? 'highest' : rank <= 0.1 ? 'lowest' : rank >= 0.5 ? 'upper' : 'lower';
  return narrator.say(`odds.${form}`, { ...subject, rank: { fact: id } });
}

/**
 * Returns the sentence on the label: what it means unless the headline has said it, since when it has held, or what it was
 * before, the confidence in it, and the data quality.
 */
function sayLabel(narrator: Narrator, { hasMeaning }: Lead): Stated[] {
  const { meta } = narrator.records;
  const { label, run_days: run, previous_label: previous } = meta.regime;
  const { missing_signals: missing } = meta.confidence;
  const signals = missing.length === 0 ? '' : `, without ${joinWords(missing.map(signalWords))}`;
  const state = {
    named: { word: hasMeaning === true ? label : `${label} (${LABEL_MEANINGS[label]})` },
    trends: { word: trendWords(meta) },
    confidence: { word: confidenceWords(label, meta.confidence), facts: ['meta.confidence.score'] },
    data: { word: `${narrator.words(QUALITY) ?? ''}${signals}`, facts: [QUALITY] },
  };
  if (run > 1) return narrator.say('state.held', { ...state, run: RUN, since: SINCE });
  return previous === 'indeterminate' || previous === null
    ? narrator.say('state.regained', state)
    : narrator.say('state.turned', { ...state, previous: { word: previous } });
}

const QUALITY = 'meta.confidence.data_quality';

/** Returns how the scores have moved since the week before: `demand rising and cost flat`. */
function trendWords({ scorecard }: MetaDay): string {
  const trends = (['demand', 'cost', 'capacity'] as const).flatMap((dimension) => {
    const trend = scorecard[dimension]?.trend ?? null;
    return trend === null ? [] : [{ dimension, trend }];
  });
  if (trends.length === 0) return 'no score to compare';
  const [first] = trends;
  return trends.length > 1 && trends.every(({ trend }) => trend === first?.trend)
    ? `all scores ${first?.trend ?? ''}`
    : joinWords(trends.map(({ dimension, trend }) => `${dimension} ${trend}`));
}

function sayNoLabel(narrator: Narrator, methodology: Methodology): Stated[] {
  const { run_days: run, previous_label: previous } = narrator.records.meta.regime;
  const reason = { reason: reasonOf(narrator, methodology) };
  const week = movesOf(narrator, 'change_7d').slice(0, MOST_MOVES);
  if (run > 1) {
    const none = { ...reason, run: RUN, since: SINCE };
    return week.length === 0
      ? narrator.say('state.none', none)
      : narrator.say('state.none_week', { ...none, moves: moveWords(week, narrator, 'all') });
  }
  return previous === null
    ? narrator.say('state.begins', { ...reason, chain: headOf(narrator).chain })
    : narrator.say('state.lost', { ...reason, previous: { word: previous } });
}

/** Returns why a day has no label. */
function reasonOf(
  { records: { meta, gold }, words }: Narrator,
  methodology: Methodology,
): { word: string; facts: string[] } {
  const { axes } = meta.regime;
  const { data_quality: quality, missing_signals: missing } = meta.confidence;
  if (meta.status === 'missing') return { word: 'the input had no row for this date', facts: [] };
  if (methodologyInputs(methodology, meta.chain).every((metric) => (gold.metrics[metric] ?? null) === null))
    return { word: 'none of the metrics that a label needs had a value', facts: [] };
  const lacking = (['demand', 'pressure'] as const).filter((axis) => axes[axis].z === null);
  const { minimum } = methodology.data_quality;
  const needed = neededSignals(lacking, methodology).filter((signal) => missing.includes(signal));
  const signals =
    needed.length === 0 ? '' : ` without enough values of ${joinWords(needed.map(signalWords))}`;
  const parts = [
    ...(lacking.length === 0 ? [] : [`${joinWords(lacking)} could not be computed${signals}`]),
    `data quality was ${words(QUALITY) ?? ''}${quality < minimum ? `, below the ${shareWords(minimum)} needed` : ''}`,
  ];
  return { word: parts.join('; '), facts: [QUALITY] };
}

/** Returns the signals of the dimensions without which the axes have no value. */
function neededSignals(
  lacking: readonly ('demand' | 'pressure')[],
  { axes, signals }: Methodology,
): string[] {
  const parts = lacking.flatMap((axis) => axes[axis]).filter(({ required }) => required);
  return signals
    .filter((each) => parts.some(({ dimension }) => dimension === each.dimension))
    .map(({ signal }) => signal);
}

/** Returns the sentence on metrics that had values within the week, but none on the day. */
function sayGone({ records: { meta, gold, derived }, say }: Narrator): Stated[] {
  const gone = metricsOf(meta.chain).filter(
    (metric) => (gold.metrics[metric] ?? null) === null && (derived.metrics[metric]?.ma7 ?? null) !== null,
  );
  if (gone.length === 0 || meta.status === 'missing') return [];
  return say('missing.day', { names: { word: joinWords(gone.map((metric) => METRICS[metric].words)) } });
}

/** Returns a row for each metric with a value, and for two ratios: value, changes and rank in the year. */
function tableOf({ records }: Narrator): Stated[] {
  const row = (name: string, ids: readonly string[]): Stated[] => {
    const found = ids.map((id) => factAt(records, id));
    if (found[0] === undefined) return [];
    const cells = [...found, ...EMPTY]
      .slice(0, COLUMNS)
      .map((fact) => (fact === undefined ? '' : cellWords(fact)));
    return [{ text: [name, ...cells].join(' | '), facts: found.flatMap((fact) => fact ?? []) }];
  };
  return [
    ...metricsOf(records.meta.chain).flatMap((metric) =>
      row(METRICS[metric].words, [
        `gold.metrics.${metric}`,
        ...['change_1d', 'change_7d', 'percentile_365d'].map(
          (member) => `derived.metrics.${metric}.${member}`,
        ),
      ]),
    ),
    ...row('mean fee', ['derived.fee_mean']),
    ...row('use of block space', ['derived.utilization']),
  ];
}

/** Number of columns behind the name of a row. */
const COLUMNS = 4;
const EMPTY = new Array<undefined>(COLUMNS).fill(undefined);

function cellWords(fact: BriefFact): string {
  return fact.unit === 'change' && typeof fact.value === 'number' ? changeWords(fact.value) : factWords(fact);
}
