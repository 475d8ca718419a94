import { CHAINS } from '../../schemas/catalog.js';
import { readDay, type ChartSeries, type Reading } from '../../generator/core/charts/chart-series.js';
import { create } from './dom.js';
import { factsOf, stateWords } from './reading-words.js';

/** Shows what the charts of some chains say about a day. */
export function showReading(readout: HTMLElement, all: readonly ChartSeries[], day: number): void {
  const [only] = all;
  if (only === undefined) return;
  const date = create('strong', { className: 'chart-date', textContent: readDay(only, day).date });
  const rows = all.map((series) => {
    const reading = readDay(series, day);
    const name = all.length === 1 ? [] : [create('strong', { textContent: CHAINS[series.chain].name })];
    const facts = factsOf(reading).flatMap(({ name: fact, words }) => [
      ' · ',
      create('span', { className: `chart-${fact}`, textContent: words }),
    ]);
    const row = create('li', {}, [...name, create('span', {}, [...regimeOf(reading), ...facts])]);
    row.dataset['chain'] = series.chain;
    return row;
  });
  readout.replaceChildren(date, create('ul', {}, rows));
}

function regimeOf(reading: Reading): Node[] {
  const hasRegime = reading.lasting !== '';
  const swatch = create('span', {
    className: `chart-swatch regime-${hasRegime ? reading.regime : 'indeterminate'}`,
  });
  return [swatch, create('span', { className: 'chart-regime', textContent: stateWords(reading) })];
}
