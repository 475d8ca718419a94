import { InvalidArgumentError, Option, type Command } from 'commander';
import { CHAIN_IDS, PLAN_IDS } from '../../schemas/catalog.js';
import { endOfDayMs, parseDate, toInstant } from '../../schemas/dates.js';
import { findSchemaFaults } from '../../schemas/validate.js';
import { withChoices } from '../../infra/process/choice.js';
import { addCommand, type CommandDescription } from '../../infra/process/command-line.js';
import { isAccountId, isLabel } from '../core/accounts/account.js';

/** Adds a command that works on one account. */
export function addAccountCommand(
  parent: Command,
  description: Omit<CommandDescription, 'commonOptions'>,
): Command {
  return addCommand(parent, {
    ...description,
    options: [accountOption(), ...description.options],
    commonOptions: accountsStoreOptions(),
  });
}

/** Returns the options of the commands that need only the accounts store. */
function accountsStoreOptions(): Option[] {
  return [
    new Option(
      '--accounts-store <address>',
      'accounts store: file:PATH or s3://bucket/prefix (default: $CRD_ACCOUNTS_STORE)',
    ),
    jsonOption(),
  ];
}

function accountOption(): Option {
  return new Option('--account <id>', 'account id, as the identity provider issues it')
    .argParser(parseAccount)
    .makeOptionMandatory();
}

export function jsonOption(): Option {
  return new Option('--json', 'print one JSON document on stdout');
}

export function planOption(): Option {
  return withChoices(new Option('--plan <plan>', 'plan to grant'), 'Plans', PLAN_IDS).makeOptionMandatory();
}

export function chainOption(): Option {
  const option = new Option('--chain <chain>', 'chain to grant; single-chain needs it');
  return withChoices(option, 'Chains', CHAIN_IDS);
}

function parseAccount(text: string): string {
  if (!isAccountId(text)) throw new InvalidArgumentError('Write 1 to 255 bytes of printable text.');
  return text;
}

/** Parses the last day of access, and returns the instant at which it ends. @throws InvalidArgumentError */
export function parseLastDay(text: string): string {
  const day = parseDate(text);
  // The last date would end in the year 10000, which has five digits.
  if (day === undefined || text === '9999-12-31') {
    throw new InvalidArgumentError('Write the last day of access, in UTC, as 2026-12-31.');
  }
  return toInstant(endOfDayMs(day));
}

/** Parses the reason for a grant. @throws InvalidArgumentError */
export function parseReason(text: string): string {
  const [fault] = findSchemaFaults('reason', text);
  if (fault !== undefined) throw new InvalidArgumentError('Write 1 to 200 printable characters.');
  return text;
}

/** Parses the name of a key. @throws InvalidArgumentError */
export function parseLabel(text: string): string {
  if (!isLabel(text)) throw new InvalidArgumentError('Write 1 to 64 printable characters.');
  return text;
}
