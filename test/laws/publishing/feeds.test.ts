import { cutSeries, type InputSeries } from '../../../generator/core/input/input-series.js';
import { labelsOf } from '../../../generator/core/artifacts/regime-calendar.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { addDays } from '../../../schemas/dates.js';
import {
  calendarPath,
  chainEventsPath,
  chainFeedPath,
  dayPagePath,
  PAGE_PATHS,
  publicKey,
  regimeEventsPath,
} from '../../../schemas/paths.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { rollBack, setHold } from '../../support/release/operate.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { readCalendarEvents, readFeed } from '../../support/release/read-feeds.js';
import { readCurrent } from '../../support/release/read-release.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';

/** 2022-01-01 to 2023-02-04. */
const base = randomSeries({ chain: 'base', seed: 21, days: 400, missingCells: 0.02 });
const bitcoin = randomSeries({ chain: 'bitcoin', seed: 22, days: 400 });
const FROM = '2022-12-20';

const asOf = (date: string): string => `${addDays(date, 1)}T06:00:00Z`;
const dayAfter = (series: InputSeries, at: string, value: number): InputSeries => ({
  ...series,
  metrics: Object.fromEntries(
    Object.entries(series.metrics).map(([name, column]) => [
      name,
      column.map((each, t) => (series.dates[t] === at ? (each ?? 1) * value : each)),
    ]),
  ),
});

async function textOf(store: ObjectStore, path: string): Promise<string> {
  return Buffer.from((await store.get(publicKey(path)))?.bytes ?? []).toString('utf8');
}

/** What a reader sees after a release. */
async function look(store: ObjectStore) {
  const labels = labelsOf(await textOf(store, calendarPath('base')));
  const feed = readFeed(await textOf(store, chainFeedPath('base')));
  const calendar = readCalendarEvents(await textOf(store, regimeEventsPath('base')));
  const releases = readFeed(await textOf(store, PAGE_PATHS.feed));
  return { labels, feed, calendar, releases };
}

const seen: Awaited<ReturnType<typeof look>>[] = [];
let store: ObjectStore;
let revisionBefore = '';
beforeAll(async () => {
  store = createMemoryStore();
  let input = base;
  for (let date = FROM; date <= '2023-01-25'; date = addDays(date, 1)) {
    if (date === '2023-01-05') input = dayAfter(base, '2022-12-28', 40); // a correction
    const isStale = date > '2023-01-10' && date < '2023-01-18';
    const inputs = isStale ? [cutSeries(bitcoin, date)] : [cutSeries(input, date), cutSeries(bitcoin, date)];
    await publishSeries(store, { inputs, asOf: asOf(date), acceptance: { reason: 'a late block' } });
    if (date === '2023-01-20') revisionBefore = (await readCurrent(store)).revision;
    seen.push(await look(store));
  }
  await rollBack(store, {
    asOf: asOf('2023-01-25'),
    to: revisionBefore,
    reason: 'a bad day',
    chains: ['base'],
  });
  seen.push(await look(store));
  await setHold(store, null, asOf('2023-01-25'), ['base']);
  for (let date = '2023-01-26'; date <= '2023-01-30'; date = addDays(date, 1)) {
    const inputs = [cutSeries(input, date), cutSeries(bitcoin, date)];
    await publishSeries(store, { inputs, asOf: asOf(date), acceptance: { reason: 'again' } });
    seen.push(await look(store));
  }
}, 600_000);

it('a feed keeps every id and when it was published, and reports regimes, corrections and stale periods', () => {
  const published = new Map<string, string | undefined>();
  for (const { feed } of seen) {
    const now = new Map(feed.entries.map((entry) => [entry.id, entry.published]));
    expect([...published].filter(([id, at]) => now.get(id) !== at)).toEqual([]);
    for (const [id, at] of now) published.set(id, at);
    expect(new Set(feed.entries.map(({ updated }) => updated)).size).toBe(feed.entries.length);
  }
  const kinds = seen.at(-1)?.feed.entries.map(({ category }) => category) ?? [];
  expect([...new Set(kinds)].sort()).toEqual(['correction', 'regime', 'stale']);
  const titles = seen.at(-1)?.feed.entries.map(({ title }) => title) ?? [];
  expect(titles).toEqual(
    expect.arrayContaining([
      'Stale: Base, after 10 January 2023 (ended)',
      'No longer stale: Base, after 10 January 2023',
    ]),
  );
});

