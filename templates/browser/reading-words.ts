import { CHAINS } from '../../schemas/catalog.js';
import { type ChartSeries, type Reading, readDay } from '../../generator/core/charts/chart-series.js';

/** Returns the words above a ribbon: the regime of a day and how long it had lasted. */
export function stateWords({ regime, lasting }: Reading): string {
  return lasting === '' ? regime : `${regime} for ${lasting}`;
}

/** A fact about a day: a name for style sheets, and words. */
type Fact = { readonly name: string; readonly words: string };

/** Returns the facts of a day that it has, in words. */
export function factsOf({ confidence, demand, pressure, missing, reason }: Reading): Fact[] {
  const facts = { confidence, demand, pressure, missing };
  const named = Object.entries(facts).filter(([, value]) => value !== '');
  return [
    ...named.map(([name, value]) => ({ name, words: `${name} ${value}` })),
    ...(reason === '' ? [] : [{ name: 'reason', words: reason }]),
  ];
}

/** Returns what a chart says about a day in one sentence for each chain, for screen readers. */
export function sentenceOf(all: readonly ChartSeries[], day: number): string {
  const parts = all.map((series) => {
    const reading = readDay(series, day);
    const facts = factsOf(reading).map(({ words }) => words);
    return `${CHAINS[series.chain].name}: ${[stateWords(reading), ...facts].join(', ')}`;
  });
  const [first] = all;
  return first === undefined ? '' : `${readDay(first, day).date}. ${parts.join('. ')}`;
}
