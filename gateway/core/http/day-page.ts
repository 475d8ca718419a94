import Handlebars from 'handlebars';
import {
  CHAIN_IDS,
  CHAINS,
  GENRE_WORDS,
  LABEL_MEANINGS,
  metricsOf,
  PLAN_IDS,
  type PlanDefinition,
  PLANS,
} from '../../../schemas/catalog.js';
import { addDays, parseDate } from '../../../schemas/dates.js';
import {
  calendarPath,
  chainPagePath,
  chartDataPath,
  DAY_MARKS,
  dayPagePath,
  downloadPath,
  metricsFragment,
  metricsPagePath,
  PAGE_PATHS,
} from '../../../schemas/paths.js';
import type { BriefDay, Chain, Driver, Genre, MetaDay } from '../../../schemas/types.generated.js';
import {
  briefParagraphs,
  capitalized,
  confidenceWords,
  count,
  dateWords,
  qualityWords,
  scoreWords,
  signalQuantity,
  signalWords,
} from '../../../schemas/words.js';

/** Number of days up to the last one whose briefs and numbers are free, as on the page of the chain. */
export const FREE_DAYS = 30;

/** A day of a chain, by its address. */
export type DayRequest = { readonly chain: Chain; readonly date: string };

/** A file that a page is made from. */
export type DayFile = { readonly genre: Genre; readonly sha256: string; readonly revision: string };

/** What a release has about a day. */
export type DayLocation =
  | {
      readonly kind: 'found';
      readonly files: readonly DayFile[];
      /** Whether its brief and its numbers are free. */
      readonly isFree: boolean;
      readonly before: string | undefined;
      readonly after: string | undefined;
    }
  | { readonly kind: 'gone' }
  /** The dates that the chain has; absent if it has none. */
  | { readonly kind: 'absent'; readonly dates?: readonly [string, string] };

const DAY = new RegExp(`^${dayPagePath('{chain}', '(.+)').replace('{chain}', `(${CHAIN_IDS.join('|')})`)}$`);

/** Returns the day whose page has this path; `undefined` for any other path, also with a date that does not exist. */
export function parseDayPath(path: string): DayRequest | undefined {
  const [, chain, date = ''] = DAY.exec(path) ?? [];
  return parseDate(date) === undefined ? undefined : { chain: chain as Chain, date }; // the pattern has only chains
}

/** What the page of a day is made from. `brief` is absent if there is none or it is not free. */
export type DayPageFacts = {
  readonly meta: MetaDay;
  readonly brief: BriefDay | undefined;
  readonly location: Extract<DayLocation, { kind: 'found' }>;
};

/**
 * Returns the function that puts a day into the published frame of the pages. Every value is escaped, and nothing in a
 * record stands for a mark of the frame. @throws Error for an invalid template
 */
export function compileDayPage(source: string): (frame: string, facts: DayPageFacts) => string {
  const template = Handlebars.create().compile<object>(source, { strict: true, knownHelpersOnly: true });
  return (frame, facts) => {
    const { chain, date, regime } = facts.meta;
    const { name } = CHAINS[chain];
    const values: Readonly<Record<string, string>> = {
      [DAY_MARKS.title]: `${name} on ${dateWords(date)}`,
      [DAY_MARKS.description]: `${name} on ${dateWords(date)}: regime ${regime.label}, ${LABEL_MEANINGS[regime.label]}. Confidence, levels and records of the day.`,
      [DAY_MARKS.chain]: chain,
      [DAY_MARKS.name]: name,
      [DAY_MARKS.date]: date,
      [DAY_MARKS.lead]: leadOf(facts.meta),
      [DAY_MARKS.content]: template({
        ...toView(facts),
        beginning: frame.includes(DAY_MARKS.lead) ? [] : [toBeginning(facts.meta)],
      }), // every other value is of the catalog or a date
    };
    return frame.replace(/⟦[a-z]+⟧/g, (mark) => values[mark] ?? mark);
  };
}

/** Returns what a page begins with, which frames of earlier releases do not have. */
function toBeginning(meta: MetaDay): object {
  const { chain, date } = meta;
  return {
    chainPage: chainPagePath(chain),
    name: CHAINS[chain].name,
    day: dateWords(date),
    lead: leadOf(meta),
  };
}

