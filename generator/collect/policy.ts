import { readFile } from 'node:fs/promises';
import { CHAIN_IDS, FIRST_DATE, metricsOf } from '../../schemas/catalog.js';
import type {
  Chain,
  MetricName,
  PolicyChain,
  PolicyRules,
  PolicySource,
  SourcesPolicy,
} from '../../schemas/types.generated.js';
import { findAllSchemaFaults } from '../../schemas/validate.js';
import { codeOf } from '../../infra/store/system-error.js';
import { type CollectionRules, DEFAULT_RULES } from '../core/collection/collection-rules.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import { EVM_CHAINS } from '../sources/evm-node/evm-rpc.js';
import type { Descriptions, SourceDescription } from '../core/collection/ledger.js';
import type { Source, SourceFacts } from '../sources/source.js';

/** Reads a policy. @throws GeneratorError 'usage' with every fault */
export async function readPolicy(file: string): Promise<SourcesPolicy> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const code = codeOf(error) ?? 'unreadable';
    throw new GeneratorError('usage', `--policy ${file} cannot be read (${code}).`, { cause: error });
  });
  return parsePolicy(file, text);
}

/** Parses the text of a policy. `name` is for messages. @throws GeneratorError 'usage' with every fault */
export function parsePolicy(name: string, text: string): SourcesPolicy {
  const fail = (faults: readonly string[]): never => {
    throw new GeneratorError('usage', [`${name} is not a valid policy of sources:`, ...faults].join('\n  '), {
      next: RUN_AGAIN,
    });
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return fail([error instanceof Error ? error.message : 'no JSON']);
  }
  const faults = findAllSchemaFaults('sources-policy', value);
  if (faults.length > 0) return fail(faults.map(({ pointer, message }) => `${pointer || '/'} ${message}`));
  const policy = value as SourcesPolicy; // has no faults
  const wrong = findPolicyFaults(policy);
  return wrong.length > 0 ? fail(wrong) : policy;
}

/** Finds what a schema cannot say: names of sources that do not exist, and metrics in the wrong place. */
function findPolicyFaults({ sources, chains }: SourcesPolicy): string[] {
  return CHAIN_IDS.flatMap((chain) => {
    const entry = chains[chain];
    if (entry === undefined) return [];
    const { fill = [], check = [] } = entry;
    const place = `chain ${chain}`;
    const names = [entry.source, ...[...fill, ...check].map(({ source }) => source)];
    const own = metricsOf(chain);
    const filled = fill.flatMap(({ metrics }) => metrics);
    const named = [
      ...filled,
      ...check.flatMap(({ same = [] }) => same),
      ...(entry.rules?.required ?? []),
      ...(entry.rules?.frozen ?? []),
    ];
    return [
      ...names
        .filter((source) => sources[source] === undefined)
        .map((source) => `${place} names the source ${source}, which the policy does not have`),
      ...names
        .filter((source, i) => names.indexOf(source) !== i)
        .map((source) => `${place} names the source ${source} twice`),
      ...named
        .filter((metric) => !own.includes(metric))
        .map((metric) => `${place} names ${metric}, which is not a metric of ${chain}`),
      ...filled
        .filter((metric, i) => filled.indexOf(metric) !== i)
        .map((metric) => `${place} takes ${metric} from two sources`),
    ];
  });
}

/** Returns the metrics of a chain that its main source gives: all that no other source fills in. */
export function mainMetricsOf(chain: Chain, { fill = [] }: PolicyChain): MetricName[] {
  const filled = fill.flatMap(({ metrics }) => metrics);
  return metricsOf(chain).filter((metric) => !filled.includes(metric));
}

