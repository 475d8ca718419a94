import { CHAINS, LABEL_MEANINGS, METRICS, metricsOf } from '../../../schemas/catalog.js';
import { weekdayOf } from '../../../schemas/dates.js';
import type {
  Chain,
  Confidence,
  DayStatus,
  DerivedDay,
  MetaDay,
  MetricName,
  MetricSummary,
  RegimeLabel,
} from '../../../schemas/types.generated.js';
import {
  amountWords,
  changeSizeWords,
  changeWords,
  confidenceCell,
  confidenceWords,
  count,
  countWords,
  joinWords,
  shareWords,
} from '../../../schemas/words.js';

/** Number of dates in a week. */
export const WEEK_DAYS = 7;
/** Maximum width in characters of a line without an address. An address is never broken. */
export const WEEK_COLUMNS = 72;
/** Placeholder for a missing value. */
export const ABSENT = '-';

/** The part of a meta record that texts about its week show. */
export type WeekDay = {
  readonly date: string;
  readonly label: RegimeLabel;
  readonly confidence: Pick<Confidence, 'score' | 'level'>;
  readonly status: DayStatus;
  readonly run_days: number;
  /** The label of the day before, if it was another one. */
  readonly turned_from: RegimeLabel | null;
  readonly missing: number;
};

export function toWeekDay({ date, regime, confidence, status }: MetaDay): WeekDay {
  return {
    date,
    label: regime.label,
    confidence: { score: confidence.score, level: confidence.level },
    status,
    run_days: regime.run_days,
    turned_from: regime.since === date ? regime.previous_label : null,
    missing: confidence.missing_signals.length,
  };
}

/** A week of a chain, or its part in force. `end` is the derived record of the last day, if it is in force. */
export type Week = {
  readonly chain: Chain;
  readonly days: readonly WeekDay[];
  readonly end: DerivedDay | undefined;
};

/** Returns what every text about a week shows, as values of its template: the opening, the days and the largest moves. */
export function weekValues(week: Week): { opening: string[]; days: object[]; moves: object[] } {
  const metrics = movesOf(week)
    .slice(0, SHOWN_MOVES)
    .map((move) => toMoveLine(move, week.chain));
  return {
    opening: wrap(openingOf(week)),
    days: week.days.map(toDayLine),
    moves: metrics.length === 0 ? [] : [{ metrics }],
  };
}

/** Maximum number of words in the opening. */
const OPENING_WORDS = 60;
/** Number of metrics in the table of moves. */
const SHOWN_MOVES = 6;
/** The smallest change of a weekly mean that the opening mentions. */
const LEAST_MOVE = 0.05;
/** The opening mentions a rank in the year that is this close to an end. */
const EXTREME_RANK = 0.05;

/** Returns what changed and what was extreme, then the state, then what is missing. Ranks yield to the limit of words. */
function openingOf(week: Week): string {
  const [changes, moves, ranks] = [changeSentence(week), moveSentence(week), rankSentence(week)];
  const end = [stateSentence(week), missingSentence(week)];
  const whole = [changes, moves, ranks, ...end].join(' ');
  const text = wordsIn(whole) <= OPENING_WORDS ? whole : [changes, moves, ...end].join(' ');
  return text.replace(/ {2,}/g, ' ').trim();
}

const wordsIn = (text: string): number => text.trim().split(/\s+/).length;

function changeSentence({ days }: Week): string {
  const turns = days.filter(({ turned_from: from }) => from !== null);
  const last = turns.at(-1);
  if (last === undefined) return '';
  const turn = `from ${last.turned_from ?? ''} to ${last.label} on ${last.date}`;
  return turns.length === 1
    ? `The label turned ${turn}.`
    : `The label changed ${turns.length === 2 ? 'twice' : `${countWords(turns.length)} times`}, last ${turn}.`;
}

type Move = MetricSummary & { readonly metric: MetricName; readonly change_7d: number };

/** Returns the metrics whose mean of the week can be compared with that of the week before, the largest change first. */
function movesOf({ chain, end }: Week): Move[] {
  return metricsOf(chain)
    .flatMap((metric) => {
      const summary = end?.metrics[metric];
      const change = summary?.change_7d ?? null;
      return summary === undefined || change === null ? [] : [{ ...summary, metric, change_7d: change }];
    })
    .sort((a, b) => Math.abs(b.change_7d) - Math.abs(a.change_7d));
}

