import type { Command } from 'commander';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';
import type { ExitName } from '../core/generator-error.js';
import type { Written } from '../io/release-writing.js';
import { assertNotAhead } from '../io/prepare-plan.js';
import {
  prepareHold,
  prepareRollback,
  type OperatorTerms,
  type PreparedRelease,
} from '../io/prepare-rollback.js';
import { publishRelease } from '../io/publish-release.js';
import type { CommandContext, CommandHost, CommonOptions } from './context.js';
import { formatTable } from './format-table.js';
import { addStoreCommand, asOfOrNow, example, parseRevision, withAsOf, withReason } from './options.js';

type OperatorOptions = CommonOptions & { readonly store: string; readonly asOf?: number };
type ReasonedOptions = OperatorOptions & { readonly reason: string };

/** Adds `rollback`: publishes a release in which an earlier one's days are in force again, and holds. */
export function addRollback(program: Command, host: CommandHost): void {
  const description = "Publish a release that puts an earlier one's days in force again, and hold.";
  withAsOf(withReason(addStoreCommand(program, 'rollback', description)))
    .requiredOption('--to <revision>', 'the release whose days shall be in force again', parseRevision)
    .addHelpText(
      'after',
      example('generator rollback --to 2026-08-19.000001 --reason "bad input" --store file:./data/store'),
    )
    .action((options: ReasonedOptions & { readonly to: string }) =>
      host.run('rollback', options, async (context) => {
        const terms = await toTerms(options, context);
        const prepared = await prepareRollback(terms, options.to, options.reason);
        return finish(prepared, terms, 'rolled-back', context);
      }),
    );
}

/** Adds `hold`: `publish` refuses until `unhold`. */
export function addHold(program: Command, host: CommandHost): void {
  withAsOf(withReason(addStoreCommand(program, 'hold', 'Hold publication: publish exits 9 until unhold.')))
    .addHelpText('after', example('generator hold --reason "input under review" --store file:./data/store'))
    .action((options: ReasonedOptions) =>
      host.run('hold', options, async (context) => {
        const terms = await toTerms(options, context);
        return finish(await prepareHold(terms, options.reason), terms, 'held', context);
      }),
    );
}

/** Adds `unhold`: publication goes on. */
export function addUnhold(program: Command, host: CommandHost): void {
  withAsOf(addStoreCommand(program, 'unhold', 'Let publication go on after a hold or a rollback.'))
    .addHelpText('after', example('generator unhold --store file:./data/store'))
    .action((options: OperatorOptions) =>
      host.run('unhold', options, async (context) => {
        const terms = await toTerms(options, context);
        return finish(await prepareHold(terms, null), terms, 'released', context);
      }),
    );
}

async function toTerms(options: OperatorOptions, context: CommandContext): Promise<OperatorTerms> {
  const asOfMs = asOfOrNow(options.asOf, context.now);
  assertNotAhead(asOfMs, context.now());
  const { progress, signal } = context;
  return { store: await context.openStore(options.store), asOfMs, progress, signal };
}

/** What such a run did: the document of `--json`. */
type OperatorReport = {
  readonly outcome: 'rolled-back' | 'held' | 'released' | 'unchanged';
  readonly revision: string;
  readonly sequence: number;
  readonly published_at: string;
  readonly hold: string | null;
  readonly changes: ReleaseRecord['changes'];
  readonly written: Written;
};

async function finish(
  prepared: PreparedRelease,
  { store }: OperatorTerms,
  outcome: OperatorReport['outcome'],
  context: CommandContext,
): Promise<ExitName> {
  const written = await publishRelease(store, prepared, context);
  const record = prepared.release?.record ?? prepared.start.state.record;
  const { revision, sequence, published_at, hold, changes } = record;
  const done = prepared.release === undefined ? 'unchanged' : outcome;
  const { hold: before } = prepared.start.state.record;
  if (before !== null && hold !== null && before !== hold) {
    context.warn(`this takes the place of the hold "${before}"; one unhold ends both`);
  }
  const report: OperatorReport = { outcome: done, revision, sequence, published_at, hold, changes, written };
  context.show(report, formatReport(report));
  return 'done';
}

function formatReport({ outcome, revision, sequence, hold, changes }: OperatorReport): string {
  const rows = CHAIN_IDS.flatMap((chain) => {
    const each = outcome === 'rolled-back' ? changes.chains[chain] : undefined;
    if (each === undefined) return [];
    return [[chain, each.updated_through, each.restated?.days ?? 0, each.withdrawn?.days ?? 0]];
  });
  const lines = [`${outcome}: ${revision} (sequence ${sequence})`];
  if (rows.length > 0) lines.push(formatTable(['chain', 'through', 'older bytes', 'withdrawn'], rows));
  lines.push(
    hold === null ? 'publication goes on' : `publication is held: ${hold}; "generator unhold" ends that`,
  );
  return lines.join('\n');
}
