import { metricsOf } from '../../../../schemas/catalog.js';
import type { Chain, SourceSchedule, SourceSegment } from '../../../../schemas/types.generated.js';
import type { LedgerDate } from './ledger.js';

/** Returns the CSV of a chain: a row per date of its ledger, a column per metric that has a value. */
export function formatMetricsCsv(chain: Chain, dates: readonly LedgerDate[]): string {
  const metrics = metricsOf(chain).filter((metric) =>
    dates.some(({ values }) => values[metric] !== undefined),
  );
  const rows = dates.map(({ date, values }) => [date, ...metrics.map((metric) => values[metric] ?? '')]);
  return [['date', ...metrics], ...rows].map((cells) => `${cells.join(',')}\n`).join('');
}

/** The entry of a source in `sources.json`, without its first date and its schedule. */
export type SourceDescription = Omit<SourceSegment, 'from' | 'schedule'>;

/** Descriptions of sources, by the name that the ledgers give them. */
export type Descriptions = { readonly [source: string]: SourceDescription };

/** Number of dates without a value after which the source of a metric is no longer named. */
const NAMED_DATES = 60;

/**
 * Returns the segments of a chain for `sources.json`: a new one begins where the sources of the values change. A metric that
 * is missing for some dates still names its source. A segment with several sources joins their descriptions. The newest
 * one has the schedule.
 */
export function toSegments(
  dates: readonly LedgerDate[],
  describe: (source: string) => SourceDescription,
  schedule: SourceSchedule | undefined,
): SourceSegment[] {
  const segments: { from: string; sources: string }[] = [];
  for (const { date, sources } of namesByDate(dates)) {
    if (segments.at(-1)?.sources !== sources) segments.push({ from: date, sources });
  }
  return segments.map(({ from, sources }, i) => ({
    ...(i === 0 ? {} : { from }),
    ...joinDescriptions(sources.split(' ').map(describe)),
    ...(schedule !== undefined && i === segments.length - 1 ? { schedule } : {}),
  }));
}

/** Returns the names of the sources of each date, sorted and joined by blanks. */
function namesByDate(dates: readonly LedgerDate[]): { date: string; sources: string }[] {
  const current = new Map<string, { source: string; seen: number }>();
  return dates.map(({ date, sources }, t) => {
    for (const [metric, source] of Object.entries(sources)) current.set(metric, { source, seen: t });
    for (const [metric, { seen }] of current) if (t - seen > NAMED_DATES) current.delete(metric);
    const names = [...current.values()].map(({ source }) => source);
    return { date, sources: [...new Set(names)].sort().join(' ') };
  });
}

function joinDescriptions(descriptions: readonly SourceDescription[]): SourceDescription {
  const join = (name: 'name' | 'licence' | 'attribution' | 'notes', separator: string): string =>
    [...new Set(descriptions.flatMap((each) => each[name] ?? []))].join(separator);
  const [attribution, notes] = [join('attribution', '; '), join('notes', ' ')];
  const url = descriptions.find((each) => each.url !== undefined)?.url;
  return {
    name: join('name', ' and '),
    licence: join('licence', '; '),
    ...(attribution === '' ? {} : { attribution }),
    ...(url === undefined ? {} : { url }),
    ...(notes === '' ? {} : { notes }),
  };
}
