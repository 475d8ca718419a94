import { eventsOf } from '../../../generator/core/charts/chart-events.js';
import { type MetricLine, unitWords } from '../../../generator/core/charts/metric-scene.js';
import { dayWords, exactWords } from '../../../schemas/words.js';
import { CHAINS, METRICS } from '../../../schemas/catalog.js';
import type { RegimeLabel } from '../../../schemas/types.generated.js';
import { create } from '../dom.js';
import type { RegimeRuns } from './metric-data.js';
import { runOn, valueOn } from './view-csv.js';

/** Shows the values of a day with all their digits, its regime and its events. */
export function showValues(
  readout: HTMLElement,
  lines: readonly MetricLine[],
  runs: RegimeRuns,
  day: number,
): void {
  const regimes = regimesOn(lines, runs, day).flatMap(({ label, words }) => [
    ' · ',
    create('span', { className: `chart-swatch regime-${label ?? 'indeterminate'}` }),
    words,
  ]);
  const head = create('p', {}, [
    create('strong', { className: 'chart-date', textContent: dayWords(day) }),
    ...regimes,
    ...eventWords(lines, day).map((words) => ` · ${words}`),
  ]);
  const rows = lines.map((line) => {
    const value = create('strong', { className: 'chart-value', textContent: valueWords(line, day) });
    return create('li', {}, [`${nameWords(line)} `, value]);
  });
  readout.replaceChildren(head, create('ul', {}, rows));
}

/** Returns the values of a day in a sentence, for screen readers. */
export function metricSentence(lines: readonly MetricLine[], runs: RegimeRuns, day: number): string {
  const regimes = regimesOn(lines, runs, day)
    .map(({ words }) => words)
    .join(', ');
  const values = lines.map((line) => `${nameWords(line)} ${valueWords(line, day)}`);
  return `${[`${dayWords(day)}: ${regimes}`, ...eventWords(lines, day), ...values].join('. ')}.`;
}

/** Returns the regime of each chain that is shown, with its chain if there are two. */
function regimesOn(
  lines: readonly MetricLine[],
  runs: RegimeRuns,
  day: number,
): { readonly label: RegimeLabel | undefined; readonly words: string }[] {
  const chains = [...new Set(lines.map(({ chain }) => chain))];
  return chains.map((chain) => {
    const label = runOn(runs.get(chain) ?? [], day)?.label;
    const words = label ?? 'no regime';
    return { label, words: chains.length > 1 ? `${CHAINS[chain].name}: ${words}` : words };
  });
}

function nameWords({ chain, metric }: MetricLine): string {
  return `${CHAINS[chain].name}: ${METRICS[metric].words}`;
}

function valueWords(line: MetricLine, day: number): string {
  const value = valueOn(line, day);
  if (value === null) return 'no value';
  const { unit } = METRICS[line.metric];
  return unit === 'dimensionless'
    ? exactWords(value)
    : `${exactWords(value)} ${unitWords(line.chain, line.metric).replace(/ a day$/, '')}`;
}

function eventWords(lines: readonly MetricLine[], day: number): string[] {
  return eventsOf(lines.map(({ chain }) => chain)).flatMap((event) =>
    event.day === day ? [event.words] : [],
  );
}
