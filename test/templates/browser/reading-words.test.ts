import { toChart } from '../../../generator/core/artifacts/chart-data.js';
import { readDay, toSeries } from '../../../generator/core/charts/chart-series.js';
import { currentMethodology } from '../../../schemas/methodology.js';
import { toDayNumber } from '../../../schemas/dates.js';
import { toCsv } from '../../../templates/browser/chart-csv.js';
import { factsOf, sentenceOf, stateWords } from '../../../templates/browser/reading-words.js';
import { chartDay, chartDays, FIRST } from '../../support/release/chart-days.js';

const points = [
  ...chartDays(40, 'slack'),
  { ...chartDay(41, 'indeterminate', null, -1.2345), confidence: 0, missing: ['tx_count', 'fee_median'] },
];
const series = toSeries(toChart('base', points, currentMethodology(), '2026-03-01.000001'));
const day = (t: number): number => toDayNumber(FIRST) + t;

it('says how long a regime had lasted on a day, and its numbers', () => {
  const reading = readDay(series, day(11));
  expect(reading.date).toBe('12 March 2025');
  expect(stateWords(reading)).toBe('slack for 12 days');
  expect(factsOf(reading).map(({ words }) => words)).toEqual([
    'confidence 75 %',
    'demand 0.94',
    'pressure 0.28',
  ]);
});

it('says what was missing, and leaves out what is unknown', () => {
  expect(factsOf(readDay(series, day(41))).map(({ words }) => words)).toEqual([
    'pressure −1.23',
    'missing transactions, median fee',
  ]);
});

it.each([
  [-1, 'the data begins on 1 March 2025'],
  [40, 'the date was withdrawn'],
  [42, 'the data ends on 11 April 2025'],
])('says why there is no data on day %i', (t, reason) => {
  const reading = readDay(series, day(t));
  expect([stateWords(reading), ...factsOf(reading).map(({ words }) => words)]).toEqual(['no data', reason]);
});

it('says the same in one sentence for screen readers', () => {
  expect(sentenceOf([series], day(0))).toBe(
    '1 March 2025. Base: slack for 1 day, confidence 75 %, demand 0.00, pressure 0.33',
  );
});

it('gives the days of a window as CSV, without the dates that a chain does not have', () => {
  const window = { from: day(39), to: day(50) };
  expect(toCsv([series], window).split('\r\n')).toEqual([
    'date,chain,regime,confidence,demand_z,pressure_z,missing_signals',
    expect.stringMatching(/^2025-04-09,base,slack,0\.75,-0\.9\d*,-0\.1\d*,$/),
    '2025-04-11,base,indeterminate,,,-1.2345,tx_count fee_median',
    '',
  ]);
});
