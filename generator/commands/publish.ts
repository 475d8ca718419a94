import { bytesWords, count } from '../../schemas/words.js';
import { readCollectedInput } from '../input/collected-ledgers.js';
import { type Command, Option } from 'commander';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { toInstant } from '../../schemas/dates.js';
import type { Chain } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { type ExitName, GeneratorError } from '../core/generator-error.js';
import { formatInputFault } from '../core/input/input-series.js';
import {
  absentFault,
  absentSiteFault,
  exitOf,
  explainHold,
  type ExplainOptions,
  explainRefusal,
  type PublishReport,
  type RefusalNote,
  toPublishReport,
  withoutFaults,
} from '../core/release/publish-report.js';
import { unholdWords } from '../core/release/held.js';
import { labelGapWords } from '../core/release/label-gap.js';
import { type Acceptance, listedDates, type Plan } from '../core/release/plan-types.js';
import { openInputFolder } from '../input/input-folder.js';
import { describeJump, type PreparedPlan, preparePlan } from '../publish/prepare-plan.js';
import { interruptedError, publishRelease, refreshPublished } from '../publish/publish-release.js';
import { readInput } from '../input/read-input.js';
import { assertSpaceForRelease } from '../state/disk-space.js';
import { assertNotAhead, machineClock } from '../state/trusted-clock.js';
import {
  REASON_PLACEHOLDER,
  formatAcceptCommand,
  formatAgain,
  formatCommand,
  toPortableArgs,
  warnOfInputFaults,
} from './common/next-command.js';
import {
  addGeneratorCommand,
  asOfOption,
  asOfOrNow,
  chainsOption,
  type CommandContext,
  type CommandHost,
  type CommonOptions,
  inputOption,
  parseDigest,
  parseReason,
  singleWriterOption,
  storeOption,
} from './common/options.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import {
  findRefusals,
  type JudgedRefusals,
  mergeRefusals,
  refusalDigest,
  sinceOf,
  stillWaiting,
  withoutNew,
} from '../core/release/refusal-record.js';
import { readRefusals, withWritableCommand, writeRefusals } from '../state/stored-refusals.js';
import { readProductTexts } from '../texts/product-texts.js';
import type { Paint } from '../../infra/process/paint.js';
import { formatTable } from '../../infra/process/format-table.js';
import { describeSourceChanges } from '../core/release/assemble-release.js';

type PublishOptions = CommonOptions & {
  readonly input: string;
  readonly store: string;
  readonly asOf?: number;
  readonly chain?: readonly Chain[];
  readonly existing?: boolean;
  readonly full?: boolean;
  readonly allOrNothing?: boolean;
  readonly requireAll?: boolean;
  readonly acceptRestatements?: string;
  readonly acceptCollected?: boolean;
  readonly plan?: string;
  readonly singleWriter?: boolean;
};

/** A plan, and whether its input is a collection. */
type PreparedInput = PreparedPlan & { readonly isCollected: boolean };

/** Exits after which the current release stays in force, so that its timestamp is renewed. */
const STAYS_PUBLISHED: readonly ExitName[] = ['held', 'refused', 'input-invalid'];

/** Adds `publish`, which computes regimes from the input and publishes them as one release. */
export function addPublish(program: Command, host: CommandHost): void {
  addGeneratorCommand(program, {
    name: 'publish',
    description: 'Publish the input as the next release. Unchanged input publishes nothing.',
    options: publishOptions(),
    example: 'generator publish --input ./metrics --store file:./data/store',
  }).action((options: PublishOptions) =>
    host.run('publish', options, async (context) => {
      const store = await context.openStore(options.store);
      const fail = (error: unknown): never => {
        throw context.signal.aborted ? interruptedError('not committed', error) : error;
      };
      const signing = await context.openSigning(store).catch(fail);
      const prepared = await prepare(store, options, context, { writesAhead: true }).catch(
        async (error: unknown) => {
          // A rollback that stopped after its commit may have left public copies of withdrawn days.
          if (error instanceof GeneratorError && STAYS_PUBLISHED.includes(error.exit))
            await refreshPublished(store, { ...context, signing });
          return fail(error);
        },
      );
      const { release } = prepared.plan;
      if (release !== undefined) await assertSpaceForRelease(store, release);
      const { singleWriter = false } = options;
      const written = await publishRelease(
        store,
        { ...prepared, release },
        { ...context, signing, singleWriter },
      );
      return report(store, prepared, written, options, context);
    }),
  );
}

