import fc from 'fast-check';
import { addDays } from '../../../../schemas/dates.js';
import type { ChainEvents, LabelChange, RegimeLabel } from '../../../../schemas/types.generated.js';
import { findSchemaFaults } from '../../../../schemas/validate.js';
import { nextEvents } from '../../../../generator/core/feeds/chain-events.js';
import { chainFeedFile } from '../../../../generator/core/feeds/chain-feed.js';
import { readFeed } from '../../../support/release/read-feeds.js';

const FIRST = '2024-01-01';
const LABELS = ['steady', 'quiet', 'dormant', 'indeterminate'] as const;
const SITE = { name: 'A & B', publisher: 'A Ltd', address: 'https://data.example.com' };
const STAMP = { revision: '2024-01-01.000001', sequence: 1, publishedAt: '2024-01-01T00:00:00Z' };

/**
 * What a simulated day does: dates that arrive, also those that were withdrawn, a correction of some published dates or only
 * of their numbers, or a withdrawal of the last ones.
 */
type Act =
  | { readonly kind: 'arrive'; readonly labels: readonly RegimeLabel[] }
  | { readonly kind: 'correct'; readonly at: number; readonly length: number; readonly label: RegimeLabel }
  | { readonly kind: 'withdraw'; readonly days: number }
  | { readonly kind: 'restate'; readonly at: number; readonly length: number }
  | { readonly kind: 'nothing' };

const NO_CHANGE = {
  labelChanges: [],
  withdrawnDates: [],
  restoredDates: [],
  restatedDates: [],
  reason: null,
};

