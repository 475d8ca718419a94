import type { ScaleKind } from '../../../generator/core/charts/metric-scale.js';
import type { ChartWindow } from '../../../generator/core/charts/scenes.js';
import { CHAIN_IDS, metricsOf } from '../../../schemas/catalog.js';
import { parseDate, toDate } from '../../../schemas/dates.js';
import { metricsFragment } from '../../../schemas/paths.js';
import type { Chain, MetricName } from '../../../schemas/types.generated.js';

/** A metric of a chain. */
export type ChainMetric = { readonly chain: Chain; readonly metric: MetricName };

/** What a chart of metrics shows. An absent member has its default. */
export type MetricView = {
  readonly metric?: MetricName | undefined;
  readonly second?: ChainMetric | undefined;
  /** The scale of all axes; by default each has the one that suits its metric. */
  readonly scale?: ScaleKind | undefined;
  readonly window?: ChartWindow | undefined;
  /** The day that is read, by its number. */
  readonly day?: number | undefined;
};

/** Returns a view as the fragment of an address, without `#`; empty for the view that a page begins with. */
export function toFragment({ metric, second, scale, window, day }: MetricView): string {
  return metricsFragment({
    metric,
    with: second && nameOf(second),
    scale,
    from: window && toDate(window.from),
    to: window && toDate(window.to - 1),
    day: day === undefined ? undefined : toDate(day),
  });
}

/** Returns the view that a fragment of an address names for the page of a chain. What it does not know has its default. */
export function parseFragment(fragment: string, chain: Chain): MetricView {
  const values = new URLSearchParams(fragment.replace(/^#/, ''));
  const first = parseName(`${chain}.${values.get('metric') ?? ''}`);
  const second = parseName(values.get('with') ?? '');
  const scale = values.get('scale');
  const [from, last, day] = ['from', 'to', 'day'].map((name) => parseDate(values.get(name) ?? ''));
  return {
    ...(first === undefined ? {} : { metric: first.metric }),
    ...(second === undefined ? {} : { second }),
    ...(scale === 'linear' || scale === 'log' ? { scale } : {}),
    ...(from === undefined || last === undefined || last < from ? {} : { window: { from, to: last + 1 } }),
    ...(day === undefined ? {} : { day }),
  };
}

/** Returns the name of a metric of a chain in an address: `ethereum.fees_total`. */
export function nameOf({ chain, metric }: ChainMetric): string {
  return `${chain}.${metric}`;
}

/** Returns the metric of a chain that an address names; `undefined` for one that no chain has. */
export function parseName(name: string): ChainMetric | undefined {
  const [before, after] = name.split('.');
  const chain = CHAIN_IDS.find((each) => each === before);
  const metric = chain && metricsOf(chain).find((each) => each === after);
  return chain === undefined || metric === undefined || nameOf({ chain, metric }) !== name
    ? undefined
    : { chain, metric };
}