function toView({ meta, brief, location: { files, isFree, before, after } }: DayPageFacts): object {
  const { chain, date, regime } = meta;
  const hasBrief = files.some(({ genre }) => genre === 'briefs');
  const link = (other: string | undefined, words: string): object[] =>
    other === undefined ? [] : [{ page: dayPagePath(chain, other), day: `${words}: ${dateWords(other)}` }];
  return {
    before: link(before, 'The day before'),
    after: link(after, 'The day after'),
    label: regime.label,
    facts: toFacts(meta),
    scores: scoreSentences(meta, isFree),
    drivers: driverSentences(meta, isFree),
    metrics: `${metricsPagePath(chain)}#${around(meta)}`,
    paragraphs: brief === undefined ? [] : briefParagraphs(brief),
    withoutBrief: hasBrief ? [] : ['No brief of this day was published.'],
    locked:
      hasBrief && brief === undefined
        ? [
            {
              days: FREE_DAYS,
              path: downloadPath(chain, { genre: 'briefs', date }),
              plan: planWith('briefs'),
              pricing: PAGE_PATHS.pricing,
            },
          ]
        : [],
    files: files.map(({ genre, ...file }) => ({
      ...file,
      path: downloadPath(chain, { genre, date }),
      content: GENRE_WORDS[genre],
      plan: planWith(genre),
    })),
    free: {
      calendar: calendarPath(chain),
      chart: chartDataPath(chain),
      download: downloadPath(chain),
      verify: PAGE_PATHS.verify,
    },
    hash: regime.determinism_hash,
    revision: meta.published_revision,
  };
}

/** Days before and after a day in the chart to which its page leads. */
const DAYS_AROUND = 60;

/** Returns the view of the chart around a day: its strongest driver, if that is a metric, with the day itself. */
function around({ chain, date, drivers: [driver] }: MetaDay): string {
  const metric = metricsOf(chain).find((each) => each === driver?.signal);
  return metricsFragment({
    metric,
    from: addDays(date, -DAYS_AROUND),
    to: addDays(date, DAYS_AROUND),
    day: date,
  });
}

/** Returns the name of the smallest plan with every day of a genre. */
function planWith(genre: Genre): string {
  const has = (plan: PlanDefinition): boolean => (genre === 'briefs' ? plan.briefs === 'all' : plan.archive);
  const plan = PLAN_IDS.find((each) => has(PLANS[each]));
  return plan === undefined ? '' : PLANS[plan].name;
}

const sentence = (words: string): string => `${capitalized(words)}.`;

function leadOf({ regime: { label, run_days: days, since } }: MetaDay): string {
  const what = label === 'indeterminate' ? 'No regime' : capitalized(label);
  const run = days === 1 ? 'for the first day' : `day ${days} since ${dateWords(since)}`;
  return `${what}, ${run}: ${LABEL_MEANINGS[label]}.`;
}

function toFacts({ regime, confidence, status }: MetaDay): object[] {
  return [
    { term: 'Since', value: `${dateWords(regime.since)}, ${count(regime.run_days, 'day')}` },
    { term: 'Before', value: regime.previous_label ?? '–' },
    { term: 'Confidence', value: confidenceWords(regime.label, confidence) },
    { term: 'Data quality', value: qualityWords(confidence) },
    { term: 'Status', value: status },
  ];
}

/** Returns the scorecard in words. The scores themselves are free for the days on the page of the chain. */
function scoreSentences({ scorecard }: MetaDay, isFree: boolean): string[] {
  return (['demand', 'cost', 'capacity'] as const).flatMap((dimension) => {
    const row = scorecard[dimension];
    if (row === undefined) return [];
    const { score, level, trend } = row;
    if (level === null) return [sentence(`${dimension} is unknown`)];
    const number = isFree && score !== null ? `, with a score of ${scoreWords(score)} of 100` : '';
    return [sentence(`${dimension} is ${level}${trend === null ? '' : ` and ${trend}`}${number}`)];
  });
}

/** Returns the drivers, the strongest first. Without their values, only the strongest, which the calendar names too. */
function driverSentences({ chain, drivers, regime }: MetaDay, isFree: boolean): string[] {
  const [first] = drivers;
  if (first === undefined)
    return [regime.label === 'indeterminate' ? 'Too few signals were available.' : 'No signal stands out.'];
  if (!isFree) return [`What moved it most is ${signalWords(first.signal)}.`];
  const sizeOf = (value: number, unit: Driver['unit']): string => signalQuantity(value, unit, chain);
  return drivers.map(({ signal, direction, smoothed, baseline, unit }) =>
    sentence(
      `${signalWords(signal)} ${direction === 'up' ? 'pushed it up' : 'pulled it down'}: ${sizeOf(smoothed, unit)} recently, ${sizeOf(baseline, unit)} usually`,
    ),
  );
}
