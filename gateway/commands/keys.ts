import type { Command } from 'commander';
import { describeKeys, grantsOf } from '../core/account.js';
import { isKeyId } from '../core/api-key.js';
import { explainInactivity, isActive } from '../core/entitlements.js';
import { OperatorError } from '../core/exit-codes.js';
import type { CommandHost, CommonOptions } from './context.js';
import { formatKeys, readKnownAccount } from './describe-account.js';
import { addAccountCommand, example, parseLabel } from './options.js';

type AccountOptions = CommonOptions & { readonly account: string };

/** Adds `keys` with its commands: creates, lists and revokes the API keys of an account. */
export function addKeys(program: Command, host: CommandHost): void {
  const keys = program.command('keys').description('Create, list and revoke the API keys of an account.');
  addCreate(keys, host);
  addList(keys, host);
  addRevoke(keys, host);
}

function addCreate(keys: Command, host: CommandHost): void {
  addAccountCommand(keys, 'create', 'Create a key, and print it alone on stdout: it is shown this once.')
    .option('--label <text>', 'what to call the key, in at most 64 characters', parseLabel)
    .addHelpText('after', example('gateway keys create --account acme --label "nightly job"'))
    .action((options: AccountOptions & { readonly label?: string }) =>
      host.run(options, async ({ openAccounts, show, warn, now }) => {
        const { account: id, label = null } = options;
        const { accounts } = await openAccounts();
        const account = await accounts.readAccount(id);
        const created = await accounts.createKey(id, { label, needsGrant: false });
        show({ account: id, ...created }, created.key);
        if (account === undefined) warn(`${id} is a new account`);
        warn(`key ${created.id} of ${id}: keep it now, for it is stored nowhere`);
        const grants = account === undefined ? [] : grantsOf(account);
        if (!grants.some((grant) => isActive(grant, now()))) {
          warn(`${explainInactivity(grants, now())}: the key reads nothing until "gateway grant"`);
        }
        return 'done';
      }),
    );
}

function addList(keys: Command, host: CommandHost): void {
  addAccountCommand(keys, 'list', 'List the keys of an account, without their secrets.')
    .addHelpText('after', example('gateway keys list --account acme'))
    .action((options: AccountOptions) =>
      host.run(options, async ({ openAccounts, show }) => {
        const opened = await openAccounts();
        const account = await readKnownAccount(opened, options.account);
        const usage = await opened.accounts.readUsage(Object.keys(account.keys));
        const described = describeKeys(account, usage);
        show({ account: options.account, keys: described }, formatKeys(described));
        return 'done';
      }),
    );
}

function addRevoke(keys: Command, host: CommandHost): void {
  addAccountCommand(keys, 'revoke', 'Revoke a key for good.')
    .requiredOption('--id <id>', 'the key, by the id that keys list shows')
    .addHelpText('after', example('gateway keys revoke --account acme --id Example1'))
    .action((options: AccountOptions & { readonly id: string }) =>
      host.run(options, async ({ openAccounts, show, warn }) => {
        assertKeyId(options.id);
        const opened = await openAccounts();
        await readKnownAccount(opened, options.account);
        const revoked = await opened.accounts.revokeKey(options.account, options.id);
        show({ account: options.account, ...revoked }, `revoked: ${revoked.id} at ${revoked.revoked_at}`);
        warn(
          'a running gateway that can read the accounts store knows within 30 seconds, any other within ten minutes',
        );
        warn('URLs that it has signed live out their time');
        return 'done';
      }),
    );
}

/** Passes an id. A whole key in its place is not repeated. @throws OperatorError 'usage' */
function assertKeyId(text: string): void {
  if (isKeyId(text)) return;
  throw new OperatorError('usage', '--id takes the 8 letters and digits that "gateway keys list" shows');
}
