import { plural } from '../../schemas/words.js';
import { Option, type Command } from 'commander';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain, ChainHolds, ReleaseRecord } from '../../schemas/types.generated.js';
import { formatTable } from '../../infra/process/format-table.js';
import { GeneratorError, type ExitName } from '../core/generator-error.js';
import { nextHeld, NOTHING_HELD, unholdWords, type Held } from '../core/release/held.js';
import { publishRelease } from '../publish/publish-release.js';
import type { Written } from '../publish/refresh-copies.js';
import {
  prepareHold,
  prepareRollback,
  type PrepareReleaseOptions,
  type PreparedRelease,
} from '../publish/prepare-rollback.js';
import { assertNotAhead, machineClock } from '../state/trusted-clock.js';
import {
  addGeneratorCommand,
  asOfOption,
  asOfOrNow,
  chainsOption,
  type CommandContext,
  type CommandHost,
  type CommonOptions,
  parseRevision,
  reasonOption,
  storeOption,
} from './common/options.js';
import { formatCommand } from './common/next-command.js';

type OperatorOptions = CommonOptions & {
  readonly store: string;
  readonly asOf?: number;
  readonly chain?: readonly Chain[];
};
type ReasonedOptions = OperatorOptions & { readonly reason: string };

/** Adds `rollback`, which publishes a release with the days of an earlier one, and holds publication. */
export function addRollback(program: Command, host: CommandHost): void {
  addGeneratorCommand(program, {
    name: 'rollback',
    description: 'Publish a release with the days of an earlier one, and hold publication.',
    options: [
      new Option('--to <revision>', 'release whose days to put back in force')
        .argParser(parseRevision)
        .makeOptionMandatory(),
      reasonOption(),
      storeOption(),
      asOfOption(),
      chainsOption('--chain', 'roll back and hold only this chain; repeatable (default: all chains)'),
    ],
    example: 'generator rollback --to 2026-08-19.000001 --reason "bad input" --store file:./data/store',
  }).action((options: ReasonedOptions & { readonly to: string }) =>
    host.run('rollback', options, async (context) => {
      const target = await openTarget(options, context);
      const { to, reason, chain: chains } = options;
      const prepared = await prepareRollback(target, { to, reason, ...(chains ? { chains } : {}) });
      return finish(prepared, target, 'rolled-back', context);
    }),
  );
}

/** Adds `hold`, which makes `publish` refuse until `unhold`. */
export function addHold(program: Command, host: CommandHost): void {
  addGeneratorCommand(program, {
    name: 'hold',
    description: 'Hold publication of the store (publish exits 9) or of chains, until unhold.',
    options: [
      reasonOption(),
      storeOption(),
      asOfOption(),
      chainsOption('--chain', 'hold only this chain; repeatable (default: the whole store)'),
    ],
    example: 'generator hold --reason "input under review" --store file:./data/store',
  }).action((options: ReasonedOptions) =>
    host.run('hold', options, async (context) => {
      const target = await openTarget(options, context);
      const { reason, chain: chains } = options;
      const prepared = await prepareHold(target, (held) => nextHeld(held, reason, chains));
      return finish(prepared, target, 'held', context);
    }),
  );
}

/** Adds `unhold`, which lets publication continue. */
export function addUnhold(program: Command, host: CommandHost): void {
  addGeneratorCommand(program, {
    name: 'unhold',
    description: 'End a hold set by hold or rollback, so that publication continues.',
    options: [
      storeOption(),
      asOfOption(),
      chainsOption('--chain', 'end only the hold of this chain; repeatable (default: the hold of the store)'),
      new Option('--all', 'end every hold, of the store and of each chain').conflicts('chain'),
    ],
    example: 'generator unhold --store file:./data/store',
  }).action((options: OperatorOptions & { readonly all?: boolean }) =>
    host.run('unhold', options, async (context) => {
      const target = await openTarget(options, context);
      const prepared = await prepareHold(target, (held) => endHolds(held, options));
      return finish(prepared, target, 'released', context);
    }),
  );
}