/** Adds `plan`, which shows what `publish` would do. */
export function addPlan(program: Command, host: CommandHost): void {
  addGeneratorCommand(program, {
    name: 'plan',
    description: 'Show what publish would do, without writing anything.',
    options: publishOptions(),
    example: 'generator plan --input ./metrics --store file:./data/store --json',
  }).action((options: PublishOptions) =>
    host.run('plan', options, async (context) => {
      const store = await context.openStore(options.store);
      const prepared = await prepare(store, options, context, { writesAhead: false });
      return report(store, prepared, undefined, options, context);
    }),
  );
}

function publishOptions(): Option[] {
  return [
    inputOption().makeOptionMandatory(),
    storeOption(),
    asOfOption(),
    chainsOption('--chain', 'publish only this chain; repeatable (default: all chains in the input)'),
    new Option('--existing', 'fail if there is no store yet; for scheduled runs'),
    new Option('--full', 'rebuild and compare the whole history, regardless of its digests'),
    new Option('--all-or-nothing', 'publish nothing if any chain is refused or invalid'),
    new Option('--require-all', 'exit 3 if the input lacks a published chain; for scheduled runs'),
    new Option(
      '--accept-restatements <reason>',
      'publish changed history, with this public reason',
    ).argParser(parseReason),
    new Option(
      '--accept-collected',
      'publish the changes of published dates that the collection recorded, and no other',
    ).conflicts('acceptRestatements'),
    new Option('--plan <digest>', 'accept only the restatements of the plan with this digest').argParser(
      parseDigest,
    ),
    singleWriterOption(),
  ];
}

async function prepare(
  store: ObjectStore,
  options: PublishOptions,
  { now, progress, signal, warn, openStore }: CommandContext,
  { writesAhead }: { readonly writesAhead: boolean },
): Promise<PreparedInput> {
  const { chain: chains, existing = false, full = false, allOrNothing = false, requireAll = false } = options;
  const acceptance = toAcceptance(options);
  const asOfMs = asOfOrNow(options.asOf, now);
  assertNotAhead(asOfMs, machineClock(now));
  progress.begin('input');
  const folder = await openInputFolder(options.input, openStore);
  const input = await readInput({ folder, asOfMs, ...(chains ? { chains } : {}) });
  progress.end(`${count(input.series.length, 'chain')}, ${count(input.faults.length, 'fault')}`);
  const collected = await readCollectedInput(folder, options);
  signal.throwIfAborted();
  const prepared = await preparePlan({
    store,
    input,
    asOfMs,
    now,
    existing,
    full,
    allOrNothing,
    requireAll,
    singleWriter: options.singleWriter === true,
    progress,
    signal,
    writesAhead,
    ...(chains ? { chains } : {}),
    ...acceptance,
    ...collected,
  });
  signal.throwIfAborted();
  // Nothing else notices a clock that is ahead: the operator typed no time, and the store has no clock to compare with.
  const isUnchecked = options.asOf === undefined && store.now?.() === undefined;
  const jump = describeJump(prepared.start.state?.record, asOfMs);
  if (isUnchecked && jump !== undefined && prepared.plan.release !== undefined) warn(jump);
  return { ...prepared, isCollected: folder.collection?.() !== undefined };
}

function toAcceptance({ acceptRestatements: reason, plan }: PublishOptions): {
  readonly acceptance?: Acceptance;
} {
  if (reason === undefined && plan !== undefined) {
    throw new GeneratorError('usage', '--plan needs --accept-restatements "<reason>".', {
      next: (args) => [...args, '--accept-restatements', REASON_PLACEHOLDER],
    });
  }
  if (reason === undefined) return {};
  return { acceptance: { reason, ...(plan === undefined ? {} : { planDigest: plan }) } };
}