/** Returns the rules of a chain: the defaults, with the changes of a policy. */
export function rulesOf(chain: Chain, changes: PolicyRules = {}): CollectionRules {
  const rules = DEFAULT_RULES[chain];
  const { blocks: [least, most] = rules.blocks, jump_factor = {}, cross = {} } = changes;
  return {
    ...rules,
    required: changes.required ?? rules.required,
    firstTryHours: changes.first_try_hours ?? rules.firstTryHours,
    deadlineHours: changes.deadline_hours ?? rules.deadlineHours,
    settlingDays: changes.settling_days ?? rules.settlingDays,
    tolerance: changes.tolerance ?? rules.tolerance,
    fillInDays: changes.fill_in_days ?? rules.fillInDays,
    shiftDates: changes.shift_dates ?? rules.shiftDates,
    frozen: changes.frozen ?? rules.frozen,
    blocks: [least, most],
    medianFactor: changes.median_factor ?? rules.medianFactor,
    jumpFactor: { ...rules.jumpFactor, ...jump_factor },
    cross: { ...rules.cross, ...cross },
  };
}

/** The kinds of sources that `--from` names. */
export const SOURCE_KINDS = ['aws', 'growthepie', 'files'] as const;

/** Returns the first date of a chain in the default policies: about when its blocks begin. */
function firstDateOf(chain: Chain): string {
  return chain === 'bitcoin' ? FIRST_DATE : EVM_CHAINS[chain].firstDate;
}

const CHAINS_OF: Readonly<Record<Exclude<(typeof SOURCE_KINDS)[number], 'files'>, readonly Chain[]>> = {
  aws: ['bitcoin', 'ethereum'],
  growthepie: ['arbitrum', 'base'],
};

/** Returns the policy that takes all chains of a source from it, with the default rules. */
export function defaultPolicy(kind: keyof typeof CHAINS_OF): SourcesPolicy {
  return policyOf(kind, { kind }, CHAINS_OF[kind]);
}

/** Returns the policy that takes chains from a folder of the operator, whose columns are those of the glossary. */
export function filesPolicy(folder: string, chains: readonly Chain[]): SourcesPolicy {
  const terms = { name: 'files of the operator', licence: 'own data', resale: 'yes' } as const;
  return policyOf('files', { kind: 'files', folder, ...terms }, chains);
}

function policyOf(name: string, source: PolicySource, chains: readonly Chain[]): SourcesPolicy {
  const entries = chains.map((chain) => [chain, { source: name, since: firstDateOf(chain) }]);
  return {
    schema: 'sources-policy/1',
    sources: { [name]: source },
    chains: Object.fromEntries(entries) as SourcesPolicy['chains'], // fromEntries loses the keys
  };
}

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
    name,
    licence,
    ...(attribution === null ? {} : { attribution }),
    ...(url === '' ? {} : { url }),
    ...(definitions.length === 0 ? {} : { notes: definitions.join(' ') }),
  };
}

/** A source of a chain, and the metrics that the chain takes from it. */
export type Part = { readonly source: Source; readonly metrics: readonly MetricName[] };

/** A source that a chain is compared with, and the metrics that both define in the same way. */
type CheckPart = { readonly source: Source; readonly same: readonly MetricName[] };

/** Sources and rules of a chain. */
export type ChainPlan = {
  readonly chain: Chain;
  /** The first part is the main source. No metric is in two parts. */
  readonly parts: readonly [Part, ...Part[]];
  readonly checks: readonly CheckPart[];
  readonly rules: CollectionRules;
  /** First date of an empty ledger. */
  readonly since: string;
  /** Last date to look at; the last one that is due if absent. */
  readonly until?: string;
};

/** The decisions of a person: values that the rules would withhold, and revisions that they would not take. */
export type Acceptances = {
  /** Returns whether a person accepts this value; without a value, whether they name a value of the date. */
  readonly accepts: (date: string, metric: MetricName, value?: string) => boolean;
  /** Public reason of accepted revisions. */
  readonly reason: string;
};

export const NOTHING_ACCEPTED: Acceptances = { accepts: () => false, reason: '' };
