import { CHAINS } from '../../../schemas/catalog.js';
import { chainPagePath } from '../../../schemas/paths.js';
import type {
  Chain,
  MetaDay,
  Methodology,
  SourceSchedule,
  SourceSegment,
} from '../../../schemas/types.generated.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import type { ChartPoint } from '../artifacts/chart-data.js';
import { LANDING_DAYS } from '../artifacts/chain-facts.js';
import { toPublishedFreshness, type PublishedFreshness } from '../artifacts/freshness.js';
import { evidenceNotes, noDriversReason } from '../artifacts/missing-signals.js';
import { confidenceCell, confidenceWords } from '../text/confidence-words.js';
import { count, scoreWords, shareWords, zWords } from '../text/number-words.js';
import { dateWords, instantWords } from '../text/date-words.js';
import { signalQuantity, signalWords } from '../text/signal-words.js';
import { chainFigure } from './chart-figure.js';
import { publicRows, subscriberTable } from './chain-page-files.js';
import { pageFile } from './page.js';
import type { SiteTexts } from './site-texts.js';
import {
  ABSENT,
  attributionWords,
  LABEL_SENTENCES,
  toCell,
  toFreshnessNotices,
  toRibbon,
} from './page-words.js';

/** Options for `chainPage`. `records` are the current meta records of the chain's last dates, ascending. */
export type ChainPageOptions = {
  readonly records: readonly MetaDay[];
  /** The points of the chain's chart, ascending. */
  readonly points: readonly ChartPoint[];
  readonly lastAvailable: string | null;
  readonly methodology: Methodology;
  readonly sources: readonly SourceSegment[];
};

/** Returns a chain's page with its state, the evidence for it, and a list of its files. Precondition: at least one record. */
export function chainPage(site: SiteTexts, chain: Chain, options: ChainPageOptions): FileTemplate {
  const { lastAvailable, methodology, sources } = options;
  const records = options.records.slice(-LANDING_DAYS);
  const latest = records.at(-1);
  if (latest === undefined) throw new Error(`${chain} has no record`);
  const { name } = CHAINS[chain];
  const chart = chainFigure(chain, options.points, options);
  const notes = evidenceNotes(latest, methodology);
  const { regime, date: through } = latest;
  return pageFile(site, {
    path: chainPagePath(chain),
    template: 'chain',
    title: name,
    description: `${name}: regime, confidence, scorecard, drivers and files of the daily on-chain reference data, through ${through}.`,
    values: (stamp) => ({
      stamp,
      name,
      lead: leadOf(latest),
      through,
      day: dateWords(through),
      label: regime.label,
      words: LABEL_SENTENCES[regime.label],
      notices: toFreshnessNotices([{ chain, lastAvailable }]),
      ribbon: toRibbon(records.map(({ date, regime: { label } }) => ({ date, label }))),
      facts: toFacts(latest, toPublishedFreshness(chain, through, lastAvailable, stamp.publishedAt, sources)),
      notes: notes.length === 0 ? [] : [notes.join(' ')],
      chart,
      scores: toScores(latest),
      drivers: toDrivers(latest),
      noDrivers: noDriversReason(latest, methodology),
      days: records.toReversed().map(toDay),
      files: { public: publicRows(chain), subscriber: subscriberTable(chain) },
      sources: sources.map(toSource),
      hash: regime.determinism_hash,
    }),
  });
}

/** Returns how long the last regime has lasted, up to its date: the page cannot know what the reader's date is. */
function leadOf({ date, regime: { label, run_days: days } }: MetaDay): string {
  const what = label === 'indeterminate' ? 'No regime' : `${label.charAt(0).toUpperCase()}${label.slice(1)}`;
  return `${what} for ${count(days, 'day')}, up to ${dateWords(date)}.`;
}

function toFacts({ date, regime, confidence, status }: MetaDay, fresh: PublishedFreshness): object[] {
  return [
    { term: 'Since', value: `${dateWords(regime.since)}, ${count(regime.run_days, 'day')}` },
    { term: 'Previous', value: regime.previous_label ?? ABSENT },
    { term: 'Confidence', value: confidenceWords(regime.label, confidence) },
    { term: 'Data quality', value: shareWords(confidence.data_quality) },
    { term: 'Status', value: status },
    { term: 'Data to', value: dateWords(date) },
    { term: 'Regimes to', value: fresh.last_available === null ? ABSENT : dateWords(fresh.last_available) },
    { term: 'Next day by', value: instantWords(fresh.expected_next_by) },
    { term: 'Late from', value: fresh.late_after === null ? ABSENT : instantWords(fresh.late_after) },
    { term: 'Stale from', value: fresh.stale_after === null ? ABSENT : instantWords(fresh.stale_after) },
  ];
}

function toScores({ scorecard }: MetaDay): object[] {
  const dimensions = ['demand', 'cost', 'capacity'] as const;
  return dimensions.flatMap((dimension) => {
    const row = scorecard[dimension];
    if (row === undefined) return [];
    const { score, z, level, trend } = row;
    return [
      {
        dimension,
        score: toCell(score, scoreWords),
        z: toCell(z, zWords),
        level: level ?? ABSENT,
        trend: trend ?? ABSENT,
      },
    ];
  });
}

function toDrivers({ chain, drivers }: MetaDay): object[] {
  return drivers.map(({ signal, dimension, direction, contribution, smoothed, baseline, unit }) => ({
    signal: signalWords(signal),
    dimension,
    direction,
    contribution: toCell(contribution, zWords),
    lately: signalQuantity(smoothed, unit, chain),
    usually: signalQuantity(baseline, unit, chain),
  }));
}

function toDay({ date, regime, confidence, scorecard, status }: MetaDay): object {
  return {
    date,
    label: regime.label,
    confidence: confidenceCell(regime.label, confidence.score, ABSENT),
    demand: toCell(scorecard.demand.score, scoreWords),
    cost: toCell(scorecard.cost.score, scoreWords),
    capacity: toCell(scorecard.capacity?.score, scoreWords),
    status,
  };
}

/** Returns a source as described in sources.json. Only http and https URLs become links. */
function toSource({ name, from, licence, attribution, url, notes, schedule }: SourceSegment): object {
  const line = (term: string, value: string | undefined, links: string[] = []): object[] =>
    value === undefined ? [] : [{ term, value, links }];
  return {
    name,
    lines: [
      ...line('Licence', licence),
      ...line('Attribution', attribution && attributionWords(attribution)),
      ...line('Address', url, url !== undefined && /^https?:\/\//i.test(url) ? [url] : []),
      ...line('From', from),
      ...line('Collected', schedule && scheduleWords(schedule)),
      ...line('Notes', notes),
    ],
  };
}

function scheduleWords({ first_try_hours, deadline_hours, settling_days }: SourceSchedule): string {
  const settled = `small corrections are accepted for ${count(settling_days, 'day')}`;
  return `${first_try_hours} to ${deadline_hours} hours after the end of a day; ${settled}`;
}
