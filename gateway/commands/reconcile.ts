import { Option, type Command } from 'commander';
import { addCommand } from '../../infra/process/command-line.js';
import { formatTable } from '../../infra/process/format-table.js';
import type { Paint } from '../../infra/process/paint.js';
import { formatShellCommand } from '../../infra/process/shell-command.js';
import type { ManualGrant } from '../../schemas/types.generated.js';
import { toPriceBook, type BillingSettings } from '../core/billing/billing-settings.js';
import { DRIFT_CAUSES } from '../core/billing/drift.js';
import { OUTCOMES } from '../core/billing/grant-from-subscription.js';
import type { Configuration } from '../core/configuration/configuration.js';
import { OperatorError, RUN_AGAIN, type ExitName } from '../core/exit-codes.js';
import { createBillingService } from '../io/billing/billing-service.js';
import { EVENT_OUTCOMES, type BillingAlert } from '../io/billing/event-handler.js';
import { reconcile, type ReconciledDrift } from '../io/billing/reconcile.js';
import { openAccountsStore } from '../io/accounts/accounts-store.js';
import { requireConfiguration } from './configuration.js';
import type { CommandContext, CommandHost, CommonOptions } from './context.js';
import { jsonOption } from './options.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { parseInstant } from '../../schemas/dates.js';
import { ACCOUNTS_PREFIX } from '../../schemas/paths.js';
import { readDocument } from '../io/accounts/account-documents.js';
import { isDamage } from '../io/accounts/store-health.js';

type ReconcileOptions = CommonOptions & { readonly apply?: boolean };

/** Adds `reconcile`, which compares the recorded subscriptions with Stripe, and corrects them with --apply. */
export function addReconcile(program: Command, host: CommandHost): void {
  addCommand(program, {
    name: 'reconcile',
    description: 'Compare the recorded subscriptions with Stripe. With --apply, correct the records.',
    options: [new Option('--apply', 'correct the records; without it only report differences'), jsonOption()],
    note: 'It reads the same environment variables as "gateway serve". Run it once a day.',
    example: 'gateway reconcile --apply',
  }).action((options: ReconcileOptions) => host.run(options, (context) => runReconcile(options, context)));
}

async function runReconcile({ apply = false }: ReconcileOptions, context: CommandContext): Promise<ExitName> {
  const { configuration, settings } = await requireBilling(context);
  const { now, random, serving, signal, warn } = context;
  const store = await openAccountsStore(configuration.accountsStore.address, {
    s3: configuration.s3,
    signal,
  });
  const billing = await serving.openBilling(settings, {
    now,
    onError: (error) => warn(`Stripe: ${String(error)}`),
  });
  const book = toPriceBook(settings, configuration.keyMode);
  const onAlert = ({ what, id }: BillingAlert): void =>
    warn(`Check ${id} in the Stripe dashboard: ${explainAlert(what)}`);
  const service = apply ? createBillingService({ store, billing, book, random, now, onAlert }) : undefined;
  const drifts: ReconciledDrift[] = [];
  try {
    for await (const drift of reconcile({ store, billing, book, service })) drifts.push(drift);
    const manual = await listManualGrants(store, now());
    const outcome = outcomeOf(drifts);
    context.show({ outcome, applied: apply, drifts, manual }, format(drifts, manual, apply, context.paint));
    if (!apply && drifts.some(({ cause }) => DRIFT_CAUSES[cause].isRepairable))
      warn(`To correct the records:\n  ${formatShellCommand([...context.program, 'reconcile', '--apply'])}`);
    return EXITS[outcome];
  } catch (error) {
    // Show the differences found so far before the error.
    if (drifts.length > 0) {
      context.show(
        { outcome: 'incomplete', applied: apply, drifts, manual: [] },
        format(drifts, [], apply, context.paint),
      );
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

/** Returns the configuration of billing. @throws OperatorError 'usage' if the configuration is invalid or has no Stripe settings. */
async function requireBilling(
  context: CommandContext,
): Promise<{ readonly configuration: Configuration; readonly settings: BillingSettings }> {
  const configuration = await requireConfiguration(context);
  if (configuration.billing === undefined) {
    throw new OperatorError('usage', 'Billing is not configured. Set CRD_STRIPE_SECRET_KEY.', {
      next: RUN_AGAIN,
    });
  }
  return { configuration, settings: configuration.billing };
}

/** Returns what an alert of `reconcile` means: `account-foreign` has a text of events, all others have one of subscriptions. */
function explainAlert(what: BillingAlert['what']): string {
  return what === 'account-foreign' ? EVENT_OUTCOMES[what] : OUTCOMES[what].meaning;
}

type ListedGrant = ManualGrant & { readonly account: string };

function format(
  drifts: readonly ReconciledDrift[],
  manual: readonly ListedGrant[],
  isApplied: boolean,
  paint: Paint,
): string {
  const repair = isApplied ? 'not written' : 'would be written';
  const rows = drifts.map(({ account, subscription, cause, has: recorded, should: expected, written }) => [
    account ?? '-',
    subscription ?? '-',
    cause,
    recorded ?? '-',
    expected ?? '-',
    paint(written ? 'written' : DRIFT_CAUSES[cause].isRepairable ? repair : 'needs attention'),
  ]);
  const causes = [...new Set(drifts.map(({ cause }) => cause))];
  const parts = [
    rows.length === 0
      ? 'every record matches Stripe'
      : formatTable(['account', 'subscription', 'cause', 'recorded', 'Stripe', 'action'], rows),
    causes.map((cause) => `${cause}: ${DRIFT_CAUSES[cause].meaning}`).join('\n'),
    manual.length === 0 ? '' : `manual grants, not changed\n${formatManual(manual)}`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function formatManual(manual: readonly ListedGrant[]): string {
  const rows = manual.map((each) => [each.account, each.plan, each.chain ?? '-', each.until, each.reason]);
  return formatTable(['account', 'plan', 'chain', 'until', 'reason'], rows);
}

/** Lists the manual grants that have not ended at `nowMs`. Accounts with a damaged document are skipped. */
async function listManualGrants(
  store: ObjectStore,
  nowMs: number,
): Promise<(ManualGrant & { readonly account: string })[]> {
  const found = [];
  for await (const { key } of store.list(ACCOUNTS_PREFIX)) {
    const account = await readDocument(store, key, 'account').catch((error: unknown) => {
      if (isDamage(error)) return undefined;
      throw error;
    });
    for (const grant of account?.value.grants ?? []) {
      if ((parseInstant(grant.until) ?? 0) > nowMs)
        found.push({ account: account?.value.account ?? '', ...grant });
    }
  }
  return found;
}
