import type { Command } from 'commander';
import type { ManualGrant } from '../../schemas/types.generated.js';
import { toPriceBook, type BillingSettings } from '../core/billing/billing-settings.js';
import type { Configuration } from '../core/configuration.js';
import { OperatorError, type ExitName } from '../core/exit-codes.js';
import { createBillingDesk } from '../io/billing/billing-desk.js';
import { DRIFT_CAUSES, findDrifts, type Drift } from '../io/billing/reconcile.js';
import { openAccountsStore } from '../io/accounts-store.js';
import { readConfiguration } from '../io/environment.js';
import type { CommandContext, CommandHost, CommonOptions } from './context.js';
import { formatTable } from './format-table.js';
import { example, exitCodeHelp } from './options.js';
import { listManualGrants } from '../io/billing/manual-grants.js';

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
    .action((options: ReconcileOptions) => host.run(options, (context) => reconcile(options, context)));
}

async function reconcile({ apply = false }: ReconcileOptions, context: CommandContext): Promise<ExitName> {
  const { configuration, settings } = await readSelling(context);
  const { now, random, warn, serving, signal } = context;
  const store = await openAccountsStore(configuration.accountsStore.address, {
    s3: configuration.s3,
    signal,
  });
  const billing = serving.openBilling(settings, {
    now,
    onError: (error) => warn(`Stripe: ${String(error)}`),
  });
  const book = toPriceBook(settings, configuration.keyMode);
  const drifts: Drift[] = [];
  for await (const drift of findDrifts({ store, billing, book })) drifts.push(drift);
  const mendable = drifts.filter(({ cause }) => DRIFT_CAUSES[cause].mends);
  if (apply) {
    const desk = createBillingDesk({
      store,
      billing,
      book,
      random,
      now,
      onAlert: ({ what, id }) => warn(`${what}: ${id}`),
    });
    for (const account of new Set(mendable.map((drift) => drift.account))) await desk.sync(account ?? '');
  }
  const left = apply ? drifts.filter((drift) => !mendable.includes(drift)) : drifts;
  const manual = await listManualGrants(store, now());
  context.show(
    { outcome: left.length === 0 ? 'in-step' : 'drift', applied: apply, drifts, manual },
    format(drifts, apply, manual),
  );
  return left.length === 0 ? 'done' : 'found';
}

/** The configuration, where it says how things are sold. @throws OperatorError 'usage' */
export async function readSelling({
  env,
}: CommandContext): Promise<{ readonly configuration: Configuration; readonly settings: BillingSettings }> {
  const judged = await readConfiguration(env);
  if ('faults' in judged) {
    throw new OperatorError('usage', `the configuration has faults:\n  ${judged.faults.join('\n  ')}`);
  }
  const { configuration } = judged;
  if (configuration.billing === undefined) {
    throw new OperatorError('usage', 'nothing is sold here: CRD_STRIPE_SECRET_KEY is not set');
  }
  return { configuration, settings: configuration.billing };
}

type Listed = ManualGrant & { readonly account: string };

function format(drifts: readonly Drift[], applied: boolean, manual: readonly Listed[]): string {
  const rows = drifts.map(({ account, subscription, cause, has, should }) => [
    account ?? '-',
    subscription ?? '-',
    cause,
    has ?? '-',
    should ?? '-',
    !DRIFT_CAUSES[cause].mends ? 'look at it' : applied ? 'written' : 'would be written',
  ]);
  const table = formatTable(['account', 'subscription', 'cause', 'recorded', 'Stripe', 'what'], rows);
  const found = rows.length === 0 ? 'every record is as Stripe says' : table;
  const by = manual.map((each) => [each.account, each.plan, each.chain ?? '-', each.until, each.reason]);
  if (by.length === 0) return found;
  return `${found}\n\ngranted by hand, and left as they are\n${formatTable(['account', 'plan', 'chain', 'until', 'reason'], by)}`;
}
