import { CHAINS, LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import {
  calendarPath,
  chainPagePath,
  PUBLIC_PATHS,
  weeklyArchivePath,
  weeklySummaryPath,
} from '../../../schemas/paths.js';
import type {
  Chain,
  DerivedDay,
  MetaDay,
  Methodology,
  SourceSegment,
} from '../../../schemas/types.generated.js';
import type { TextTemplate } from '../text/text-template.js';
import {
  confidenceWords,
  count,
  scoreChangeWords,
  scoreWords,
  shareWords,
  signalQuantity,
  signalWords,
} from '../../../schemas/words.js';
import { type FileTemplate, PLAIN_TYPE, type ReleaseStamp, textContent } from './artifact.js';
import { dueWords, freshnessWords, toPublishedFreshness } from './freshness.js';
import { countMissingSignals, noDriversReason } from './regime-calendar.js';
import { newestArchiveOf } from './weekly-archive.js';
import { ABSENT, toWeekDay, WEEK_COLUMNS, WEEK_DAYS, weekValues } from './week.js';

// The widths in this file are those of the columns in templates/weekly-summary.txt.hbs.
/** Maximum number of drivers in the summary. */
const DRIVERS = 6;

/**
 * Options for `weeklySummaryFile`. `records` are the meta records in force of the last dates, ascending; the comparison with a
 * week before needs eight. `derived` is the derived record of the last date, if it is in force.
 */
type WeeklyOptions = {
  readonly records: readonly MetaDay[];
  readonly derived: DerivedDay | undefined;
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
  { records, derived, lastAvailable, sources, methodology, address }: WeeklyOptions,
  stamp: ReleaseStamp,
): object {
  const latest = records.at(-1);
  if (latest === undefined) throw new Error(`${chain} has no record`);
  const { date: through, regime, confidence } = latest;
  const week = records.filter(({ date }) => date > addDays(through, -WEEK_DAYS));
  const before = records.find(({ date }) => date === addDays(through, -WEEK_DAYS));
  const fresh = toPublishedFreshness(chain, through, lastAvailable, stamp.publishedAt, sources);
  const missing = countMissingSignals(week);
  return {
    chain: CHAINS[chain].name,
    through,
    rule: '='.repeat(WEEK_COLUMNS),
    regime: {
      label: regime.label,
      run: count(regime.run_days, 'day'),
      since: regime.since,
      meaning: LABEL_MEANINGS[regime.label],
      previous: regime.previous_label ?? 'no earlier label',
    },
    confidence: confidenceWords(regime.label, confidence),
    quality: shareWords(confidence.data_quality),
    ...weekValues({ chain, days: week.map(toWeekDay), end: derived }),
    missing: missing.length === 0 ? [] : [{ signals: missing }],
    scores: toScores(latest, before),
    drivers: toDrivers(latest),
    noDrivers: noDriversReason(latest, methodology),
    freshness: { words: freshnessWords(fresh), next: dueWords(fresh.expected_next_by, stamp.publishedAt) },
    provenance: {
      revision: stamp.revision,
      published: stamp.publishedAt,
      methodology: latest.methodology_version,
      hash: regime.determinism_hash,
    },
    archive: newestArchiveOf(records).map((year) => address + weeklyArchivePath(chain, year)),
    more: {
      glossary: address + PUBLIC_PATHS.glossary,
      calendar: address + calendarPath(chain),
      page: address + chainPagePath(chain),
    },
  };
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
