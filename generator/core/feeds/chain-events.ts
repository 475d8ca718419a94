import { addDays, toInstant } from '../../../schemas/dates.js';
import { freshnessLimits } from '../../../schemas/freshness.js';
import { chainEventsPath } from '../../../schemas/paths.js';
import type {
  Chain,
  ChainEvents,
  CorrectedSpan,
  CorrectionEvent,
  LabelChange,
  RegimeEvent,
  RegimeLabel,
  StaleEvent,
} from '../../../schemas/types.generated.js';
import { JSON_TYPE, jsonContent, type FileTemplate } from '../artifacts/artifact.js';
import { toDateSpan } from '../artifacts/date-span.js';

/** The changes of regime of the first release of a feed are those of so many last days, and the one before them. */
const FIRST_DAYS = 90;
/** Number of spans that a correction names. */
const MAX_SPANS = 20;
/** Stands for the instant of an entry that changes, until all of them are known. */
const PENDING = '';

/** A date in force with its label. */
type LabelledDay = { readonly date: string; readonly label: RegimeLabel };

/** What a release changes in the history of a chain. */
export type HistoryChange = {
  /** All dates in force, ascending. */
  readonly history: readonly LabelledDay[];
  readonly labelChanges: readonly LabelChange[];
  readonly withdrawnDates: readonly string[];
  /** The dates in force that were withdrawn before, ascending. */
  readonly restoredDates: readonly string[];
  /** All corrected dates, ascending, also those of which only numbers changed. */
  readonly restatedDates: readonly string[];
  readonly reason: string | null;
};

/** Options for `nextEvents`. */
type EventOptions = {
  readonly chain: Chain;
  /** The events of the release before; absent in the first release with events. */
  readonly before: ChainEvents | undefined;
  /** Absent if the history did not change. */
  readonly change: HistoryChange | undefined;
  /** The last date with a regime, in the release before and in this one. */
  readonly lastAvailable: { readonly before: string | null; readonly now: string | null };
  readonly publishedAt: string;
};

/**
 * Returns the events of a chain as of a release: each entry that changes gets an instant of its own, later than those of all
 * others. A release that changes nothing returns equal events. `undefined` for a chain that never had a date in force.
 */
export function nextEvents(options: EventOptions): ChainEvents | undefined {
  const { chain, change, lastAvailable, publishedAt } = options;
  const days = change?.history ?? [];
  const starts = startsOf(days);
  const before = options.before ?? firstEvents(chain, days, starts);
  if (before === undefined) return undefined;
  const stale = nextStale(chain, before.stale, { lastAvailable, publishedAt });
  if (change === undefined) return withInstants({ ...before, stale }, before, publishedAt);
  const pageOf = createPageDates(days);
  // An entry that does not change keeps its link while it can: some readers show one with another link again.
  const refresh = <T extends { readonly page_date: string }>(events: readonly T[]): T[] =>
    events.map((event) => ({ ...event, page_date: pageOf(event.page_date) }));
  const regimes = nextRegimes(before.regimes, starts, before.first_date);
  return withInstants(
    {
      ...before,
      regimes: regimes.map((event) => ({ ...event, page_date: pageOf(event.date) })),
      corrections: refresh([...before.corrections, ...toCorrection(before.corrections, change)]),
      stale: refresh(stale),
    },
    before,
    publishedAt,
  );
}

/** Returns the events of a chain before any release; `undefined` without a date in force. */
function firstEvents(
  chain: Chain,
  days: readonly LabelledDay[],
  starts: ReadonlyMap<string, Start>,
): ChainEvents | undefined {
  const last = days.at(-1)?.date;
  if (last === undefined) return undefined;
  const dates = [...starts.keys()];
  const first = dates.findLast((date) => date <= addDays(last, -FIRST_DAYS)) ?? dates[0] ?? last;
  return { schema: 'events/1', chain, first_date: first, regimes: [], corrections: [], stale: [] };
}

/** Returns the file of the events of a chain. */
export function eventsFile(events: ChainEvents): FileTemplate {
  return {
    path: chainEventsPath(events.chain),
    type: JSON_TYPE,
    content: () => jsonContent('events', events),
  };
}

type Start = { readonly label: RegimeLabel; readonly previous: RegimeLabel | null };

/** Returns the dates whose label differs from that of the date in force before. */
function startsOf(days: readonly LabelledDay[]): Map<string, Start> {
  const starts = new Map<string, Start>();
  let previous: RegimeLabel | null = null;
  for (const { date, label } of days) {
    if (label !== previous) starts.set(date, { label, previous });
    previous = label;
  }
  return starts;
}

/** Returns the function that finds the date in force whose page an event links to: its own, or the nearest before. */
function createPageDates(days: readonly LabelledDay[]): (date: string) => string {
  const dates = days.map(({ date }) => date);
  const inForce = new Set(dates);
  return (date) => (inForce.has(date) ? date : (dates.findLast((each) => each < date) ?? dates[0] ?? date));
}

