import type { Command } from 'commander';
import type { ManualGrant } from '../../schemas/types.generated.js';
import { toPriceBook, type BillingSettings } from '../core/billing/billing-settings.js';
import { DRIFT_CAUSES } from '../core/billing/drift.js';
import { secretsOf, type Configuration } from '../core/configuration.js';
import { OperatorError, type ExitName } from '../core/exit-codes.js';
import { createBillingDesk } from '../io/billing/billing-desk.js';
import type { DeskAlert } from '../io/billing/event-taker.js';
import { listManualGrants } from '../io/billing/manual-grants.js';
import { reconcile, type ReconciledDrift } from '../io/billing/reconcile.js';
import { openAccountsStore } from '../io/accounts-store.js';
import { readConfiguration } from '../io/environment.js';
import type { CommandContext, CommandHost, CommonOptions } from './context.js';
import { formatTable } from './format-table.js';
import { example, exitCodeHelp } from './options.js';

type ReconcileOptions = CommonOptions & { readonly apply?: boolean };

/** Adds `reconcile`: compares what is recorded of subscriptions with Stripe, and puts it right with --apply. */
export function addReconcile(program: Command, host: CommandHost): void {
  program
    .command('reconcile')
    .description('Compare what accounts have bought with Stripe; with --apply, put the records right.')
    .option('--apply', 'write what Stripe says, instead of telling the differences alone')
    .option('--json', 'print exactly one JSON document on stdout')
    .addHelpText('after', exitCodeHelp())
    .addHelpText('after', '\nIt takes the environment of "gateway serve". Run it once a day.')
    .addHelpText('after', example('gateway reconcile --apply'))
    .action((options: ReconcileOptions) => host.run(options, (context) => runReconcile(options, context)));
}

async function runReconcile({ apply = false }: ReconcileOptions, context: CommandContext): Promise<ExitName> {
  const { configuration, settings } = await readSelling(context);
  const { now, random, serving, signal, warn } = context;
  const store = await openAccountsStore(configuration.accountsStore.address, {
    s3: configuration.s3,
    signal,
  });
  const billing = serving.openBilling(settings, {
    now,
    onError: (error) => warn(`Stripe: ${String(error)}`),
  });
  const book = toPriceBook(settings, configuration.keyMode);
  const onAlert = ({ what, id }: DeskAlert): void =>
    warn(`somebody must look at this at Stripe: ${what} ${id}`);
  const desk = apply ? createBillingDesk({ store, billing, book, random, now, onAlert }) : undefined;
  const drifts: ReconciledDrift[] = [];
  try {
    for await (const drift of reconcile({ store, billing, book, desk })) drifts.push(drift);
    const manual = await listManualGrants(store, now());
    const outcome = outcomeOf(drifts);
    context.show({ outcome, applied: apply, drifts, manual }, format(drifts, manual));
    return EXITS[outcome];
  } catch (error) {
    // What was found, and written, is told before the failure is.
    if (drifts.length > 0) {
      context.show({ outcome: 'incomplete', applied: apply, drifts, manual: [] }, format(drifts, []));
    }
    throw error;
  }
}

const EXITS = {
  'in-step': 'done',
  drift: 'found',
  incomplete: 'billing-unavailable',
} as const satisfies Record<string, ExitName>;

function outcomeOf(drifts: readonly ReconciledDrift[]): keyof typeof EXITS {
  if (drifts.some(({ cause }) => cause === 'stripe-unreadable')) return 'incomplete';
  return drifts.some(({ written }) => !written) ? 'drift' : 'in-step';
}

/** The configuration, where it says how things are sold. @throws OperatorError 'usage' */
export async function readSelling({
  env,
  hide,
}: CommandContext): Promise<{ readonly configuration: Configuration; readonly settings: BillingSettings }> {
  const judged = await readConfiguration(env);
  if ('faults' in judged) {
    throw new OperatorError('usage', `the configuration has faults:\n  ${judged.faults.join('\n  ')}`);
  }
  const { configuration } = judged;
  hide(secretsOf(configuration));
  if (configuration.billing === undefined) {
    throw new OperatorError('usage', 'nothing is sold here: CRD_STRIPE_SECRET_KEY is not set');
  }
  return { configuration, settings: configuration.billing };
}

type Listed = ManualGrant & { readonly account: string };

function format(drifts: readonly ReconciledDrift[], manual: readonly Listed[]): string {
  const rows = drifts.map(({ account, subscription, cause, has, should, written }) => [
    account ?? '-',
    subscription ?? '-',
    cause,
    has ?? '-',
    should ?? '-',
    written ? 'written' : DRIFT_CAUSES[cause].mends ? 'would be written' : 'look at it',
  ]);
  const causes = [...new Set(drifts.map(({ cause }) => cause))];
  const parts = [
    rows.length === 0
      ? 'every record is as Stripe says'
      : formatTable(['account', 'subscription', 'cause', 'recorded', 'Stripe', 'what'], rows),
    causes.map((cause) => `${cause}: ${DRIFT_CAUSES[cause].meaning}`).join('\n'),
    manual.length === 0 ? '' : `granted by hand, and left as they are\n${formatManual(manual)}`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function formatManual(manual: readonly Listed[]): string {
  const rows = manual.map((each) => [each.account, each.plan, each.chain ?? '-', each.until, each.reason]);
  return formatTable(['account', 'plan', 'chain', 'until', 'reason'], rows);
}
