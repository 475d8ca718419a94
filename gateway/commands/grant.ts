import { Option, type Command } from 'commander';
import { CHAIN_IDS, PLANS, type PlanId } from '../../schemas/catalog.js';
import { withoutOption } from '../../infra/process/shell-command.js';
import { parseInstant } from '../../schemas/dates.js';
import type { Chain } from '../../schemas/types.generated.js';
import { findGrant, grantsOf } from '../core/accounts/account.js';
import { describeEntitlements, namePlan } from '../core/access/entitlements.js';
import { OperatorError } from '../core/exit-codes.js';
import type { CommandHost, CommonOptions } from './context.js';
import { lastDayOf } from './describe-account.js';
import { addAccountCommand, chainOption, parseLastDay, parseReason, planOption } from './options.js';

type GrantOptions = CommonOptions & {
  readonly account: string;
  readonly plan: PlanId;
  readonly chain?: Chain;
  /** The instant at which access ends. */
  readonly until: string;
  readonly reason: string;
};

/** Adds `grant`, which grants an account a plan manually, changes the end of that grant, or ends it. */
export function addGrant(program: Command, host: CommandHost): void {
  addAccountCommand(program, {
    name: 'grant',
    description: 'Grant an account a plan manually, extend it, or end it.',
    options: [
      planOption(),
      new Option('--until <date>', 'last day of access, in UTC; a past date ends the grant')
        .argParser(parseLastDay)
        .makeOptionMandatory(),
      new Option('--reason <text>', 'reason for the grant, at most 200 characters')
        .argParser(parseReason)
        .makeOptionMandatory(),
      chainOption(),
    ],
    example:
      'gateway grant --account acme --plan single-chain --chain base --until 2026-12-31 --reason "invoice 118"',
  }).action((options: GrantOptions) =>
    host.run(options, async (context) => {
      const { account: id, plan, until, reason } = options;
      const chain = chainOf(options);
      const { accounts } = await context.openAccounts();
      const isNew = (await accounts.readAccount(id)) === undefined;
      const account = await accounts.grant(id, { plan, chain, until, reason });
      const grant = findGrant(account, { plan, chain });
      const end = grant?.until ?? until;
      const entitlements = describeEntitlements(grantsOf(account), context.now());
      const outcome = (parseInstant(end) ?? 0) > context.now() ? 'granted' : 'ended';
      const what = outcome === 'granted' ? `through ${lastDayOf(end)}` : `ended at ${end}`;
      context.show({ outcome, account: id, grant, entitlements }, `${id}: ${namePlan(plan, chain)} ${what}`);
      if (isNew) context.warn(`${id} is a new account`);
      if (outcome === 'ended')
        context.warn('a running gateway that can read the accounts store ends the grant within 30 seconds');
      if (!entitlements.active)
        context.warn('the account has no active grant now: its keys can read nothing');
      return 'done';
    }),
  );
}

/** Returns the chain to grant, `null` for all. @throws OperatorError 'usage' when --chain does not fit the plan. */
function chainOf({ plan, chain }: GrantOptions): Chain | null {
  const { name, chains } = PLANS[plan];
  if (chains === 'selected' && chain === undefined) {
    throw new OperatorError('usage', `The plan ${plan} needs --chain, one of ${CHAIN_IDS.join(', ')}.`);
  }
  if (chains === 'all' && chain !== undefined) {
    throw new OperatorError('usage', `${name} includes all chains. Omit --chain, or grant single-chain.`, {
      next: (args) => withoutOption(args, '--chain'),
    });
  }
  return chain ?? null;
}
