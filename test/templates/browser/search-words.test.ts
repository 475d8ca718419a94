import { countWords, matchesQuery } from '../../../templates/browser/search-words.js';

it.each([
  ['', true],
  ['VOLUME csv', true],
  ['csv  volume', true],
  ['volume xml', false],
])('the query %j matches a text with all its words: %s', (query, expected) => {
  expect(matchesQuery('getVolumeAsCsv: a closed year', query)).toBe(expected);
});

it('says how many entries were found, and nothing without a query', () => {
  expect(countWords(120, 120, ' ')).toBe('');
  expect(countWords(3, 120, 'csv')).toBe('3 of 120 entries');
  expect(countWords(0, 120, 'xml')).toBe('Nothing found. Try another word.');
});
