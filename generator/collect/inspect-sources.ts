import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain, LedgerLine, MetricName, SourcesPolicy } from '../../schemas/types.generated.js';
import { type DayValues, metricsIn } from '../core/collection/day-values.js';
import { findLicenceRefusal } from '../core/collection/collection-rules.js';
import { type Probe, type Source, SourceError, type SourceFacts } from '../sources/source.js';
import { type ExitName, GeneratorError } from '../core/generator-error.js';
import type { ChainPlan } from './policy.js';
import {
  compareSeries,
  type DateSpan,
  type MetricComparison,
  shiftWords,
} from '../core/collection/compare-series.js';
import type { Paint } from '../../infra/process/paint.js';
import { formatTable } from '../../infra/process/format-table.js';
import { countWords, ratioWords } from '../../schemas/words.js';

/** The newest values that a ledger has from a source. */
type LastSuccess = {
  readonly date: string;
  readonly accepted_at: string;
  readonly metrics: readonly MetricName[];
};

/** The use of a source by a chain of the policy. */
type SourceUse = {
  readonly use: 'main' | 'fill' | 'check';
  /** What the chain fills in, or what must agree; empty for a main source: all that it has. */
  readonly metrics: readonly MetricName[];
  /** Null without an accepted value, and for a check. */
  readonly last_success: LastSuccess | null;
};

/** A source of a policy: its terms, and how it is used. */
type ListedSource = Omit<SourceFacts, 'completeFrom' | 'settlingDays' | 'requestsPerMinute'> & {
  readonly kind: SourcesPolicy['sources'][string]['kind'];
  readonly complete_from: string;
  readonly settling_days: number;
  readonly requests_per_minute: number;
  /** Why the data may not be used as the policy says; null if they may. */
  readonly refusal: string | null;
  readonly chains: { readonly [chain in Chain]?: SourceUse };
};

/** Lists the sources that the chains of a policy name. */
export function listSources(
  policy: SourcesPolicy,
  sources: ReadonlyMap<string, Source>,
  ledgers: ReadonlyMap<Chain, readonly LedgerLine[]>,
): ListedSource[] {
  return [...sources].flatMap(([name, { facts }]) => {
    const entry = policy.sources[name];
    if (entry === undefined) return [];
    const { id, name: title, url, licence, resale, attribution, definitions } = facts;
    const use = { commercial: policy.commercial ?? false, statement: entry.statement };
    const uses = CHAIN_IDS.flatMap((chain) => {
      const found = useOf(policy, chain, name);
      const last_success = lastSuccessOf(ledgers.get(chain) ?? [], name);
      return found === undefined ? [] : [[chain, { ...found, last_success }] as const];
    });
    return [
      {
        id,
        name: title,
        kind: entry.kind,
        url,
        licence,
        resale,
        attribution,
        definitions,
        complete_from: facts.completeFrom,
        settling_days: facts.settlingDays,
        requests_per_minute: facts.requestsPerMinute,
        refusal: findLicenceRefusal(facts, use) ?? null,
        chains: Object.fromEntries(uses),
      },
    ];
  });
}

function useOf(
  { chains }: SourcesPolicy,
  chain: Chain,
  name: string,
): Omit<SourceUse, 'last_success'> | undefined {
  const { source, fill = [], check = [] } = chains[chain] ?? {};
  if (source === name) return { use: 'main', metrics: [] };
  const filled = fill.find((each) => each.source === name);
  if (filled !== undefined) return { use: 'fill', metrics: filled.metrics };
  const checked = check.find((each) => each.source === name);
  return checked && { use: 'check', metrics: checked.same ?? [] };
}

function lastSuccessOf(lines: readonly LedgerLine[], name: string): LastSuccess | null {
  const own = lines.filter(({ source }) => source === name);
  const last = own.reduce<LedgerLine | undefined>(
    (newest, line) => (newest === undefined || line.accepted_at >= newest.accepted_at ? line : newest),
    undefined,
  );
  if (last === undefined) return null;
  const { date, accepted_at, values } = last;
  return { date, accepted_at, metrics: metricsIn(values) };
}

