import { noDriversReason } from '../artifacts/regime-calendar.js';
import {
  capitalized,
  confidenceCell,
  confidenceWords,
  count,
  dateWords,
  instantWords,
  scoreWords,
  qualityWords,
  signalQuantity,
  signalWords,
  zWords,
} from '../../../schemas/words.js';
import {
  CHAINS,
  GENRE_WORDS,
  GENRES,
  LABEL_MEANINGS,
  PLAN_IDS,
  type PlanDefinition,
  PLANS,
  WINDOWS,
} from '../../../schemas/catalog.js';
import {
  bundlePath,
  calendarPath,
  chainEventsPath,
  chainFeedPath,
  chainPagePath,
  chartDataPath,
  chartPath,
  DAY_MARKS,
  dayPagePath,
  downloadPath,
  manifestPath,
  type Placeholder,
  regimeEventsPath,
  chartMetricsPath,
  metricsPagePath,
  PAGE_PATHS,
  regimesPath,
  summaryPath,
  weeklyArchivePath,
  weeklySummaryPath,
} from '../../../schemas/paths.js';
import type {
  Chain,
  Genre,
  MetaDay,
  Methodology,
  SourceSchedule,
  SourceSegment,
  Window,
} from '../../../schemas/types.generated.js';
import type { FileTemplate, ReleaseStamp } from '../artifacts/artifact.js';
import type { ChartPoint } from '../artifacts/chart-data.js';
import { LANDING_DAYS } from '../artifacts/chain-facts.js';
import { sampleWeek } from '../artifacts/sample-week.js';
import type { LabelStatistics } from '../artifacts/regimes.js';
import { labelHistory } from './label-history.js';
import { newestArchiveOf } from '../artifacts/weekly-archive.js';
import { isOverdue, type PublishedFreshness, toPublishedFreshness } from '../artifacts/freshness.js';
import { calendarDescription, calendarTitle, datasetMarkup } from './dataset-markup.js';
import {
  ABSENT,
  attributionWords,
  chainFigure,
  type PageFeed,
  pageFile,
  type SiteTexts,
  toCell,
  toFreshnessNotices,
  toRibbon,
} from './page.js';

/** Options for `chainPage`. `records` are the current meta records of the chain's last dates, ascending. */
type ChainPageOptions = {
  readonly records: readonly MetaDay[];
  /** The points of the chain's chart, ascending. */
  readonly points: readonly ChartPoint[];
  readonly statistics: LabelStatistics;
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
  const { regime, date: through } = latest;
  return pageFile(site, {
    path: chainPagePath(chain),
    template: 'chain',
    title: name,
    description: `${name}: regime, confidence, scorecard, drivers and files of the daily on-chain reference data, through ${through}.`,
    dataset: datasetMarkup(site.details, {
      name: calendarTitle(chain),
      description: calendarDescription(chain),
      path: chainPagePath(chain),
      chains: [chain],
      sources,
      dates: [options.points[0]?.date ?? through, through],
    }),
    feeds: feedsOf(name, chain),
    hasFirstStyle: true,
    values: (stamp) => ({
      stamp,
      subscribe: { feed: chainFeedPath(chain), calendar: regimeEventsPath(chain) },
      name,
      lead: leadOf(latest),
      through,
      day: dateWords(through),
      label: regime.label,
      notices: toFreshnessNotices([{ chain, lastAvailable }]),
      ribbon: toRibbon(records.map(({ date, regime: { label } }) => ({ date, label }))),
      facts: toFacts(
        latest,
        toPublishedFreshness(chain, through, lastAvailable, stamp.publishedAt, sources),
        stamp,
      ),
      chart,
      metricsPath: metricsPagePath(chain),
      scores: toScores(latest),
      drivers: toDrivers(latest),
      noDrivers: noDriversReason(latest, methodology),
      history: labelHistory(options.statistics),
      days: records.toReversed().map(toDay),
      files: {
        public: publicRows(chain, records),
        subscriber: subscriberTable(chain),
        download: downloadPath(chain),
        sample: sampleLinks(options.points[0]?.date ?? through, through),
      },
      sources: sources.map(toSource),
      hash: regime.determinism_hash,
    }),
  });
}

/** Returns the frame of the pages about days: the gateway fills in its marks (`DAY_MARKS`) for a chain and a date. */
export function dayFrame(site: SiteTexts): FileTemplate {
  const { title, description, chain, name, date, lead, content } = DAY_MARKS;
  const toMark = (path: string): string => path.replace('{chain}', chain);
  return pageFile(site, {
    path: PAGE_PATHS.dayFrame,
    canonical: toMark(dayPagePath('{chain}', date)),
    template: 'day',
    title,
    description,
    feeds: feedsOf(name, '{chain}').map((feed) => ({ ...feed, path: toMark(feed.path) })),
    hasFirstStyle: true,
    values: () => ({ chainPage: toMark(chainPagePath('{chain}')), name, heading: title, lead, content }),
  });
}

