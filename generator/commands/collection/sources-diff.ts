import { writeFile } from 'node:fs/promises';
import { addDays, toDate } from '../../../schemas/dates.js';
import type { Chain, SourcesPolicy } from '../../../schemas/types.generated.js';
import { codeOf } from '../../../infra/store/system-error.js';
import { suggestedWord, suggestSimilar } from '../../../infra/process/choice.js';
import { diffSources } from '../../collect/inspect/diff-sources.js';
import { formatDiff } from '../../collect/inspect/sources-text.js';
import { drawRatioChart } from '../../core/charts/ratio-chart.js';
import { GeneratorError, type ExitName } from '../../core/generator-error.js';
import type { Source } from '../../sources/source.js';
import { loadSources, policyOf, sourceContext, withCache } from './collect.js';
import type { CommandContext, CommonOptions } from '../common/context.js';

const DAY_MS = 86_400_000;
/** Number of dates that are compared by default. */
const DATES = 60;

export type DiffOptions = CommonOptions & {
  readonly policy: string;
  readonly chain: readonly Chain[];
  readonly since?: string;
  readonly until?: string;
  readonly svg?: string;
  readonly cache?: string;
};

/** Compares two sources of a policy, shows the result, and writes the chart. */
export async function runDiff(
  a: string,
  b: string,
  options: DiffOptions,
  context: CommandContext,
): Promise<ExitName> {
  const policy = await policyOf(options, context);
  const [chain, ...others] = options.chain;
  if (chain === undefined || others.length > 0)
    throw new GeneratorError('usage', 'Name one chain with --chain.');
  const { until: last = toDate(Math.floor(context.now() / DAY_MS) - 1) } = options;
  const { since: first = addDays(last, 1 - DATES) } = options;
  if (first > last) throw new GeneratorError('usage', `There is no date from ${first} to ${last}.`);
  const metrics = await withCache(options.cache, async (cacheFolder) => {
    const paired = pairOf(policy, chain, a, b, first);
    const sources = await loadSources(paired, [chain], sourceContext(options, cacheFolder, context));
    context.progress.begin('collect');
    const found = await diffSources({
      ...{ chain, a: sourceOf(sources, a), b: sourceOf(sources, b), span: { first, last } },
      ...{ signal: context.signal, onDate: () => context.progress.advance() },
    });
    context.progress.end();
    return found;
  });
  if (options.svg !== undefined) {
    await writeChart(
      options.svg,
      drawRatioChart({ title: `${chain}: ${a} divided by ${b}`, lines: metrics }),
    );
  }
  const document = { schema: 'sources-diff/1', chain, a, b, since: first, until: last, metrics };
  context.show(document, [`${chain}, ${first} to ${last}`, formatDiff(metrics, { a, b })].join('\n'));
  return 'done';
}

/** Returns the policy with only the two sources. @throws GeneratorError 'usage' if it does not have them */
function pairOf(policy: SourcesPolicy, chain: Chain, a: string, b: string, since: string): SourcesPolicy {
  const names = Object.keys(policy.sources);
  for (const name of [a, b]) {
    if (names.includes(name)) continue;
    const similar = suggestSimilar(name, names);
    const right = suggestedWord(similar);
    throw new GeneratorError(
      'usage',
      `The policy has no source ${name}; it has ${names.join(', ')}.${similar}`,
      { next: right === undefined ? undefined : (args) => args.map((arg) => (arg === name ? right : arg)) },
    );
  }
  if (a === b) throw new GeneratorError('usage', 'Name two different sources.');
  const sources = Object.fromEntries(
    Object.entries(policy.sources).filter(([name]) => name === a || name === b),
  );
  return {
    ...policy,
    commercial: false,
    sources,
    chains: { [chain]: { source: a, since, check: [{ source: b }] } },
  };
}

function sourceOf(sources: ReadonlyMap<string, Source>, name: string): Source {
  const source = sources.get(name);
  if (source === undefined) throw new RangeError(`no source ${name}`);
  return source;
}

async function writeChart(file: string, svg: string): Promise<void> {
  await writeFile(file, svg).catch((error: unknown) => {
    const code = codeOf(error) ?? 'unknown';
    throw new GeneratorError('usage', `--svg ${file} cannot be written (${code}).`, { cause: error });
  });
}
