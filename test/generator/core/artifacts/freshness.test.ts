import {
  dueWords,
  expectedNextBy,
  freshnessWords,
  nextDateOf,
  toFreshness,
  toPublishedFreshness,
} from '../../../../generator/core/artifacts/freshness.js';

const THROUGH = '2026-08-18';
const SCHEDULE = { first_try_hours: 6.25, deadline_hours: 12, settling_days: 7 };
const OLD = { name: 'files', licence: 'CC0' };
const NEWEST = { from: '2026-08-01', name: 'growthepie', licence: 'CC BY 4.0', schedule: SCHEDULE };

describe('the date after the newest', () => {
  it('is due an hour after the deadline of the newest source', () => {
    expect(expectedNextBy('base', THROUGH, [OLD, NEWEST])).toBe('2026-08-20T13:00:00Z');
  });

  it('is due a day after its end if the newest source has no schedule', () => {
    expect(expectedNextBy('base', THROUGH, [OLD])).toBe('2026-08-21T00:00:00Z');
    expect(nextDateOf(THROUGH, [OLD])).toBeUndefined();
  });

  it('has the instants of its schedule', () => {
    expect(nextDateOf(THROUGH, [OLD, NEWEST])).toEqual({
      date: '2026-08-19',
      first_try_at: '2026-08-20T06:15:00Z',
      deadline_at: '2026-08-20T12:00:00Z',
      settled_at: '2026-08-27T00:00:00Z',
    });
  });
});

it.each([
  ['fresh', '2026-08-19T06:00:00Z', 0],
  ['late', '2026-08-21T00:00:00Z', 2],
  ['stale', '2026-08-23T00:00:00Z', 4],
])('a chain is %s at %s', (freshness, publishedAt, lag) => {
  expect(toFreshness('base', THROUGH, THROUGH, publishedAt, [])).toMatchObject({ freshness, lag_days: lag });
});

it('a chain without an available date is stale', () => {
  expect(toFreshness('base', THROUGH, null, '2026-08-19T06:00:00Z', [])).toMatchObject({
    freshness: 'stale',
    lag_days: null,
  });
});

it.each([
  ['2026-08-19T06:00:00Z', 'fresh', 'fresh at publication, late from 2026-08-21T00:00:00Z'],
  ['2026-08-21T00:00:00Z', 'late', 'late at publication, stale from 2026-08-23T00:00:00Z'],
  ['2026-08-23T00:00:00Z', 'stale', 'stale at publication'],
])('a release of %s names the instants from which its word changes', (publishedAt, word, words) => {
  const published = toPublishedFreshness('base', THROUGH, THROUGH, publishedAt, []);
  expect(published).toMatchObject({
    freshness_at_publication: word,
    late_after: '2026-08-21T00:00:00Z',
    stale_after: '2026-08-23T00:00:00Z',
  });
  expect(published).not.toHaveProperty('freshness'); // would become false as time passes
  expect(published).not.toHaveProperty('lag_days');
  expect(freshnessWords(published)).toBe(words);
});

it.each([
  ['2026-08-20T23:59:59Z', 'is due by 2026-08-21T00:00:00Z'],
  ['2026-08-21T00:00:00Z', 'is due by 2026-08-21T00:00:00Z'],
  ['2026-08-21T00:00:01Z', 'was due by 2026-08-21T00:00:00Z, and is late'],
])('a release of %s says when the next date %s', (publishedAt, words) => {
  expect(dueWords(expectedNextBy('base', THROUGH, []), publishedAt)).toBe(words);
});

it('a release without an available date is stale, and names no instants', () => {
  const published = toPublishedFreshness('base', THROUGH, null, '2026-08-19T06:00:00Z', []);
  expect(published).toMatchObject({ late_after: null, stale_after: null });
  expect(freshnessWords(published)).toBe('stale at publication');
});
