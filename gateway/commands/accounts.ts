import type { Command } from 'commander';
import { describeKeys, grantsOf } from '../core/accounts/account.js';
import { describeEntitlements } from '../core/access/entitlements.js';
import type { CommandHost, CommonOptions } from './context.js';
import {
  describeBought,
  formatBought,
  formatGrants,
  formatKeys,
  readKnownAccount,
} from './describe-account.js';
import { addAccountCommand } from './options.js';

type AccountOptions = CommonOptions & { readonly account: string };

/** Adds `accounts show`. */
export function addAccounts(program: Command, host: CommandHost): void {
  const accounts = program.command('accounts').description('Show accounts.');
  addShow(accounts, host);
}

/** Adds `accounts show`, which shows what an account can read, and its keys. */
function addShow(accounts: Command, host: CommandHost): void {
  addAccountCommand(accounts, {
    name: 'show',
    description: 'Show what an account can read and why, and list its keys.',
    options: [],
    example: 'gateway accounts show --account acme',
  }).action((options: AccountOptions) =>
    host.run(options, async ({ openAccounts, show, paint, now }) => {
      const opened = await openAccounts();
      const account = await readKnownAccount(opened, options.account);
      const usage = await opened.accounts.readUsage(Object.keys(account.keys));
      const keys = describeKeys(account, usage);
      const entitlements = describeEntitlements(grantsOf(account), now());
      show(
        {
          account: account.account,
          entitlements,
          grants: account.grants,
          bought: describeBought(account),
          keys,
        },
        [
          `account ${account.account}`,
          formatGrants(account, now(), paint),
          ...formatBought(account, now(), paint),
          formatKeys(keys),
        ].join('\n\n'),
      );
      return 'done';
    }),
  );
}