async function report(
  store: ObjectStore,
  prepared: PreparedInput,
  written: PublishReport['written'] | undefined,
  { acceptRestatements: reason, asOf }: PublishOptions,
  context: CommandContext,
): Promise<ExitName> {
  const { plan, input, heldFaults, absent, start } = prepared;
  const { faults, invalid } = input;
  const refusals = await recordRefusals(store, prepared, {
    at: toInstant(asOfOrNow(asOf, context.now)),
    args: toPortableArgs(context.commandLine.args),
    dryRun: written === undefined,
    warn: context.warn,
  });
  const release = plan.release?.record ?? start.state?.record;
  const result = toPublishReport({
    plan,
    faults,
    heldFaults,
    invalid,
    absent,
    release,
    written: written ?? { objects: 0, bytes: 0 },
    dryRun: written === undefined,
    refusals,
    listed: (chain) => listedDates(start.state, chain),
  });
  warnOfInputFaults([...faults, ...heldFaults], context.warn);
  // With --require-all, the faults name the absent chains already.
  for (const chain of withoutFaults(absent, [...faults, ...heldFaults])) {
    const remedy = 'put the file back, or select the other chains with --chain';
    context.warn(formatInputFault(absentFault(chain, start.state?.record, remedy)));
  }
  const siteFault = absentSiteFault(start.state?.record, input.site);
  if (siteFault !== undefined) context.warn(formatInputFault(siteFault));
  const again = formatAgain(context.commandLine);
  if (faults.length > 0)
    context.warn(`input invalid: ${describeConsequences(result)}\nFix the input and run again:\n  ${again}`);
  const accept = formatAcceptCommand(context.commandLine, result.plan_digest ?? '', reason);
  for (const chain of CHAIN_IDS) {
    const hold = result.chains[chain]?.hold;
    const unhold = formatCommand(context.commandLine, unholdWords(store.address, [chain]));
    if (hold !== undefined) context.warn(explainHold(chain, hold, unhold));
  }
  const commands = { acceptCommand: accept, againCommand: again };
  warnOfRefusals(plan, refusals, { ...commands, isCollected: prepared.isCollected }, context.warn);
  context.show(result, formatReport(result, context.paint));
  return exitOf(result);
}

/** Writes why chains were refused, and since when if an earlier run refused the same. */
function warnOfRefusals(
  plan: Plan,
  { known }: RefusalNote,
  options: ExplainOptions,
  warn: (text: string) => void,
): void {
  for (const { chain, since } of known) warn(`${chain ?? 'methodology'}: the same refusal as at ${since}`);
  for (const chain of CHAIN_IDS) {
    const refusal = plan.chains[chain]?.refusal;
    if (refusal) explainRefusal(chain, refusal, options).forEach(warn);
  }
  if (plan.methodologyChanged) {
    warn(
      'refused: the methodology data differs from the published data of the same version. Give it a new version.',
    );
  }
}

/** Options for `recordRefusals`. */
type RecordOptions = {
  /** Time of the run. */
  readonly at: string;
  /** Arguments of the run. */
  readonly args: readonly string[];
  /** True to compare without writing. */
  readonly dryRun: boolean;
  /** Writes a line of diagnostics. */
  readonly warn: (text: string) => void;
};

/**
 * Compares what a plan refuses with the record in the store, and updates the record. It is best effort: a record that
 * cannot be read or written is a warning, and the run ends as it would without it. A run with faults in its input exits
 * 3, not 5, so it does not record what it refuses for the first time.
 */