it('a release that corrects, withdraws or restores published days has one entry about it, also if no regime changed', () => {
  const listed = seen.map(({ feed }) => feed.entries.filter(({ category }) => category === 'correction'));
  const newest = listed.filter((each, day) => each.length > (listed[day - 1]?.length ?? 0));
  expect(newest.map(([entry]) => entry?.title)).toEqual([
    'Correction: Base, 8 days from 28 December 2022, no regime changed',
    'Correction: Base, 21 January 2023 to 25 January 2023 withdrawn',
    'Correction: Base, 21 January 2023 to 25 January 2023 restored, steady',
  ]);
  expect(listed.at(-1)).toHaveLength(newest.length);
});

it('a feed of releases keeps its entries as they were, each with an instant of its own', () => {
  const known = new Map<string, string>();
  for (const { releases } of seen) {
    expect(new Set(releases.entries.map(({ updated }) => updated)).size).toBe(releases.entries.length);
    for (const entry of releases.entries) {
      const text = JSON.stringify(entry);
      expect(known.get(entry.id) ?? text).toBe(text);
      known.set(entry.id, text);
    }
  }
});

it('every entry links to the page of a date of the calendar', () => {
  for (const { feed, labels } of seen) {
    const pages = new Set(
      [...labels.keys()].map((date) => `https://your-service.example${dayPagePath('base', date)}`),
    );
    expect(feed.entries.filter(({ page }) => !pages.has(page))).toEqual([]);
  }
});

it('the runs of the calendar for subscribing cover the history without gaps or overlap, as the regime calendar has it', () => {
  for (const { labels, calendar } of seen) {
    const covered: [string, string][] = calendar.flatMap(({ start, end, summary }) => {
      const dates: [string, string][] = [];
      for (let date = start; date < end; date = addDays(date, 1))
        dates.push([date, summary.replace('Base: ', '').replace(' (ongoing)', '')]);
      return dates;
    });
    expect(covered).toEqual([...labels]);
    expect(calendar.map(({ summary }) => summary.endsWith('(ongoing)'))).toEqual(
      calendar.map((_, i) => i === calendar.length - 1),
    );
  }
});

it('an event of the calendar that changes has a higher SEQUENCE, also after it was away', () => {
  const known = new Map<string, { words: string; sequence: number }>();
  for (const { calendar } of seen) {
    expect(new Set(calendar.map(({ uid }) => uid)).size).toBe(calendar.length);
    for (const { uid, sequence, ...words } of calendar) {
      const before = known.get(uid);
      const now = { words: JSON.stringify(words), sequence };
      if (before !== undefined && before.words !== now.words)
        expect(sequence).toBeGreaterThan(before.sequence);
      else expect(sequence).toBeGreaterThanOrEqual(before?.sequence ?? 0);
      known.set(uid, now);
    }
  }
});

it('a verification recomputes all of it', async () => {
  expect((await verifyStore(store, { deep: true })).faults).toEqual([]);
}, 300_000);

it('a rollback to a release without the chain keeps the events, so that the ids continue when it comes back', async () => {
  const other = createMemoryStore();
  await publishSeries(other, { inputs: [cutSeries(bitcoin, '2022-06-01')], asOf: asOf('2022-06-01') });
  const { revision } = await readCurrent(other);
  const both = [cutSeries(bitcoin, '2022-06-02'), cutSeries(base, '2022-06-02')];
  await publishSeries(other, { inputs: both, asOf: asOf('2022-06-02') });
  const before = readFeed(await textOf(other, chainFeedPath('base'))).entries;
  await rollBack(other, { asOf: asOf('2022-06-03'), to: revision, reason: 'too early', chains: ['base'] });
  expect(await textOf(other, chainFeedPath('base'))).toBe('');
  expect(await textOf(other, chainEventsPath('base'))).toContain('withdrawn');
  expect((await verifyStore(other, { deep: false })).faults).toEqual([]);
  await setHold(other, null, asOf('2022-06-04'), ['base']);
  await publishSeries(other, { inputs: both, asOf: asOf('2022-06-05'), acceptance: { reason: 'now' } });
  const after = new Map(
    readFeed(await textOf(other, chainFeedPath('base'))).entries.map(({ id, published }) => [id, published]),
  );
  for (const { id, published } of before) expect(after.get(id)).toBe(published);
}, 300_000);