/** Returns what is on hold after an unhold. @throws GeneratorError 'usage' if no chain is named and only chains are on hold. */
function endHolds(current: Held, { chain, all, store }: OperatorOptions & { readonly all?: boolean }): Held {
  if (all === true) return NOTHING_HELD;
  const held = CHAIN_IDS.filter((each) => current.holds?.[each] !== undefined);
  if (chain === undefined && current.hold === null && held.length > 0) {
    const reasons = held.map((each) => `${each} (${current.holds?.[each] ?? ''})`).join(', ');
    throw new GeneratorError(
      'usage',
      `The store is not on hold, only ${reasons}. Nothing was changed. To end ${plural(held.length, 'that hold', 'those holds')}:`,
      { next: unholdWords(store, held) },
    );
  }
  return nextHeld(current, null, chain);
}

async function openTarget(options: OperatorOptions, context: CommandContext): Promise<PrepareReleaseOptions> {
  const asOfMs = asOfOrNow(options.asOf, context.now);
  assertNotAhead(asOfMs, machineClock(context.now));
  const { progress, signal } = context;
  return { store: await context.openStore(options.store), asOfMs, progress, signal };
}

/** The document of `--json`. */
type OperatorReport = {
  readonly outcome: 'rolled-back' | 'held' | 'released' | 'unchanged';
  readonly revision: string;
  readonly sequence: number;
  readonly published_at: string;
  readonly hold: string | null;
  /** The chains on hold, with their reasons. */
  readonly holds: ChainHolds;
  readonly changes: ReleaseRecord['changes'];
  readonly written: Written;
};

/** What was on hold before. */
type Before = Pick<OperatorReport, 'hold' | 'holds'>;

async function finish(
  prepared: PreparedRelease,
  { store }: PrepareReleaseOptions,
  outcome: OperatorReport['outcome'],
  context: CommandContext,
): Promise<ExitName> {
  const signing = await context.openSigning(store);
  const written = await publishRelease(store, prepared, { ...context, signing });
  const record = prepared.release?.record ?? prepared.start.state.record;
  const { revision, sequence, published_at, hold, holds = {}, changes } = record;
  const result = prepared.release === undefined ? 'unchanged' : outcome;
  const { hold: earlierHold, holds: earlier = {} } = prepared.start.state.record;
  if (earlierHold !== null && hold !== null && earlierHold !== hold) {
    context.warn(`This replaces the hold "${earlierHold}". One unhold ends both.`);
  }
  for (const chain of CHAIN_IDS) {
    const [before, now] = [earlier[chain], holds[chain]];
    if (before !== undefined && now !== undefined && before !== now)
      context.warn(`This replaces the hold "${before}" of ${chain}. One unhold ends both.`);
  }
  const report: OperatorReport = {
    outcome: result,
    revision,
    sequence,
    published_at,
    hold,
    holds,
    changes,
    written,
  };
  const unhold = (chains?: readonly Chain[]): string =>
    formatCommand(context.commandLine, unholdWords(store.address, chains));
  context.show(report, formatReport(report, { hold: earlierHold, holds: earlier }, unhold));
  return 'done';
}

function formatReport(
  { outcome, revision, sequence, hold, holds, changes }: OperatorReport,
  before: Before,
  unhold: (chains?: readonly Chain[]) => string,
): string {
  const rows = CHAIN_IDS.flatMap((chain) => {
    const each = outcome === 'rolled-back' ? changes.chains[chain] : undefined;
    if (each === undefined) return [];
    return [[chain, each.updated_through, each.restated?.days ?? 0, each.withdrawn?.days ?? 0]];
  });
  const lines = [`${outcome}: ${revision} (sequence ${sequence})`];
  if (rows.length > 0) lines.push(formatTable(['chain', 'through', 'older bytes', 'withdrawn'], rows));
  const ended = before.hold === null ? '' : `; it was held: ${before.hold}`;
  const verb = outcome === 'released' ? 'stays on hold' : 'is held';
  lines.push(
    hold === null
      ? `publication continues${ended}`
      : `publication is held: ${hold}; to end that: ${unhold()}`,
    ...CHAIN_IDS.flatMap((chain) => {
      const [was, is] = [before.holds[chain], holds[chain]];
      if (is !== undefined) return [`${chain} ${verb}: ${is}; to end that: ${unhold([chain])}`];
      return was === undefined ? [] : [`${chain} continues; it was held: ${was}`];
    }),
  );
  return lines.join('\n');
}
