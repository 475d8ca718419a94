import { CHAIN_IDS, CHAINS, METRICS, metricsOf } from '../../../schemas/catalog.js';
import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import { capitalized } from '../../../schemas/words.js';
import type { ScaleKind } from '../../../generator/core/charts/metric-scale.js';
import { RANGES } from '../chart-view.js';
import type { Format } from '../chart-tools.js';
import { create } from '../dom.js';
import { nameOf } from './view-address.js';

/** What the controls of a chart of metrics do. */
type ControlActions = {
  readonly showMetric: (name: string) => void;
  /** Shows a second metric; none for an empty name. */
  readonly showSecond: (name: string) => void;
  readonly showScale: (scale: ScaleKind | undefined) => void;
  readonly showRange: (index: number) => void;
  readonly download: (format: Format) => void;
};

/** What the controls show as chosen. */
type Chosen = {
  readonly metric: string;
  readonly second: string;
  readonly scale: ScaleKind | undefined;
  /** None while the chart is zoomed. */
  readonly range: number | undefined;
};

/** The controls of a chart of metrics. */
export type Controls = { readonly element: HTMLElement; readonly mark: (chosen: Chosen) => void };

const SCALES = [undefined, 'linear', 'log'] as const;
const SCALE_NAMES = ['Auto', 'Linear', 'Log'] as const;
const FORMATS = ['CSV', 'SVG', 'PNG'] as const;

/** Creates the controls of the chart of a chain that has these metrics. */
export function createControls(
  chain: Chain,
  metrics: readonly MetricName[],
  actions: ControlActions,
): Controls {
  const metric = create('select', {}, optionsOf(chain, metrics));
  const second = create('select', {}, [
    create('option', { textContent: 'nothing' }),
    ...CHAIN_IDS.map((each) => {
      const group = create('optgroup', {}, optionsOf(each, each === chain ? metrics : metricsOf(each)));
      group.label = CHAINS[each].name;
      return group;
    }),
  ]);
  second.options[0]?.setAttribute('value', '');
  metric.addEventListener('change', () => actions.showMetric(metric.value));
  second.addEventListener('change', () => actions.showSecond(second.value));
  const scales = SCALES.map((scale, i) => button(SCALE_NAMES[i] ?? '', () => actions.showScale(scale)));
  const ranges = RANGES.map(({ name }, i) => button(name, () => actions.showRange(i)));
  const downloads = FORMATS.map((format) => {
    const created = button(format, () => actions.download(format));
    created.setAttribute('aria-label', `Download ${format}`);
    return created;
  });
  return {
    element: create('div', { className: 'chart-tools metric-tools' }, [
      labelled('Metric', metric),
      labelled('beside', second),
      group('Scale', scales),
      group('Range', ranges),
      group('Download', downloads),
    ]),
    mark: (chosen) => {
      metric.value = chosen.metric;
      second.value = chosen.second;
      for (const option of second.options) option.disabled = option.value === chosen.metric;
      for (const [i, each] of scales.entries()) press(each, SCALES[i] === chosen.scale);
      for (const [i, each] of ranges.entries()) press(each, i === chosen.range);
    },
  };
}

function optionsOf(chain: Chain, metrics: readonly MetricName[]): HTMLOptionElement[] {
  return metrics.map((metric) => {
    const { words } = METRICS[metric];
    const option = create('option', { textContent: capitalized(words) });
    option.value = nameOf({ chain, metric });
    return option;
  });
}

function press(element: HTMLElement, isPressed: boolean): void {
  element.setAttribute('aria-pressed', String(isPressed));
}

function labelled(words: string, control: HTMLElement): HTMLElement {
  return create('label', {}, [`${words} `, control]);
}

function group(label: string, children: readonly HTMLElement[]): HTMLElement {
  const element = create('div', { className: 'chart-group' }, children);
  element.setAttribute('role', 'group');
  element.setAttribute('aria-label', label);
  return element;
}

/** Creates a button. */
export function button(text: string, act: () => void): HTMLButtonElement {
  const created = create('button', { textContent: text });
  created.type = 'button';
  created.addEventListener('click', act);
  return created;
}
