import { CHAIN_IDS } from '../../../schemas/catalog.js';
import type { Chain, SourcesPolicy } from '../../../schemas/types.generated.js';
import type { Descriptions, SourceDescription } from '../../core/collection/ledger/projection.js';
import type { Source, SourceFacts } from '../../sources/source.js';
import type { ChainPlan } from './chain-plan.js';
import { mainMetricsOf, rulesOf } from './policy.js';

/** Returns how the policy collects chains. Precondition: `sources` has every source that the chains name. */
export function planChains(
  policy: SourcesPolicy,
  chains: readonly Chain[],
  sources: ReadonlyMap<string, Source>,
  span: { readonly since?: string; readonly until?: string } = {},
): ChainPlan[] {
  const get = (name: string): Source => {
    const source = sources.get(name);
    if (source === undefined) throw new RangeError(`no source ${name}`);
    return source;
  };
  return CHAIN_IDS.filter((chain) => chains.includes(chain)).flatMap((chain): ChainPlan[] => {
    const entry = policy.chains[chain];
    if (entry === undefined) return [];
    const { source, fill = [], check = [], rules } = entry;
    return [
      {
        chain,
        parts: [
          { source: get(source), metrics: mainMetricsOf(chain, entry) },
          ...fill.map((each) => ({ source: get(each.source), metrics: each.metrics })),
        ],
        checks: check.map((each) => ({ source: get(each.source), same: each.same ?? [] })),
        rules: rulesOf(chain, rules),
        since: span.since ?? entry.since,
        ...(span.until === undefined ? {} : { until: span.until }),
      },
    ];
  });
}

/** Returns the entries of sources for `sources.json`. */
export function describeSources(sources: ReadonlyMap<string, Source>): Descriptions {
  return Object.fromEntries([...sources].map(([name, { facts }]) => [name, describeSource(facts)]));
}

function describeSource({ name, licence, attribution, url, definitions }: SourceFacts): SourceDescription {
  return {
    ...{ name, licence },
    ...(attribution === null ? {} : { attribution }),
    ...(url === '' ? {} : { url }),
    ...(definitions.length === 0 ? {} : { notes: definitions.join(' ') }),
  };
}