export async function recordRefusals(
  store: ObjectStore,
  { plan, input, start: { state } }: PreparedPlan,
  { at, args, dryRun, warn }: RecordOptions,
): Promise<RefusalNote> {
  if (state === undefined) return { digest: null, sameAsBefore: false, known: [] };
  const { record } = state;
  const judged = findRefusals({ plan, inputs: input.series, record, texts: await readProductTexts(), args });
  try {
    const { refused: recorded, etag } = await readRefusals(store);
    const before = stillWaiting(recorded, record);
    const refused = mergeRefusals(before, judged, at).map(withWritableCommand);
    const recordable = input.faults.length === 0 ? refused : withoutNew(before, judged);
    const isChanged = canonicalJson(recordable) !== canonicalJson(recorded);
    if (isChanged && !dryRun) await writeRefusals(store, recordable, etag).catch(warnOfFailure);
    const digest = judged.found.length === 0 ? null : refusalDigest(refused); // also of those that are not recorded
    const known = judged.found.flatMap((each) => {
      const since = sinceOf(before, each);
      return since === undefined ? [] : [{ chain: each.chain, since }];
    });
    return { digest, sameAsBefore: known.length > 0 && known.length === judged.found.length, known };
  } catch (error) {
    warnOfFailure(error);
    return withoutRecord(judged, at);
  }

  function warnOfFailure(error: unknown): void {
    const cause = error instanceof Error ? error.message : String(error);
    warn(
      judged.found.length === 0
        ? `The record of earlier refusals was not updated, so status may still show them: ${cause}`
        : `The record of refusals was not updated, so the next run may report a refusal as new: ${cause}`,
    );
  }
}

/** Returns the note of a run that could not read the record. */
function withoutRecord(judged: JudgedRefusals, at: string): RefusalNote {
  const digest = judged.found.length === 0 ? null : refusalDigest(mergeRefusals([], judged, at));
  return { digest, sameAsBefore: false, known: [] };
}

/** Describes what the faults of the input mean for the chains. */
function describeConsequences({ chains, outcome, dry_run: isPlan }: PublishReport): string {
  const invalid = CHAIN_IDS.filter((chain) => /^(invalid|absent)$/.test(chains[chain]?.outcome ?? ''));
  const kept =
    invalid.length === 0
      ? 'the faulty files were ignored'
      : `the published state of ${invalid.join(', ')} was kept`;
  if (outcome !== 'partial') return `${kept}; nothing was published`;
  return `${kept}; the other chains ${isPlan ? 'would be' : 'were'} published`;
}

/** Formats the outcome of publish or plan for a person. */
function formatReport(result: PublishReport, paint: Paint): string {
  const rows = CHAIN_IDS.flatMap((chain) => {
    const each = result.chains[chain];
    if (each === undefined) return [];
    const outcome = each.outcome === 'absent' ? 'absent from the input' : each.outcome;
    return [[chain, paint(outcome), each.updated_through ?? '-', each.new, each.restated, each.unchanged]];
  });
  const release =
    result.revision === null ? 'no release' : `${result.revision} (sequence ${result.sequence ?? 0})`;
  const table = formatTable(['chain', 'outcome', 'through', 'new', 'restated', 'unchanged'], rows);
  const { objects, bytes } = result.written;
  const sources = CHAIN_IDS.flatMap((chain) => {
    const changes = result.chains[chain]?.sources_changed;
    return changes === undefined ? [] : [`${chain}: ${describeSourceChanges(changes)}`];
  });
  const gaps = CHAIN_IDS.flatMap((chain) => {
    const gap = result.chains[chain]?.label_gap;
    return gap === undefined ? [] : [labelGapWords(chain, gap)];
  });
  const rowless = CHAIN_IDS.flatMap((chain) => {
    const { new: dates = 0, new_without_row: without = 0 } = result.chains[chain] ?? {};
    return without === 0 ? [] : [`${chain}: ${without} of the ${dates} new dates have no row in the input`];
  });
  const end = `${count(objects, 'object')} written, including public copies, ${bytesWords(bytes)}`;
  const outcome = result.dry_run ? `would be ${result.outcome} (nothing was written)` : result.outcome;
  return [`${outcome}: ${release}`, table, ...rowless, ...gaps, ...sources, end].join('\n');
}
