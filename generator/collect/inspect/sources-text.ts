import { CHAIN_IDS } from '../../../schemas/catalog.js';
import type { Paint } from '../../../infra/process/paint.js';
import { formatTable } from '../../../infra/process/format-table.js';
import { countWords, ratioWords } from '../../core/text/number-words.js';
import type { DateSpan, MetricComparison } from '../../core/collection/compare-series.js';
import type { CheckedSource } from './check-sources.js';
import type { ListedSource, SourceUse } from './list-sources.js';

/** Returns the sources of a policy as text, a paragraph for each. */
export function formatSourceList(sources: readonly ListedSource[], hasLedgers: boolean): string {
  return sources.map((each) => formatSource(each, hasLedgers)).join('\n\n');
}

function formatSource(source: ListedSource, hasLedgers: boolean): string {
  const { id, name, kind, url, licence, resale, refusal, attribution, chains, definitions } = source;
  const settling = `revised for ${source.settling_days} d`;
  const rows: [string, string][] = [
    ['licence', `${licence}; may be sold: ${resale}`],
    ...(refusal === null ? [] : [['refused', refusal] as [string, string]]),
    ['attribution', attribution ?? 'none required'],
    ['complete', `from ${source.complete_from} UTC of the next day, ${settling}`],
    ['requests', `at most ${source.requests_per_minute} a minute`],
    ...CHAIN_IDS.flatMap((chain): [string, string][] => {
      const use = chains[chain];
      return use === undefined ? [] : [[chain, describeUse(use, hasLedgers)]];
    }),
    ...definitions.map((text, i): [string, string] => [i === 0 ? 'definitions' : '', text]),
  ];
  const head = [id, ...(kind === id ? [] : [`(${kind})`]), ...(name === id ? [] : [name]), url];
  return [
    head.filter((word) => word !== '').join('  '),
    ...rows.map(([key, text]) => `  ${key.padEnd(12)} ${text}`),
  ].join('\n');
}

function describeUse({ use, metrics, last_success: last }: SourceUse, hasLedgers: boolean): string {
  if (use === 'check') return metrics.length === 0 ? 'check' : `check, must agree on ${metrics.join(', ')}`;
  const what = use === 'main' ? 'main source' : `gives ${metrics.join(', ')}`;
  if (!hasLedgers) return what;
  if (last === null) return `${what}; nothing accepted yet`;
  return `${what}; last success ${last.accepted_at}: ${last.date} ${last.metrics.join(', ')}`;
}

/** Returns the items of checked sources as a table; one that gave no items is left out. */
export function formatCheck(checked: readonly CheckedSource[], paint: Paint): string {
  const rows = checked.flatMap(({ chain, source, items }) =>
    items.map(({ item, expected, found, agrees }) => [
      ...[chain, source, item, expected, found, agrees ? 'yes' : paint('NO')],
    ]),
  );
  if (rows.length === 0) return '';
  return formatTable(['chain', 'source', 'item', 'expected', 'found', 'agrees'], rows);
}

/** Returns how two sources differ as a table. */
export function formatDiff(metrics: readonly MetricComparison[], { a, b }: { a: string; b: string }): string {
  if (metrics.length === 0) return 'Neither of them has a value.';
  const head = ['metric', 'both', 'equal', `only ${a}`, `only ${b}`, 'median', 'least', 'most'];
  const rows = metrics.map(({ metric, both, equal, onlyA, onlyB, summary }) => {
    const ratios =
      summary && [summary.least, summary.most].map(({ date, ratio }) => `${ratioWords(ratio)} ${date}`);
    return [
      ...[metric, both, equal, describeSpans(onlyA), describeSpans(onlyB)],
      ...[summary === undefined ? '-' : ratioWords(summary.median), ...(ratios ?? ['-', '-'])],
    ];
  });
  return `${formatTable(head, rows)}\nmedian, least, most: ${a} divided by ${b}`;
}

/** Number of spans that are named. */
const NAMED = 2;

function describeSpans(spans: readonly DateSpan[]): string {
  const dates = spans.reduce((sum, each) => sum + each.dates, 0);
  if (dates === 0) return '0';
  const named = spans
    .slice(0, NAMED)
    .map(({ first, last }) => (first === last ? first : `${first}..${last}`));
  return `${countWords(dates)}: ${[...named, ...(spans.length > NAMED ? ['...'] : [])].join(' ')}`;
}
