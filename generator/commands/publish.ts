import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain } from '../../schemas/types.generated.js';
import { openStore } from '../../infra/store/open-store.js';
import { GeneratorError, type ExitName } from '../core/generator-error.js';
import { formatInputFault } from '../core/input-fault.js';
import { exitOf, explainRefusal, toPublishReport, type PublishReport } from '../core/publish-report.js';
import type { Acceptance } from '../core/release/plan-types.js';
import { applyRelease } from '../io/apply-release.js';
import { preparePlan, type PreparedPlan } from '../io/prepare-plan.js';
import { refreshAliases } from '../io/refresh-aliases.js';
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
  const prepared = await prepare(options, context);
  const { plan, start } = prepared;
  let written = { objects: 0, bytes: 0 };
  let committed = false;
  try {
    if (plan.release !== undefined) {
      const { progress, signal, now } = context;
      const etag = start.pointer?.etag ?? null;
      written = await applyRelease({ store, release: plan.release, etag, now, progress, signal });
      committed = true;
    }
    const sequence = plan.release?.record.sequence ?? start.pointer?.value.sequence ?? 0;
    if (start.aliasSequence < sequence) {
      const refreshed = await refreshAliases(store, context.progress, context.signal);
      written = { objects: written.objects + refreshed.objects, bytes: written.bytes + refreshed.bytes };
    }
  } catch (error) {
    if (context.signal.aborted) throw interruptedError(committed, error);
    throw error;
  }
  return report(prepared, written, options, context);
}

/** Says what `publish` would do, and writes nothing. */
export async function runPlan(options: PublishOptions, context: CommandContext): Promise<ExitName> {
  return report(await prepare(options, context), { objects: 0, bytes: 0 }, options, context);
}

function prepare(options: PublishOptions, { now, progress }: CommandContext): Promise<PreparedPlan> {
  const { input: folder, asOfMs, existing, full, allOrNothing, acceptance, chains } = options;
  return preparePlan({
    store: openStore(options.store),
    folder,
    asOfMs,
    existing,
    full,
    allOrNothing,
    now,
    progress,
    ...(chains ? { chains } : {}),
    ...(acceptance ? { acceptance } : {}),
  });
}

function interruptedError(committed: boolean, cause: unknown): GeneratorError {
  const what = committed
    ? 'committed: the release is published, some public copies may lag; the next run refreshes them'
    : 'not committed: nothing visible has changed; run again';
  return new GeneratorError('interrupted', `interrupted: ${what}`, { cause });
}

function report(
  { plan, input, start }: PreparedPlan,
  written: PublishReport['written'],
  options: PublishOptions,
  context: CommandContext,
): ExitName {
  const { faults, invalid } = input;
  const release = plan.release?.record ?? start.state?.record;
  const result = toPublishReport({ plan, faults, invalid, release, written });
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
  return `${result.outcome}: ${release}\n${table}\n${objects} objects written, ${(bytes / 1e6).toFixed(1)} MB`;
}
