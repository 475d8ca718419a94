import { Option, type Command } from 'commander';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError, type ExitName } from '../core/generator-error.js';
import { formatInputFault } from '../core/input-fault.js';
import { exitOf, explainRefusal, toPublishReport, type PublishReport } from '../core/publish-report.js';
import { manifestOf } from '../core/release/published-state.js';
import type { Acceptance } from '../core/release/plan-types.js';
import { openInputFolder } from '../io/input-folder.js';
import { assertNotAhead, preparePlan, type PreparedPlan } from '../io/prepare-plan.js';
import { interruptedError, publishRelease, refreshLagging } from '../io/publish-release.js';
import { readInput } from '../io/read-input.js';
import type { CommandContext, CommandHost, CommonOptions } from './context.js';
import { formatTable } from './format-table.js';
import {
  addStoreCommand,
  asOfOrNow,
  example,
  INPUT_MEANING,
  parseDigest,
  parseReason,
  withAsOf,
  withChains,
} from './options.js';

/** Most faults that are shown of one run. */
const FAULTS_SHOWN = 20;

type PublishOptions = CommonOptions & {
  readonly input: string;
  readonly store: string;
  readonly asOf?: number;
  readonly chain?: readonly Chain[];
  readonly existing?: boolean;
  readonly full?: boolean;
  readonly allOrNothing?: boolean;
  readonly acceptRestatements?: string;
  readonly plan?: string;
};

/** Adds `publish`: computes regimes from the input and publishes them as one release. */
export function addPublish(program: Command, host: CommandHost): void {
  const description = 'Publish the input as the next release; unchanged input publishes nothing.';
  withPublishOptions(addStoreCommand(program, 'publish', description))
    .addHelpText('after', example('generator publish --input ./metrics --store file:./data/store'))
    .action((options: PublishOptions) =>
      host.run('publish', options, async (context) => {
        const store = await context.openStore(options.store);
        const prepared = await prepare(store, options, context, { writesAhead: true }).catch(
          async (error: unknown) => {
            if (context.signal.aborted) throw interruptedError('not committed', error);
            // A rollback that was cut off after its commit left copies of what it withdrew.
            if (error instanceof GeneratorError && error.exit === 'held')
              await refreshLagging(store, context);
            throw error;
          },
        );
        const { release } = prepared.plan;
        const written = await publishRelease(store, { ...prepared, release }, context);
        return report(prepared, written, context);
      }),
    );
}

/** Adds `plan`: says what `publish` would do, and writes nothing. */
export function addPlan(program: Command, host: CommandHost): void {
  withPublishOptions(addStoreCommand(program, 'plan', 'Say what publish would do, and write nothing.'))
    .addHelpText('after', example('generator plan --input ./metrics --store file:./data/store --json'))
    .action((options: PublishOptions) =>
      host.run('plan', options, async (context) => {
        const prepared = await prepare(await context.openStore(options.store), options, context, {
          writesAhead: false,
        });
        return report(prepared, undefined, context);
      }),
    );
}

function withPublishOptions(command: Command): Command {
  command.requiredOption('--input <dir>', INPUT_MEANING);
  withAsOf(command);
  return withChains(command)
    .option('--existing', 'refuse to create a store: for schedules')
    .option('--full', 'rebuild and compare all history, whatever its digests say')
    .option('--all-or-nothing', 'publish nothing when any chain is refused or invalid')
    .option('--accept-restatements <reason>', 'publish changed history, with this public reason', parseReason)
    .addOption(
      new Option(
        '--plan <digest>',
        'accept only the restatements that were shown with this digest',
      ).argParser(parseDigest),
    );
}

async function prepare(
  store: ObjectStore,
  options: PublishOptions,
  { now, progress, signal, openStore }: CommandContext,
  { writesAhead }: { readonly writesAhead: boolean },
): Promise<PreparedPlan> {
  const { chain: chains, existing = false, full = false, allOrNothing = false } = options;
  const acceptance = toAcceptance(options);
  const asOfMs = asOfOrNow(options.asOf, now);
  assertNotAhead(asOfMs, now());
  progress.begin('input');
  const folder = await openInputFolder(options.input, openStore);
  const input = await readInput({ folder, asOfMs, ...(chains ? { chains } : {}) });
  progress.end(`${input.series.length} chains, ${input.faults.length} faults`);
  signal.throwIfAborted();
  const terms = { store, input, asOfMs, existing, full, allOrNothing, progress, signal };
  const prepared = await preparePlan({
    ...terms,
    ...(acceptance ? { acceptance } : {}),
    ...(writesAhead ? { writeAhead: { now } } : {}),
  });
  signal.throwIfAborted();
  return prepared;
}

function toAcceptance({ acceptRestatements: reason, plan }: PublishOptions): Acceptance | undefined {
  if (reason === undefined && plan !== undefined) {
    throw new GeneratorError('usage', '--plan goes with --accept-restatements "<reason>"');
  }
  return reason === undefined ? undefined : { reason, ...(plan === undefined ? {} : { planDigest: plan }) };
}

function report(
  { plan, input, start }: PreparedPlan,
  written: PublishReport['written'] | undefined,
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
  context.show(result, formatReport(result));
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
