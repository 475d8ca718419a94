import { latenessWords } from '../../../templates/browser/freshness-words.js';

const LIMITS = { late_after: '2023-09-29T00:00:00Z', stale_after: '2023-10-01T12:30:00Z' };

it.each([
  ['2023-09-28T23:59:59Z', undefined],
  ['2023-09-29T00:00:00Z', { state: 'late', words: 'Late since 29 September 2023, 00:00 UTC' }],
  ['2023-10-01T12:30:00Z', { state: 'stale', words: 'Stale since 1 October 2023, 12:30 UTC' }],
])('judges at %s', (at, expected) => {
  expect(latenessWords(LIMITS, Date.parse(at))).toEqual(expected);
});

it('calls a chain stale that never had data', () => {
  expect(latenessWords({ late_after: null, stale_after: null }, 0)).toEqual({
    state: 'stale',
    words: 'Stale',
  });
});
