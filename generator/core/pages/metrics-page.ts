import { CHAINS, METRICS } from '../../../schemas/catalog.js';
import { toDayNumber } from '../../../schemas/dates.js';
import {
  chainPagePath,
  chartDataPath,
  chartMetricsPath,
  chartPath,
  embedPath,
  metricsPagePath,
} from '../../../schemas/paths.js';
import { SITE_NAME } from '../../../schemas/site-name.js';
import type { Chain, Methodology, MetricName, SourceSegment } from '../../../schemas/types.generated.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { type ChartPoint, toChart } from '../artifacts/chart-data.js';
import type { MetricHistory } from '../artifacts/chart-metrics.js';
import { CHART_DAYS } from '../artifacts/regime-calendar.js';
import { chartForPage, type DrawnChart } from '../charts/chart-files.js';
import { eventsOf } from '../charts/chart-events.js';
import { type Run, toSeries } from '../charts/chart-series.js';
import { LABELS } from '../charts/chart-style.js';
import { citationOf } from '../charts/citation.js';
import { GUTTER, headingOf, type MetricLine, metricScene, unitWords } from '../charts/metric-scene.js';
import { windowOf, windowWords } from '../charts/scenes.js';
import { trustHtml } from '../text/text-template.js';
import { dateWords, exactWords, joinWords } from '../../../schemas/words.js';
import { ABSENT, pageFile, type SiteTexts, toFreshnessNotices } from './page.js';

/** Options for `metricsPage`. */
type MetricsPageOptions = {
  /** The points of the chain's chart, ascending; at least one. */
  readonly points: readonly ChartPoint[];
  readonly metrics: MetricHistory;
  readonly lastAvailable: string | null;
  readonly methodology: Methodology;
  readonly sources: readonly SourceSegment[];
};

/** Returns the page with a chain's metrics: a chart of any of them, their newest values, and the events that it marks. */
export function metricsPage(site: SiteTexts, chain: Chain, options: MetricsPageOptions): FileTemplate {
  const { points, metrics, lastAvailable, methodology, sources } = options;
  const { name } = CHAINS[chain];
  const lines = linesOf(chain, metrics);
  const { runs } = toSeries(toChart(chain, points, methodology, ''));
  const [first] = lines;
  const chart = first && drawMetric(first, runs);
  const publisher = site.details?.name ?? SITE_NAME;
  const names = joinWords([...new Set(sources.map((source) => `${source.name} (${source.licence})`))]);
  const address =
    site.details === undefined ? '' : site.details.base_url.replace(/\/$/, '') + metricsPagePath(chain);
  const events = eventsOf([chain])
    .filter(({ date }) => date >= metrics.first_date && date <= metrics.updated_through)
    .map((event) => ({ ...event, host: new URL(event.source).host }));
  return pageFile(site, {
    path: metricsPagePath(chain),
    template: 'metrics',
    title: `${name} metrics`,
    description: `${name}: charts of daily on-chain metrics with regimes and events, through ${metrics.updated_through}.`,
    scripts: [site.metricsScript],
    values: (stamp) => ({
      stamp,
      name,
      chainPath: chainPagePath(chain),
      through: dateWords(metrics.updated_through),
      notices: toFreshnessNotices([{ chain, lastAvailable }]),
      figure: {
        chain,
        publisher,
        sources: names,
        labels: LABELS,
        heading: chart?.heading ?? 'No metric has a value',
        range: chart === undefined ? '' : windowWords(chart.window),
        svg: trustHtml(chart === undefined ? '' : chartForPage(chart)),
      },
      citation: first === undefined ? [] : [citationOf([first], { publisher, sources: names, address })],
      rows: lines.map((line) => toRow(chain, line)),
      events: events.length === 0 ? [] : [{ rows: events }],
      files: [
        { path: chartMetricsPath(chain), content: 'Every metric on every day (JSON)' },
        { path: chartDataPath(chain), content: 'The regime of every day (JSON)' },
      ],
    }),
  });
}

/** Returns the metrics of a chain that have values, in the order of the catalog. */
function linesOf(chain: Chain, { first_date: date, metrics }: MetricHistory): MetricLine[] {
  const first = toDayNumber(date);
  return Object.entries(metrics).map(([name, values]) => ({
    chain,
    metric: name as MetricName, // by the schema
    first,
    values,
  }));
}

/** Draws the last two years of a metric, as pages show it without a script. */
function drawMetric(line: MetricLine, runs: readonly Run[]): DrawnChart {
  const { chain, first, values } = line;
  const window = windowOf(first, first + values.length - 1, CHART_DAYS);
  const label = `${headingOf([line])}, ${windowWords(window)}`;
  return {
    name: chain,
    label,
    description: label,
    heading: headingOf([line]),
    window,
    scene: (width) =>
      metricScene({ lines: [{ line, runs }], events: eventsOf([chain]), window, width: width - GUTTER }),
  };
}

function toRow(chain: Chain, { metric, values }: MetricLine): object {
  const value = values.at(-1) ?? null;
  return {
    metric,
    words: METRICS[metric].words,
    unit: unitWords(chain, metric),
    value: value === null ? ABSENT : exactWords(value),
  };
}

/** Returns the page with the chart of a chain's metrics that other sites may embed. It does not follow the data: its script reads them. */
export function embedPage(site: SiteTexts, chain: Chain): FileTemplate {
  const { name } = CHAINS[chain];
  const { details } = site;
  const origins = details === undefined ? [] : [details.base_url.replace(/\/$/, '')];
  return pageFile(site, {
    path: embedPath(chain),
    template: 'embed',
    title: `${name} metrics`,
    description: `${name}: a chart of daily on-chain metrics, to embed in a page.`,
    scripts: [site.metricsScript],
    values: () => ({
      canonical: origins.map((origin) => origin + metricsPagePath(chain)),
      page: metricsPagePath(chain),
      picture: chartPath(chain),
      name,
      embedScripts: [site.metricsScript.path],
      figure: {
        chain,
        publisher: details?.name ?? SITE_NAME,
        sources: `the sources at ${(origins[0] ?? '') + chainPagePath(chain)}`,
        labels: LABELS,
        heading: `${name} metrics`,
        range: '',
        svg: '',
        embedded: [true],
      },
    }),
  });
}
