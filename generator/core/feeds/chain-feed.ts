import { CHAINS, LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { chainFeedPath, chainPagePath, dayPagePath } from '../../../schemas/paths.js';
import type {
  Chain,
  ChainEvents,
  CorrectedSpan,
  CorrectionEvent,
  DateSpan,
  RegimeEvent,
  StaleEvent,
} from '../../../schemas/types.generated.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { count, dateWords, instantWords } from '../../../schemas/words.js';
import { type AtomEntry, atomFile, type FeedSite, tagOf } from './atom.js';

/** Returns the feed of a chain: an entry for each change of regime, correction and stale period, the newest first. */
export function chainFeedFile({ name, publisher, address }: FeedSite, events: ChainEvents): FileTemplate {
  const { chain, regimes, corrections, stale } = events;
  const entries = [
    ...regimes.map((event) => ({ event, ...describeRegime(chain, event) })),
    ...corrections.map((event) => ({ event, ...describeCorrection(chain, event) })),
    ...stale.map((event) => ({ event, ...describeStale(chain, event) })),
    ...stale.flatMap(({ end, ...event }) =>
      end === undefined ? [] : [{ event: { ...event, ...end }, ...describeStaleEnd(chain, event) }],
    ),
  ].map(({ event, id, ...words }): AtomEntry => {
    const { published_at: published, updated_at: updated, page_date: date } = event;
    const page = address + dayPagePath(chain, date);
    return { ...words, id: tagOf(`${chain}/${id}`), published, updated, page };
  });
  return atomFile({
    id: tagOf(chain),
    title: `${name}: ${CHAINS[chain].name}`,
    author: publisher,
    path: chainFeedPath(chain),
    page: chainPagePath(chain),
    address,
    entries: entries.sort((a, b) => (a.updated < b.updated ? 1 : -1)),
  });
}

type Words = Pick<AtomEntry, 'id' | 'title' | 'text' | 'category'>;

function describeRegime(chain: Chain, { date, label, previous_label: before, status }: RegimeEvent): Words {
  const { name } = CHAINS[chain];
  const day = dateWords(date);
  const shared = { id: `regime/${date}`, category: 'regime' };
  if (status === 'withdrawn') {
    const text = `An earlier version of this entry said that the regime of ${name} became ${label} on ${day}. A correction has withdrawn that.`;
    return { ...shared, title: `${name}: withdrawn, no change of regime on ${day}`, text };
  }
  const lines = [
    `From ${day}, the regime of ${name} is ${label}: ${LABEL_MEANINGS[label]}.`,
    ...(before === null ? [] : [`Before, it was ${before}: ${LABEL_MEANINGS[before]}.`]),
    ...(status === 'corrected' ? ['This entry was corrected.'] : []),
  ];
  const mark = status === 'corrected' ? ' (corrected)' : '';
  return { ...shared, title: `${name}: ${label} from ${day}${mark}`, text: lines.join('\n') };
}

function describeCorrection(chain: Chain, event: CorrectionEvent): Words {
  const { date, number, days, spans, restated, reason } = event;
  const { name } = CHAINS[chain];
  return {
    id: `correction/${date}/${number}`,
    category: 'correction',
    title: `Correction: ${name}, ${correctionWords(event)}`,
    text: [
      ...(days === 0 ? [] : [`A release corrected the regime of ${count(days, 'day')} of ${name}.`]),
      ...spans.map((span) => `${spanWords(span)}: ${changeWords(span)}.`),
      ...(days > daysOf(spans) ? [`And ${count(days - daysOf(spans), 'more day')}.`] : []),
      ...(restated === undefined ? [] : [restatedWords(name, days, restated)]),
      ...(reason === null ? [] : [`Reason: ${reason}`]),
    ].join('\n'),
  };
}

/** Returns what a correction changed, in one line. */
function correctionWords({ date, days, spans, restated }: CorrectionEvent): string {
  const [first] = spans;
  if (spans.length === 1 && first !== undefined) return `${spanWords(first)} ${changeWords(first)}`;
  if (first !== undefined && spans.every(({ from, to }) => from === null && to !== null))
    return `${count(days, 'day')} from ${dateWords(date)} restored`;
  if (first !== undefined) return `the regimes of ${count(days, 'day')} from ${dateWords(date)}`;
  return `${count(restated?.days ?? 0, 'day')} from ${dateWords(date)}, no regime changed`;
}

/** Returns the line about the corrected days that keep their regime. `days` is the number of the other ones. */
function restatedWords(name: string, days: number, restated: DateSpan): string {
  return days === 0
    ? `A release corrected the records of ${count(restated.days, 'day')} of ${name}, ${spanWords(restated)}. No regime changed.`
    : `It also corrected the records of ${count(restated.days, 'day')}, ${spanWords(restated)}, whose regime did not change.`;
}

function daysOf(spans: readonly CorrectedSpan[]): number {
  const lengthOf = ({ first_date: first, last_date: last }: CorrectedSpan): number =>
    (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1;
  return spans.reduce((sum, span) => sum + lengthOf(span), 0);
}

function spanWords({ first_date: first, last_date: last }: Omit<DateSpan, 'days'>): string {
  return first === last ? dateWords(first) : `${dateWords(first)} to ${dateWords(last)}`;
}

function changeWords({ from, to }: CorrectedSpan): string {
  if (to === null) return 'withdrawn';
  return from === null ? `restored, ${to}` : `${to}, not ${from}`;
}

function describeStale(chain: Chain, { date, ended_at: end }: StaleEvent): Words {
  const { name } = CHAINS[chain];
  const overdue = `newer regimes than that of ${dateWords(date)} were overdue`;
  return {
    id: `stale/${date}`,
    category: 'stale',
    title: `Stale: ${name}, after ${dateWords(date)}${end === null ? '' : ' (ended)'}`,
    text:
      end === null
        ? `${name} is stale: ${overdue}.`
        : `${name} was stale until ${instantWords(end)}: ${overdue}.`,
  };
}

function describeStaleEnd(chain: Chain, { date, ended_at: end }: StaleEvent): Words {
  const { name } = CHAINS[chain];
  const day = dateWords(date);
  const shared = { id: `stale/${date}/end`, category: 'stale' };
  return end === null
    ? {
        ...shared,
        title: `Stale again: ${name}, after ${day}`,
        text: `An earlier version of this entry said that ${name} was no longer stale. It is stale again: newer regimes than that of ${day} are overdue.`,
      }
    : {
        ...shared,
        title: `No longer stale: ${name}, after ${day}`,
        text: `The release of ${instantWords(end)} has newer regimes of ${name} than that of ${day}.`,
      };
}
