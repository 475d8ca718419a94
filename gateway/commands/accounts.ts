import type { Command } from 'commander';
import { describeKeys, grantsOf } from '../core/account.js';
import { describeEntitlements } from '../core/entitlements.js';
import type { CommandHost, CommonOptions } from './context.js';
import {
  describeBought,
  formatBought,
  formatGrants,
  formatKeys,
  readKnownAccount,
} from './describe-account.js';
import { addAccountCommand, example } from './options.js';

type AccountOptions = CommonOptions & { readonly account: string };

/** Adds `accounts` with its command: shows what an account may read, and its keys. */
export function addAccounts(program: Command, host: CommandHost): void {
  const accounts = program.command('accounts').description('Show what accounts may read.');
  addAccountCommand(accounts, 'show', 'Show what an account may read and why, and its keys.')
    .addHelpText('after', example('gateway accounts show --account acme'))
    .action((options: AccountOptions) =>
      host.run(options, async ({ openAccounts, show, now }) => {
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
            formatGrants(account, now()),
            ...formatBought(account, now()),
            formatKeys(keys),
          ].join('\n\n'),
        );
        return 'done';
      }),
    );
}