/** Returns the feeds of a chain for the head of a page. */
function feedsOf(name: string, chain: Chain | Placeholder): PageFeed[] {
  return [
    { type: 'application/atom+xml', name: `${name}: changes of regime`, path: chainFeedPath(chain) },
    { type: 'text/calendar', name: `${name}: regimes`, path: regimeEventsPath(chain) },
  ];
}

/** Returns the last regime in a sentence, with how long it has lasted up to its date: the page cannot know what the reader's date is. */
function leadOf({ date, regime: { label, run_days: days } }: MetaDay): string {
  const what = label === 'indeterminate' ? 'No regime' : capitalized(label);
  return `${what} for ${count(days, 'day')}, up to ${dateWords(date)}: ${LABEL_MEANINGS[label]}.`;
}

function toFacts(
  { date, regime, confidence, status }: MetaDay,
  fresh: PublishedFreshness,
  { publishedAt }: ReleaseStamp,
): object[] {
  const { expected_next_by: next } = fresh;
  return [
    { term: 'Since', value: `${dateWords(regime.since)}, ${count(regime.run_days, 'day')}` },
    { term: 'Previous', value: regime.previous_label ?? ABSENT },
    { term: 'Confidence', value: confidenceWords(regime.label, confidence) },
    { term: 'Data quality', value: qualityWords(confidence) },
    { term: 'Status', value: status },
    { term: 'Data to', value: dateWords(date) },
    { term: 'Regimes to', value: fresh.last_available === null ? ABSENT : dateWords(fresh.last_available) },
    { term: 'Next day by', value: instantWords(next) + (isOverdue(next, publishedAt) ? ', late' : '') },
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

function toDay({ chain, date, regime, confidence, scorecard, status }: MetaDay): object {
  return {
    date,
    page: dayPagePath(chain, date),
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

function sampleLinks(first: string, last: string): string[] {
  return sampleWeek(first, last) === undefined ? [] : [PAGE_PATHS.pricing];
}

type Row = { readonly path: string; readonly content: string };

/** Returns the public files of a chain with a description of each. */
function publicRows(chain: Chain, records: readonly MetaDay[]): Row[] {
  return [
    { path: calendarPath(chain), content: 'Regime calendar (CSV), one row for each day' },
    {
      path: regimesPath(chain),
      content: 'What each label has meant (JSON): runs, what followed, fees and use',
    },
    { path: weeklySummaryPath(chain), content: 'Summary of the last week (text)' },
    ...newestArchiveOf(records).map((year) => ({
      path: weeklyArchivePath(chain, year),
      content: `Summary of each week of ${year} (text); for another year, change the year in the address`,
    })),
    { path: summaryPath(chain), content: 'The data of this page (JSON)' },
    { path: chartPath(chain), content: 'Chart (SVG)' },
    { path: chartDataPath(chain), content: 'The data of the chart (JSON), every day' },
    { path: chainFeedPath(chain), content: 'Changes of regime, corrections and stale periods (Atom)' },
    { path: chainEventsPath(chain), content: 'The same as data (JSON)' },
    { path: regimeEventsPath(chain), content: 'Regimes in a calendar program (iCalendar)' },
    { path: chartMetricsPath(chain), content: 'Every metric (JSON), every day' },
  ];
}

const WINDOW_WORDS: Readonly<Record<Window, string>> = {
  latest: 'latest day',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '365d': '365 days',
};

/** Returns the subscriber files of a chain: a row for each genre, with a link for each window and to all dates. */
function subscriberTable(chain: Chain): object {
  const windows = Object.keys(WINDOWS) as Window[]; // Object.keys loses the key type
  return {
    heads: [...windows.map((window) => WINDOW_WORDS[window]), 'every day'],
    rows: GENRES.map((genre) => ({
      name: GENRE_WORDS[genre],
      genre,
      links: [
        ...windows.map((window) => ({
          path: bundlePath(genre, chain, window),
          plan: firstPlan((plan) => hasWindow(plan, genre, window)),
        })),
        { path: manifestPath(genre, chain), plan: firstPlan((plan) => hasArchive(plan, genre)) },
      ],
    })),
  };
}

/** Returns the name of the smallest plan with a file. */
function firstPlan(has: (plan: PlanDefinition) => boolean): string {
  const plan = PLAN_IDS.find((each) => has(PLANS[each]));
  return plan === undefined ? '' : PLANS[plan].name;
}

function hasWindow(plan: PlanDefinition, genre: Genre, window: Window): boolean {
  if (genre === 'briefs') return window === 'latest' || plan.briefs === 'all';
  return plan.windows.includes(window);
}

function hasArchive(plan: PlanDefinition, genre: Genre): boolean {
  return genre === 'briefs' ? plan.briefs === 'all' : plan.archive;
}