function moveSentence(week: Week): string {
  const moves = movesOf(week);
  if (moves.length === 0) return '';
  const large = moves.filter(({ change_7d: change }) => Math.abs(change) >= LEAST_MOVE);
  const [up, down] = [
    large.find(({ change_7d: change }) => change > 0),
    large.find(({ change_7d: change }) => change < 0),
  ];
  const parts = [
    ...(up ? [`${wordsOf(up)} rose most, by ${changeSizeWords(up.change_7d)}`] : []),
    ...(down ? [`${wordsOf(down)} fell most, by ${changeSizeWords(down.change_7d)}`] : []),
  ];
  if (parts.length === 0)
    return `Against the week before, no metric moved by ${shareWords(LEAST_MOVE)} or more.`;
  return `Against the week before, ${parts.join(', and ')}.`;
}

/** Returns the highest and the lowest rank in the year on the last day, if they are extreme. */
function rankSentence({ chain, end }: Week): string {
  const ranked = metricsOf(chain)
    .flatMap((metric) => {
      const rank = end?.metrics[metric]?.percentile_365d ?? null;
      return rank === null ? [] : [{ metric, rank }];
    })
    .sort((a, b) => b.rank - a.rank);
  const [high, low] = [ranked[0], ranked.at(-1)];
  const isHigh = high !== undefined && high.rank >= 1 - EXTREME_RANK;
  const parts = [
    ...(isHigh ? [`${wordsOf(high)} ranked among the year's highest (${shareWords(high.rank)})`] : []),
    ...(low !== undefined && low.rank <= EXTREME_RANK
      ? [
          `${wordsOf(low)} ${isHigh ? 'among its' : "ranked among the year's"} lowest (${shareWords(low.rank)})`,
        ]
      : []),
  ];
  return parts.length === 0 ? '' : `On the last day, ${joinWords(parts)}.`;
}

function stateSentence({ chain, days }: Week): string {
  const last = days.at(-1);
  if (last === undefined) return '';
  const { name } = CHAINS[chain];
  if (last.label === 'indeterminate')
    return `${name} ended the week without a label, for ${count(last.run_days, 'day')}.`;
  return `${name} ended the week ${last.label}, on day ${countWords(last.run_days)} of the run (confidence ${confidenceWords(last.label, last.confidence)}).`;
}

function missingSentence({ days }: Week): string {
  const lacking = days.filter(({ missing }) => missing > 0).length;
  const all = lacking > 1 && lacking === days.length ? 'all ' : '';
  return lacking === 0 ? '' : `Signals were missing on ${all}${count(lacking, 'day')}.`;
}

function wordsOf({ metric }: { readonly metric: MetricName }): string {
  return METRICS[metric].words;
}

/** Breaks a text into lines of at most `WEEK_COLUMNS` characters, not between a number and its percent sign. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/ (?!%)/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > WEEK_COLUMNS) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

const LABEL_WIDTH = Math.max(...Object.keys(LABEL_MEANINGS).map((label) => label.length));

function toDayLine({ date, label, confidence, status }: WeekDay): object {
  return {
    date,
    weekday: weekdayOf(date),
    label: label.padEnd(LABEL_WIDTH),
    confidence: confidenceCell(label, confidence.score, ABSENT).padStart('Confidence'.length),
    status,
  };
}

function toMoveLine({ metric, ma7, change_7d: change, percentile_365d: rank }: Move, chain: Chain): object {
  const unit = METRICS[metric].unit.replace('native coin', CHAINS[chain].nativeCoin);
  const changed = changeWords(change).padStart(10);
  return {
    name: METRICS[metric].words.padEnd(21),
    mean: (ma7 === null ? ABSENT : amountWords(ma7, unit)).padStart(17),
    change: changed,
    // A change of millions of per cent takes some of the room before the rank.
    rank: (rank === null ? ABSENT : shareWords(rank)).padStart(26 - changed.length),
  };
}
