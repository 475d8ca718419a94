import { Option, type Command } from 'commander';
import { describeKeys, grantsOf } from '../core/accounts/account.js';
import { isKeyId } from '../core/access/api-key.js';
import { explainInactivity, isActive } from '../core/access/entitlements.js';
import { OperatorError } from '../core/exit-codes.js';
import type { CommandHost, CommonOptions } from './context.js';
import { formatKeys, readKnownAccount } from './describe-account.js';
import { addAccountCommand, parseLabel } from './options.js';

type AccountOptions = CommonOptions & { readonly account: string };

/** Adds `keys create`, `keys list` and `keys revoke`. */
export function addKeys(program: Command, host: CommandHost): void {
  const keys = program.command('keys').description('Create, list and revoke the API keys of an account.');
  addCreate(keys, host);
  addList(keys, host);
  addRevoke(keys, host);
}

function addCreate(keys: Command, host: CommandHost): void {
  addAccountCommand(keys, {
    name: 'create',
    description: 'Create an API key and print it on stdout. It is shown only once.',
    options: [new Option('--label <text>', 'name of the key, at most 64 characters').argParser(parseLabel)],
    example: 'gateway keys create --account acme --label "nightly job"',
  }).action((options: AccountOptions & { readonly label?: string }) =>
    host.run(options, async ({ openAccounts, show, warn, now }) => {
      const { account: id, label = null } = options;
      const { accounts } = await openAccounts();
      const account = await accounts.readAccount(id);
      const created = await accounts.createKey(id, { label, needsGrant: false });
      show({ account: id, ...created }, created.key);
      if (account === undefined) warn(`${id} is a new account`);
      warn(`key ${created.id} of ${id}: save it now, it cannot be shown again`);
      const grants = account === undefined ? [] : grantsOf(account);
      if (!grants.some((grant) => isActive(grant, now()))) {
        warn(
          `${explainInactivity(grants, now())} The key reads subscriber files only while the account has an active grant ("gateway grant") or subscription.`,
        );
      }
      return 'done';
    }),
  );
}

function addList(keys: Command, host: CommandHost): void {
  addAccountCommand(keys, {
    name: 'list',
    description: 'List the API keys of an account, without their secrets.',
    options: [],
    example: 'gateway keys list --account acme',
  }).action((options: AccountOptions) =>
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
  addAccountCommand(keys, {
    name: 'revoke',
    description: 'Revoke an API key permanently.',
    options: [new Option('--id <id>', 'key id, as "gateway keys list" shows it').makeOptionMandatory()],
    example: 'gateway keys revoke --account acme --id Example1',
  }).action((options: AccountOptions & { readonly id: string }) =>
    host.run(options, async ({ openAccounts, show, warn }) => {
      assertKeyId(options);
      const opened = await openAccounts();
      await readKnownAccount(opened, options.account);
      const revoked = await opened.accounts.revokeKey(options.account, options.id);
      show({ account: options.account, ...revoked }, `revoked: ${revoked.id} at ${revoked.revoked_at}`);
      warn(
        'a running gateway stops accepting the key within 30 seconds; one that cannot read the accounts store, within ten minutes',
      );
      warn('download URLs that are already signed stay valid until they expire');
      return 'done';
    }),
  );
}

/** The message does not repeat the id: it may be a whole key. @throws OperatorError 'usage' */
function assertKeyId({ id, account }: { readonly id: string; readonly account: string }): void {
  if (isKeyId(id)) return;
  throw new OperatorError('usage', '--id must be the 8 letters and digits that this command shows:', {
    next: ['keys', 'list', '--account', account],
  });
}