/** The form of a source for a chain, item by item; `error` if the source did not answer. */
type CheckedSource = {
  readonly chain: Chain;
  readonly source: string;
  readonly items: readonly Probe[];
  readonly error: { readonly code: SourceError['code']; readonly message: string } | null;
};

/** Compares the form of what each source serves with what its adapter expects, for each chain that uses it. */
export async function checkSources(
  plans: readonly ChainPlan[],
  signal: AbortSignal,
  onChecked: (checked: CheckedSource) => void,
): Promise<CheckedSource[]> {
  const checked: CheckedSource[] = [];
  for (const { chain, parts, checks } of plans) {
    for (const { source } of [...parts, ...checks]) {
      const one = await checkSource(chain, source, signal);
      checked.push(one);
      onChecked(one);
    }
  }
  return checked;
}

async function checkSource(chain: Chain, source: Source, signal: AbortSignal): Promise<CheckedSource> {
  const named = { chain, source: source.facts.id };
  try {
    return { ...named, items: await source.probe(chain, signal), error: null };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { ...named, items: [], error: { code: error.code, message: error.message } };
  }
}

/** Returns the exit of a check: a difference needs a person, a source that does not answer may answer later. */
export function checkExitOf(checked: readonly CheckedSource[]): ExitName {
  const differs = checked.some(
    ({ items, error }) => error?.code === 'shape' || items.some(({ agrees }) => !agrees),
  );
  if (differs) return 'input-invalid';
  return checked.some(({ error }) => error !== null) ? 'store-unavailable' : 'done';
}

/** Options for `diffSources`: two sources, and the dates to compare. */
type DiffOptions = {
  readonly chain: Chain;
  readonly a: Source;
  readonly b: Source;
  readonly span: { readonly first: string; readonly last: string };
  readonly signal: AbortSignal;
  /** Called after each date that a source offers. */
  readonly onDate: () => void;
};

/**
 * Reads dates of a chain from two sources, and compares them metric by metric. The rules are not applied.
 * @throws GeneratorError 'store-unavailable' if a source does not answer or is not up to date, 'input-invalid' if it answers in
 * another form.
 */
export async function diffSources(options: DiffOptions): Promise<MetricComparison[]> {
  try {
    return compareSeries(await readValues(options, options.a), await readValues(options, options.b));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const exit = error.code === 'shape' ? 'input-invalid' : 'store-unavailable';
    throw new GeneratorError(exit, error.message, { cause: error });
  }
}

async function readValues(
  { chain, span, signal, onDate }: DiffOptions,
  source: Source,
): Promise<ReadonlyMap<string, DayValues>> {
  const values = new Map<string, DayValues>();
  const dates = [...(await source.days(chain, span, signal)).keys()].sort();
  for (const date of dates) {
    signal.throwIfAborted();
    const day = await readIfThere(() => source.day(chain, date, signal));
    const [failure] = day?.failures ?? [];
    if (failure !== undefined) throw new SourceError('unavailable', failure);
    if (day !== undefined) values.set(date, day.values);
    onDate();
  }
  return values;
}

async function readIfThere<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SourceError && error.code === 'not-yet') return undefined;
    throw error;
  }
}

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
      chain,
      source,
      item,
      expected,
      found,
      agrees ? 'yes' : paint('NO'),
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
      metric,
      both,
      equal,
      describeSpans(onlyA),
      describeSpans(onlyB),
      summary === undefined ? '-' : ratioWords(summary.median),
      ...(ratios ?? ['-', '-']),
    ];
  });
  const shifts = metrics.flatMap(({ metric, shift }) =>
    shift === undefined ? [] : [shiftWords(metric, shift, { a, b })],
  );
  return [formatTable(head, rows), `median, least, most: ${a} divided by ${b}`, ...shifts].join('\n');
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
