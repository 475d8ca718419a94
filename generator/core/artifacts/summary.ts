import { CHAINS, LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { addDays, weekdayOf } from '../../../schemas/dates.js';
import {
  calendarPath,
  chainPagePath,
  PUBLIC_PATHS,
  summaryPath,
  weeklySummaryPath,
} from '../../../schemas/paths.js';
import type {
  Chain,
  MetaDay,
  Methodology,
  Regime,
  SourceSegment,
  Summary,
} from '../../../schemas/types.generated.js';
import type { TextTemplate } from '../text/text-template.js';
import {
  confidenceCell,
  confidenceWords,
  count,
  scoreChangeWords,
  scoreWords,
  shareWords,
  signalQuantity,
  signalWords,
} from '../text/words.js';
import {
  type FileTemplate,
  JSON_TYPE,
  jsonContent,
  PLAIN_TYPE,
  type ReleaseStamp,
  textContent,
} from './artifact.js';
import { freshnessWords, toPublishedFreshness } from './freshness.js';
import { countMissingSignals, noDriversReason } from './regime-calendar.js';

/** Returns the state of a chain in one sentence. */
export function toHeadline(chain: Chain, regime: Pick<Regime, 'label' | 'since' | 'run_days'>): string {
  const { name } = CHAINS[chain];
  return `${name} has been ${regime.label} for ${count(regime.run_days, 'day')}, since ${regime.since}: ${LABEL_MEANINGS[regime.label]}.`;
}

/** Returns a chain's summary on its last date, from that date's meta record. */
export function summaryFile(
  record: MetaDay,
  lastAvailable: string | null,
  sources: readonly SourceSegment[],
): FileTemplate {
  const { chain, date } = record;
  return {
    path: summaryPath(chain),
    type: JSON_TYPE,
    content: (stamp) => {
      const summary: Summary = {
        schema: 'summary/1',
        chain,
        date,
        updated_through: date,
        published_revision: stamp.revision,
        published_at: stamp.publishedAt,
        methodology_version: record.methodology_version,
        status: record.status,
        headline: toHeadline(chain, record.regime),
        regime: record.regime,
        confidence: record.confidence,
        scorecard: record.scorecard,
        drivers: record.drivers,
        ...toPublishedFreshness(chain, date, lastAvailable, stamp.publishedAt, sources),
      };
      return jsonContent('summary', summary);
    },
  };
}

/** Maximum width in characters of a line without an address. An address is never broken. */
export const WEEKLY_COLUMNS = 72;
// The other widths in this file are those of the columns in templates/weekly-summary.txt.hbs.
/** Number of dates in the summary. */
const DAYS = 7;
/** Maximum number of drivers in the summary. */
const DRIVERS = 6;
/** Placeholder for a missing value. */
const ABSENT = '-';
const LABEL_WIDTH = Math.max(...Object.keys(LABEL_MEANINGS).map((label) => label.length));

/** Options for `weeklySummaryFile`. `records` are the meta records in force of the last dates, ascending; the comparison with a week before needs eight. */
type WeeklyOptions = {
  readonly records: readonly MetaDay[];
  readonly lastAvailable: string | null;
  readonly sources: readonly SourceSegment[];
  readonly methodology: Methodology;
  /** Address of the service; empty if it is unknown. */
  readonly address: string;
  readonly template: TextTemplate;
};

/** Returns a chain's weekly summary, plain text in 72 columns, but for long addresses. Precondition: at least one record. */
export function weeklySummaryFile(chain: Chain, options: WeeklyOptions): FileTemplate {
  return {
    path: weeklySummaryPath(chain),
    type: PLAIN_TYPE,
    content: (stamp) => textContent(options.template(weeklyValues(chain, options, stamp))),
  };
}

/** Returns the values of the weekly summary's template. */
function weeklyValues(
  chain: Chain,
  { records, lastAvailable, sources, methodology, address }: WeeklyOptions,
  stamp: ReleaseStamp,
): object {
  const latest = records.at(-1);
  if (latest === undefined) throw new Error(`${chain} has no record`);
  const { date: through, regime, confidence } = latest;
  const week = records.filter(({ date }) => date > addDays(through, -DAYS));
  const before = records.find(({ date }) => date === addDays(through, -DAYS));
  const fresh = toPublishedFreshness(chain, through, lastAvailable, stamp.publishedAt, sources);
  const missing = countMissingSignals(week);
  return {
    chain: CHAINS[chain].name,
    through,
    rule: '='.repeat(WEEKLY_COLUMNS),
    regime: {
      label: regime.label,
      run: count(regime.run_days, 'day'),
      since: regime.since,
      meaning: LABEL_MEANINGS[regime.label],
      previous: regime.previous_label ?? 'no earlier label',
    },
    confidence: confidenceWords(regime.label, confidence),
    quality: shareWords(confidence.data_quality),
    days: week.map(toDayLine),
    counts: toCounts(week),
    missing: missing.length === 0 ? [] : [{ signals: missing }],
    changes: toChanges(week),
    scores: toScores(latest, before),
    drivers: toDrivers(latest),
    noDrivers: noDriversReason(latest, methodology),
    freshness: { words: freshnessWords(fresh), next: fresh.expected_next_by },
    provenance: {
      revision: stamp.revision,
      published: stamp.publishedAt,
      methodology: latest.methodology_version,
      hash: regime.determinism_hash,
    },
    more: {
      glossary: address + PUBLIC_PATHS.glossary,
      calendar: address + calendarPath(chain),
      page: address + chainPagePath(chain),
    },
  };
}

function toDayLine({ date, regime, confidence, status }: MetaDay): object {
  return {
    date,
    weekday: weekdayOf(date),
    label: regime.label.padEnd(LABEL_WIDTH),
    confidence: confidenceCell(regime.label, confidence.score, ABSENT).padStart('Confidence'.length),
    status,
  };
}

function toCounts(week: readonly MetaDay[]): object[] {
  const counts = new Map<string, number>();
  for (const { regime } of week) counts.set(regime.label, (counts.get(regime.label) ?? 0) + 1);
  return [...counts]
    .sort(([one, times], [other, otherTimes]) => otherTimes - times || (one < other ? -1 : 1))
    .map(([label, days]) => ({ days, label }));
}

function toChanges(week: readonly MetaDay[]): object[] {
  return week.flatMap(({ date, regime: { since, label, previous_label: from } }) =>
    since === date && from !== null ? [{ date, from, to: label }] : [],
  );
}

function toScores(latest: MetaDay, before: MetaDay | undefined): object[] {
  const dimensions = ['demand', 'cost', 'capacity'] as const;
  return dimensions.flatMap((dimension) => {
    const score = latest.scorecard[dimension];
    if (score === undefined) return [];
    const now = score.score;
    const earlier = before?.scorecard[dimension]?.score ?? null;
    const change = now === null || earlier === null ? ABSENT : scoreChangeWords(earlier, now);
    return [
      {
        dimension: dimension.padEnd(18),
        now: scoreCell(now).padStart(4),
        before: scoreCell(earlier).padStart(13),
        change: change.padStart(6),
        level: score.level ?? 'unknown',
      },
    ];
  });
}

function scoreCell(score: number | null): string {
  return score === null ? ABSENT : scoreWords(score);
}

function toDrivers({ chain, drivers }: MetaDay): object[] {
  return drivers.slice(0, DRIVERS).map(({ signal, direction, smoothed, baseline, unit }) => ({
    signal: signalWords(signal).padEnd(18),
    direction: direction.padEnd(4),
    lately: signalQuantity(smoothed, unit, chain).padEnd(15),
    usually: signalQuantity(baseline, unit, chain),
  }));
}
