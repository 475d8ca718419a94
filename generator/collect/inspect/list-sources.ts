import { CHAIN_IDS } from '../../../schemas/catalog.js';
import type { Chain, LedgerLine, MetricName, SourcesPolicy } from '../../../schemas/types.generated.js';
import { metricsIn } from '../../core/collection/values/day-values.js';
import { findLicenceRefusal } from '../../core/collection/licence-guard.js';
import type { Source, SourceFacts } from '../../sources/source.js';

/** The newest values that a ledger has from a source. */
type LastSuccess = {
  readonly date: string;
  readonly accepted_at: string;
  readonly metrics: readonly MetricName[];
};

/** The use of a source by a chain of the policy. */
export type SourceUse = {
  readonly use: 'main' | 'fill' | 'check';
  /** What the chain fills in, or what must agree; empty for a main source: all that it has. */
  readonly metrics: readonly MetricName[];
  /** Null without an accepted value, and for a check. */
  readonly last_success: LastSuccess | null;
};

/** A source of a policy: its terms, and how it is used. */
export type ListedSource = Omit<SourceFacts, 'completeFrom' | 'settlingDays' | 'requestsPerMinute'> & {
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
        ...{ id, name: title, kind: entry.kind, url, licence, resale, attribution, definitions },
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
