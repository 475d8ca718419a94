import { eventsOf } from '../../../generator/core/charts/chart-events.js';
import type { Run } from '../../../generator/core/charts/chart-series.js';
import { type MetricLine, unitWords } from '../../../generator/core/charts/metric-scene.js';
import { dayWords, exactWords } from '../../../schemas/words.js';
import { CHAINS, METRICS } from '../../../schemas/catalog.js';
import { create } from '../dom.js';
import { runOn, valueOn } from './view-csv.js';

/** Shows the values of a day with all their digits, its regime and its events. */
export function showValues(
  readout: HTMLElement,
  lines: readonly MetricLine[],
  runs: readonly Run[],
  day: number,
): void {
  const label = runOn(runs, day)?.label;
  const swatch = create('span', { className: `chart-swatch regime-${label ?? 'indeterminate'}` });
  const head = create('p', {}, [
    create('strong', { className: 'chart-date', textContent: dayWords(day) }),
    ' · ',
    swatch,
    label ?? 'no regime',
    ...eventWords(lines, day).map((words) => ` · ${words}`),
  ]);
  const rows = lines.map((line) => {
    const value = create('strong', { className: 'chart-value', textContent: valueWords(line, day) });
    return create('li', {}, [`${nameWords(line)} `, value]);
  });
  readout.replaceChildren(head, create('ul', {}, rows));
}

/** Returns the values of a day in a sentence, for screen readers. */
export function metricSentence(lines: readonly MetricLine[], runs: readonly Run[], day: number): string {
  const values = lines.map((line) => `${nameWords(line)} ${valueWords(line, day)}`);
  return `${[`${dayWords(day)}: ${runOn(runs, day)?.label ?? 'no regime'}`, ...eventWords(lines, day), ...values].join('. ')}.`;
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