const label = () => fc.constantFrom(...LABELS);
const act = (): fc.Arbitrary<Act> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('arrive'),
        labels: fc.array(label(), { minLength: 1, maxLength: 4 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('correct'),
        at: fc.nat(60),
        length: fc.integer({ min: 1, max: 9 }),
        label: label(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('withdraw'), days: fc.integer({ min: 1, max: 5 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('restate'),
        at: fc.nat(60),
        length: fc.integer({ min: 1, max: 9 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('nothing') }) },
  );

type Step = {
  readonly history: readonly { date: string; label: RegimeLabel }[];
  readonly events: ChainEvents;
  /** The dates that the day corrected: their regimes, or only their numbers. */
  readonly corrected: readonly string[];
};

/** Returns the history and the events after each day of a simulation. The clock may stand still. */
function simulate(acts: readonly Act[], slow: boolean): Step[] {
  let history: Step['history'] = Array.from({ length: 10 }, (_, t) => ({
    date: addDays(FIRST, t),
    label: LABELS[t % 2] ?? 'steady',
  }));
  let events: ChainEvents | undefined;
  const lastOf = (): string | null => history.findLast((day) => day.label !== 'indeterminate')?.date ?? null;
  let before: string | null = null;
  const away = new Set<string>();
  return [{ kind: 'nothing' } as const, ...acts].map((each, day) => {
    const labelChanges: LabelChange[] = [];
    let withdrawnDates: string[] = [];
    let restatedDates: string[] = [];
    if (each.kind === 'arrive') {
      const from = history.at(-1)?.date ?? FIRST;
      history = [...history, ...each.labels.map((name, i) => ({ date: addDays(from, i + 1), label: name }))];
    } else if (each.kind === 'correct') {
      history = history.map((old, t) => {
        if (t < each.at || t >= each.at + each.length || old.label === each.label) return old;
        labelChanges.push({ date: old.date, from: old.label, to: each.label });
        return { ...old, label: each.label };
      });
    } else if (each.kind === 'withdraw' && history.length > each.days) {
      withdrawnDates = history.slice(-each.days).map(({ date }) => date);
      history = history.slice(0, -each.days);
    } else if (each.kind === 'restate') {
      restatedDates = history.slice(each.at, each.at + each.length).map(({ date }) => date);
    }
    const restoredDates = history.map(({ date }) => date).filter((date) => away.delete(date));
    for (const date of withdrawnDates) away.add(date);
    restatedDates.push(...labelChanges.map(({ date }) => date), ...restoredDates);
    const reason = labelChanges.length > 0 ? 'a < b' : null;
    const change = { history, labelChanges, withdrawnDates, restoredDates, restatedDates, reason };
    events = nextEvents({
      chain: 'base',
      before: events,
      change: each.kind === 'nothing' && day > 0 ? undefined : change,
      lastAvailable: { before, now: lastOf() },
      publishedAt: `${slow ? addDays(FIRST, 10) : addDays(FIRST, 10 + day)}T06:00:00Z`,
    });
    if (events === undefined) throw new Error('no events');
    before = lastOf();
    return { history, events, corrected: [...restatedDates, ...withdrawnDates] };
  });
}

const entriesOf = ({ events }: Step) => readFeed(chainFeedFile(SITE, events).content(STAMP).text).entries;

const check = (property: (steps: readonly Step[]) => void): void =>
  fc.assert(
    fc.property(fc.array(act(), { minLength: 1, maxLength: 90 }), fc.boolean(), (acts, slow) =>
      property(simulate(acts, slow)),
    ),
    { numRuns: 60 },
  );

describe('the events of a chain, over months with corrections, withdrawals and stale periods,', () => {
  it('keep every id, and when it was first published', () => {
    check((steps) => {
      const published = new Map<string, string | undefined>();
      for (const step of steps) {
        const entries = entriesOf(step);
        const ids = new Map(entries.map((entry) => [entry.id, entry.published]));
        expect(ids.size).toBe(entries.length);
        for (const [id, at] of published) expect([id, ids.get(id)]).toEqual([id, at]);
        for (const [id, at] of ids) published.set(id, at);
      }
    });
  });

  it('give each entry that changes a later instant, which no other entry has', () => {
    check((steps) => {
      let latest = '';
      let before = new Map<string, string>();
      for (const step of steps) {
        const entries = entriesOf(step);
        expect(new Set(entries.map(({ updated }) => updated)).size).toBe(entries.length);
        const now = new Map(
          entries.map((entry) => [entry.id, JSON.stringify({ ...entry, updated: '', page: '' })]),
        );
        for (const { id, updated } of entries) {
          const isChanged = before.get(id) !== now.get(id);
          expect([id, updated > latest]).toEqual([id, isChanged]);
        }
        latest = entries[0]?.updated ?? '';
        expect(entries.map(({ updated }) => updated)).toEqual(
          entries
            .map(({ updated }) => updated)
            .sort()
            .reverse(),
        );
        before = now;
      }
    });
  });

  it('link each entry to the page of a date in force', () => {
    check((steps) => {
      for (const step of steps) {
        const pages = new Set(step.history.map(({ date }) => `${SITE.address}/chains/base/${date}`));
        expect(entriesOf(step).filter(({ page }) => !pages.has(page))).toEqual([]);
      }
    });
  });

  it('report exactly the changes of regime in force, and each correction once', () => {
    check((steps) => {
      for (const { history, events } of steps) {
        const starts = history.filter(({ label: name }, t) => history[t - 1]?.label !== name);
        const inForce = events.regimes.filter(({ status }) => status !== 'withdrawn');
        expect(inForce.map(({ date, label: name }) => [date, name])).toEqual(
          starts.filter(({ date }) => date >= events.first_date).map(({ date, label: name }) => [date, name]),
        );
        expect(findSchemaFaults('events', events)).toEqual([]);
      }
    });
  });

  it('report each corrected date once: as changed, withdrawn or restored, or among those that keep their regime', () => {
    check((steps) => {
      steps.forEach(({ events, corrected }, day) => {
        const added = events.corrections.slice(steps[day - 1]?.events.corrections.length ?? 0);
        expect(added.map(({ days, restated }) => days + (restated?.days ?? 0))).toEqual(
          corrected.length === 0 ? [] : [corrected.length],
        );
      });
    });
  });

  it('link a change of regime to the page of its own date as soon as that is in force again', () => {
    check((steps) => {
      for (const step of steps) {
        const inForce = new Set(step.history.map(({ date }) => date));
        const others = step.events.regimes.filter(({ date, page_date: page }) => page !== date);
        expect(others.filter(({ date }) => inForce.has(date))).toEqual([]);
      }
    });
  });

  it('do not change with a release that changes nothing', () => {
    check((steps) => {
      const last = steps.at(-1);
      const change = { ...NO_CHANGE, history: last?.history ?? [], reason: 'other' };
      const at = last?.events.stale.some(({ ended_at: end }) => end === null) === true ? '2025-01-01' : FIRST;
      const date = change.history.at(-1)?.date ?? FIRST;
      const options = { chain: 'base', lastAvailable: { before: date, now: date } } as const;
      const publishedAt = `${at}T06:00:00Z`;
      expect(nextEvents({ ...options, before: last?.events, change, publishedAt })).toEqual(last?.events);
    });
  });
});

it('a chain that stays stale has one entry, which says when the period ended, and one about the end', () => {
  const day = (date: string) => ({ date, label: 'steady' as const });
  const release = (before: ChainEvents | undefined, last: string, now: string, publishedAt: string) =>
    nextEvents({
      chain: 'base',
      before,
      change: { ...NO_CHANGE, history: [day(FIRST), day(now)] },
      lastAvailable: { before: last, now },
      publishedAt,
    });
  const first = release(undefined, FIRST, '2024-01-02', '2024-01-03T06:00:00Z');
  expect(first?.stale).toEqual([]);
  const late = release(first, '2024-01-02', '2024-01-20', '2024-03-01T06:00:00Z');
  const still = release(late, '2024-01-20', '2024-01-25', '2024-03-02T06:00:00Z');
  expect(still).toEqual(late);
  const ended = release(still, '2024-01-25', '2024-03-02', '2024-03-03T06:00:00Z');
  expect(ended?.stale).toMatchObject([{ date: '2024-01-02', ended_at: '2024-03-03T06:00:00Z' }]);
  expect(ended?.stale[0]?.published_at).toBe(late?.stale[0]?.published_at);
  const again = release(ended, '2024-03-02', '2024-01-02', '2024-03-04T06:00:00Z');
  const over = release(again, '2024-01-02', '2024-03-04', '2024-03-05T06:00:00Z');
  const shown = [late, ended, again, over].map((events) => {
    expect(findSchemaFaults('events', events)).toEqual([]);
    const { entries } = readFeed((events && chainFeedFile(SITE, events).content(STAMP).text) ?? '');
    return entries.filter(({ category }) => category === 'stale').map(({ title }) => title);
  });
  expect(shown).toEqual([
    ['Stale: Base, after 2 January 2024'],
    ['No longer stale: Base, after 2 January 2024', 'Stale: Base, after 2 January 2024 (ended)'],
    ['Stale again: Base, after 2 January 2024', 'Stale: Base, after 2 January 2024'],
    ['No longer stale: Base, after 2 January 2024', 'Stale: Base, after 2 January 2024 (ended)'],
  ]);
  const instants = [ended, over].map((events) => events?.stale[0]?.end);
  expect(instants[0]?.published_at).toBe(instants[1]?.published_at);
});

it('the feed says what changed, in words, with escaped texts', () => {
  const steps = simulate([{ kind: 'correct', at: 4, length: 1, label: 'dormant' }], false);
  const step = steps.at(-1);
  const text = step && chainFeedFile(SITE, step.events).content(STAMP).text;
  expect(text).toContain('<title>A &amp; B: Base</title>');
  expect(text).toContain('<title>Correction: Base, 5 January 2024 dormant, not steady</title>');
  expect(text).toContain('Reason: a &lt; b');
  expect(text).toContain('<title>Base: dormant from 5 January 2024 (corrected)</title>');
});

it('the feed says that withdrawn days are back, and that only numbers changed', () => {
  const acts = [
    { kind: 'withdraw', days: 2 },
    { kind: 'arrive', labels: ['quiet', 'quiet', 'quiet'] },
    { kind: 'restate', at: 1, length: 3 },
  ] as const;
  const step = simulate(acts, false).at(-1);
  const text = (step && chainFeedFile(SITE, step.events).content(STAMP).text) ?? '';
  const words = readFeed(text)
    .entries.filter(({ category }) => category === 'correction')
    .map(({ title, content }) => [title, content]);
  expect(words).toEqual([
    [
      'Correction: Base, 3 days from 2 January 2024, no regime changed',
      'A release corrected the records of 3 days of Base, 2 January 2024 to 4 January 2024. No regime changed.',
    ],
    [
      'Correction: Base, 9 January 2024 to 10 January 2024 restored, quiet',
      'A release corrected the regime of 2 days of Base.\n9 January 2024 to 10 January 2024: restored, quiet.',
    ],
    [
      'Correction: Base, 9 January 2024 to 10 January 2024 withdrawn',
      'A release corrected the regime of 2 days of Base.\n9 January 2024 to 10 January 2024: withdrawn.',
    ],
  ]);
});

it('the feed counts the days that keep their regime beside those that do not', () => {
  const day = (date: string) => ({ date, label: 'steady' as const });
  const dates = ['2024-01-01', '2024-01-02', '2024-01-03'];
  const options = { chain: 'base', lastAvailable: { before: null, now: '2024-01-03' } } as const;
  const history = dates.map(day);
  const before = nextEvents({
    ...options,
    before: undefined,
    change: { ...NO_CHANGE, history },
    publishedAt: '2024-01-04T06:00:00Z',
  });
  const events = nextEvents({
    ...options,
    before,
    change: {
      ...NO_CHANGE,
      history,
      labelChanges: [{ date: '2024-01-02', from: 'quiet', to: 'steady' }],
      restatedDates: dates,
    },
    publishedAt: '2024-01-05T06:00:00Z',
  });
  const text = (events && chainFeedFile(SITE, events).content(STAMP).text) ?? '';
  const line =
    'It also corrected the records of 2 days, 1 January 2024 to 3 January 2024, whose regime did not change.';
  expect(readFeed(text).entries[0]?.title).toBe('Correction: Base, 2 January 2024 steady, not quiet');
  expect(readFeed(text).entries[0]?.content).toContain(line);
  expect(findSchemaFaults('events', events)).toEqual([]);
});

it('the events of an earlier version, which do not report corrected numbers, are continued', () => {
  const days = [{ date: '2024-03-01', label: 'steady' as const }];
  const earlier = {
    date: '2024-03-01',
    number: 1,
    days: 1,
    spans: [{ first_date: '2024-03-01', last_date: '2024-03-01', from: 'quiet', to: 'steady' }],
    reason: null,
    page_date: '2024-03-01',
    published_at: '2024-03-02T06:00:00Z',
    updated_at: '2024-03-02T06:00:00Z',
  } as const;
  const before: ChainEvents = {
    schema: 'events/1',
    chain: 'base',
    first_date: '2024-03-01',
    regimes: [],
    corrections: [{ ...earlier, spans: [...earlier.spans] }],
    stale: [],
  };
  const after = nextEvents({
    chain: 'base',
    before,
    change: { ...NO_CHANGE, history: days, restatedDates: ['2024-03-01'] },
    lastAvailable: { before: '2024-03-01', now: '2024-03-01' },
    publishedAt: '2024-03-03T06:00:00Z',
  });
  expect(after?.corrections).toMatchObject([earlier, { number: 2, days: 0, restated: { days: 1 } }]);
});