function nextRegimes(
  before: readonly RegimeEvent[],
  starts: ReadonlyMap<string, Start>,
  firstDate: string,
): RegimeEvent[] {
  const known = new Map(before.map((event) => [event.date, event]));
  const added = [...starts.keys()].filter((date) => date >= firstDate && !known.has(date));
  return [...known.keys(), ...added].sort().flatMap((date): RegimeEvent[] => {
    const [event, start] = [known.get(date), starts.get(date)];
    if (event === undefined) return start === undefined ? [] : [toRegime(date, start)];
    if (start === undefined) {
      const isKnown = event.status === 'withdrawn';
      return [isKnown ? event : { ...event, status: 'withdrawn', updated_at: PENDING }];
    }
    const { label, previous } = start;
    const isSame = event.label === label && event.previous_label === previous;
    if (isSame && event.status !== 'withdrawn') return [event];
    return [{ ...event, label, previous_label: previous, status: 'corrected', updated_at: PENDING }];
  });
}

function toRegime(date: string, { label, previous }: Start): RegimeEvent {
  return {
    date,
    label,
    previous_label: previous,
    status: 'published',
    page_date: date,
    published_at: PENDING,
    updated_at: PENDING,
  };
}

/** Returns the correction that a release makes; empty if no published day changes. */
function toCorrection(before: readonly CorrectionEvent[], change: HistoryChange): CorrectionEvent[] {
  const changes = regimeChanges(change);
  const spans: CorrectedSpan[] = [];
  for (const { date, from, to } of changes) {
    const last = spans.at(-1);
    if (last?.from === from && last.to === to && addDays(last.last_date, 1) === date) last.last_date = date;
    else spans.push({ first_date: date, last_date: date, from, to });
  }
  const changed = new Set(changes.map(({ date }) => date));
  const restated = toDateSpan(change.restatedDates.filter((date) => !changed.has(date)));
  const date = spans[0]?.first_date ?? restated?.first_date;
  if (date === undefined) return [];
  return [
    {
      date,
      number: before.filter((each) => each.date === date).length + 1,
      days: changes.length,
      spans: spans.slice(0, MAX_SPANS),
      ...(restated === null ? {} : { restated }),
      reason: change.reason,
      page_date: date,
      published_at: PENDING,
      updated_at: PENDING,
    },
  ];
}

/** Returns the dates whose regime changed, was withdrawn (to null) or came back (from null), ascending. */
function regimeChanges({
  history,
  labelChanges,
  withdrawnDates,
  restoredDates,
}: HistoryChange): Pick<CorrectedSpan & LabelledDay, 'date' | 'from' | 'to'>[] {
  const labels = new Map(history.map(({ date, label }) => [date, label]));
  return [
    ...labelChanges,
    ...withdrawnDates.map((date) => ({ date, from: null, to: null })),
    ...restoredDates.map((date) => ({ date, from: null, to: labels.get(date) ?? null })),
  ].sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** A period begins with the release that finds the chain stale, and lasts until one that does not: at most one lasts. */
function nextStale(
  chain: Chain,
  before: readonly StaleEvent[],
  { lastAvailable, publishedAt }: Pick<EventOptions, 'lastAvailable' | 'publishedAt'>,
): StaleEvent[] {
  if (lastAvailable.now === null) return [...before];
  const isStale = (date: string | null): date is string =>
    date !== null && publishedAt >= (freshnessLimits(chain, date).stale_after ?? '');
  const since = [lastAvailable.before, lastAvailable.now].find(isStale);
  const endedAt = isStale(lastAvailable.now) ? null : publishedAt;
  const open = before.find(({ ended_at }) => ended_at === null);
  if (open !== undefined) {
    if (endedAt === null) return [...before];
    return before.map((each) => (each === open ? withEnd(open, endedAt) : each));
  }
  if (since === undefined) return [...before];
  const known = before.find(({ date }) => date === since);
  const created = { date: since, page_date: since, published_at: PENDING, updated_at: PENDING };
  const event = known === undefined ? { ...created, ended_at: endedAt } : withEnd(known, endedAt);
  return [...before.filter((each) => each !== known), event].sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** Returns a reported period that ends, or that lasts again. Its end has an entry, because some readers never change one. */
function withEnd(event: StaleEvent, endedAt: string | null): StaleEvent {
  const changed = { ...event, ended_at: endedAt, updated_at: PENDING };
  if (event.end === undefined && endedAt === null) return changed;
  return { ...changed, end: { published_at: event.end?.published_at ?? PENDING, updated_at: PENDING } };
}

/** When an entry was published, and when it changed last. */
type Instants = { readonly published_at: string; readonly updated_at: string };

const allOf = ({ stale, regimes, corrections }: ChainEvents): Instants[] => [
  ...stale,
  ...stale.flatMap(({ end }) => end ?? []),
  ...regimes,
  ...corrections,
];

/** Gives the entries that change whole seconds up to the publication, after those of `before` and one after the other. */
function withInstants(events: ChainEvents, before: ChainEvents, publishedAt: string): ChainEvents {
  const changed = allOf(events).filter(({ updated_at: at }) => at === PENDING).length;
  const latest = Math.max(0, ...allOf(before).map(({ updated_at: at }) => Date.parse(at)));
  let next = Math.max(latest + 1000, Date.parse(publishedAt) - (changed - 1) * 1000);
  const stamp = <T extends Instants>(event: T): T => {
    if (event.updated_at !== PENDING) return event;
    const at = toInstant(next);
    next += 1000;
    return {
      ...event,
      updated_at: at,
      published_at: event.published_at === PENDING ? at : event.published_at,
    };
  };
  const stale = events.stale
    .map(stamp)
    .map((event) => (event.end === undefined ? event : { ...event, end: stamp(event.end) }));
  const regimes = events.regimes.map(stamp);
  return { ...events, stale, regimes, corrections: events.corrections.map(stamp) };
}
