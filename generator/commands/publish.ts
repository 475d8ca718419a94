import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { openStore } from '../../infra/store/open-store.js';
import type { ExitName } from '../core/generator-error.js';
import { formatInputFault } from '../core/input-fault.js';
import { exitOf, explainRefusal, toPublishReport, type PublishReport } from '../core/publish-report.js';
import { manifestOf } from '../core/release/published-state.js';
import type { Acceptance } from '../core/release/plan-types.js';
import { readInputDirectory } from '../io/input-directory.js';
import { assertNotAhead, preparePlan, type PreparedPlan } from '../io/prepare-plan.js';
import { publishRelease } from '../io/publish-release.js';
import type { CommandContext } from './context.js';
import { formatTable } from './format-table.js';

/** Most faults that are shown of one run. */
const FAULTS_SHOWN = 20;

/** The options of `publish` and `plan`. */
export type PublishOptions = {
  readonly input: string;
  readonly store: string;
  readonly asOfMs: number;
  readonly chains?: readonly Chain[];
  readonly existing: boolean;
  readonly full: boolean;
  readonly allOrNothing: boolean;
  readonly acceptance?: Acceptance;
  readonly json: boolean;
  readonly quiet: boolean;
};

/** Computes regimes from the input and publishes them as one release. */
export async function runPublish(options: PublishOptions, context: CommandContext): Promise<ExitName> {
  const store = openStore(options.store);
  const prepared = await prepare(store, options, context);
  return report(prepared, await publishRelease(store, prepared, context), options, context);
}

/** Says what `publish` would do, and writes nothing. */
export async function runPlan(options: PublishOptions, context: CommandContext): Promise<ExitName> {
  const prepared = await prepare(openStore(options.store), options, context);
  return report(prepared, undefined, options, context);
}

async function prepare(
  store: ObjectStore,
  options: PublishOptions,
  { now, progress, signal }: CommandContext,
): Promise<PreparedPlan> {
  const { input: folder, chains, asOfMs, existing, full, allOrNothing, acceptance } = options;
  assertNotAhead(asOfMs, now());
  progress.begin('input');
  const input = await readInputDirectory({ folder, asOfMs, ...(chains ? { chains } : {}) });
  progress.end(`${input.series.length} chains, ${input.faults.length} faults`);
  signal.throwIfAborted();
  const terms = { store, input, asOfMs, existing, full, allOrNothing, progress };
  return preparePlan(acceptance ? { ...terms, acceptance } : terms);
}

function report(
  { plan, input, start }: PreparedPlan,
  written: PublishReport['written'] | undefined,
  options: PublishOptions,
  context: CommandContext,
): ExitName {
  const { faults, invalid } = input;
  const release = plan.release?.record ?? start.state?.record;
  const result = toPublishReport({
    plan,
    faults,
    invalid,
    release,
    written: written ?? { objects: 0, bytes: 0 },
    dryRun: written === undefined,
    listed: (chain) => manifestOf(start.state, 'meta', chain)?.dates.length ?? 0,
  });
  for (const fault of faults.slice(0, FAULTS_SHOWN)) context.warn(formatInputFault(fault));
  if (faults.length > FAULTS_SHOWN) context.warn(`... and ${faults.length - FAULTS_SHOWN} more faults`);
  if (faults.length > 0) context.warn(`input invalid: ${othersWentOn(result)}`);
  for (const chain of CHAIN_IDS) {
    const refusal = plan.chains[chain]?.refusal;
    if (refusal) explainRefusal(chain, refusal, result.plan_digest).forEach(context.warn);
  }
  if (plan.methodologyChanged) {
    context.warn(
      'refused: the methodology data differs from the published one under the same version; give it a new version',
    );
  }
  if (options.json) context.print(JSON.stringify(result, null, 2));
  else if (!options.quiet) context.print(formatReport(result));
  return exitOf(result);
}

function othersWentOn({ chains, outcome }: PublishReport): string {
  const invalid = CHAIN_IDS.filter((chain) => chains[chain]?.outcome === 'invalid');
  const names =
    invalid.length === 0
      ? 'the faulty files were ignored'
      : `${invalid.join(', ')} kept their published state`;
  return `${names}; ${outcome === 'partial' ? 'the other chains went on' : 'nothing was published'}`;
}

function formatReport(result: PublishReport): string {
  const rows = CHAIN_IDS.flatMap((chain) => {
    const each = result.chains[chain];
    if (each === undefined) return [];
    return [[chain, each.outcome, each.updated_through ?? '-', each.new, each.restated, each.unchanged]];
  });
  const release =
    result.revision === null ? 'no release' : `${result.revision} (sequence ${result.sequence ?? 0})`;
  const table = formatTable(['chain', 'outcome', 'through', 'new', 'restated', 'unchanged'], rows);
  const { objects, bytes } = result.written;
  const end = `${objects} objects written, ${(bytes / 1e6).toFixed(1)} MB`;
  const outcome = result.dry_run ? `would be ${result.outcome} (nothing was written)` : result.outcome;
  return `${outcome}: ${release}\n${table}\n${end}`;
}
