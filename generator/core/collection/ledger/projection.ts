import { metricsOf } from '../../../../schemas/catalog.js';
import type { Chain, MetricName, SourceSegment } from '../../../../schemas/types.generated.js';
import type { LedgerDate } from './ledger.js';

/** Returns the CSV of a chain: a row per date of its ledger, a column per metric that has a value. */
export function formatMetricsCsv(chain: Chain, dates: readonly LedgerDate[]): string {
  const metrics = metricsOf(chain).filter((metric) =>
    dates.some(({ values }) => values[metric] !== undefined),
  );
  const rows = dates.map(({ date, values }) => [date, ...metrics.map((metric) => values[metric] ?? '')]);
  return [['date', ...metrics], ...rows].map((cells) => `${cells.join(',')}\n`).join('');
}

/** The entry of a source in `sources.json`, without its first date. */
export type SourceDescription = Omit<SourceSegment, 'from'>;

/**
 * Returns the segments of a chain for `sources.json`: a new one begins where the sources of the values change. Dates
 * without one of the metrics continue the segment before. A segment with several sources joins their descriptions.
 */
export function toSegments(
  dates: readonly LedgerDate[],
  describe: (source: string) => SourceDescription,
): SourceSegment[] {
  const segments: { from: string; sources: string }[] = [];
  const current = new Map<MetricName, string>();
  for (const { date, sources } of dates) {
    for (const [metric, source] of Object.entries(sources)) current.set(metric as MetricName, source); // only metrics
    const names = [...new Set(current.values())].sort().join(' ');
    if (segments.at(-1)?.sources !== names) segments.push({ from: date, sources: names });
  }
  return segments.map(({ from, sources }, i) => ({
    ...(i === 0 ? {} : { from }),
    ...joinDescriptions(sources.split(' ').map(describe)),
  }));
}

function joinDescriptions(descriptions: readonly SourceDescription[]): SourceDescription {
  const join = (name: 'licence' | 'attribution' | 'notes', separator: string): string =>
    [...new Set(descriptions.flatMap((each) => each[name] ?? []))].join(separator);
  const [attribution, notes] = [join('attribution', '; '), join('notes', ' ')];
  const url = descriptions.find((each) => each.url !== undefined)?.url;
  return {
    name: descriptions.map(({ name }) => name).join(' and '),
    licence: join('licence', '; '),
    ...(attribution === '' ? {} : { attribution }),
    ...(url === undefined ? {} : { url }),
    ...(notes === '' ? {} : { notes }),
  };
}
