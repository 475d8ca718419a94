import { InvalidArgumentError, Option, type Command } from 'commander';
import { CHAIN_IDS, PLAN_IDS, type PlanId } from '../../schemas/catalog.js';
import { endOfDayMs, parseDate, toInstant } from '../../schemas/dates.js';
import type { Chain } from '../../schemas/types.generated.js';
import { findSchemaFaults } from '../../schemas/validate.js';
import { isAccountId, isLabel } from '../core/account.js';
import { EXIT_CODES } from '../core/exit-codes.js';

/** Adds a command that works on one account, with the options that every such command has. */
export function addAccountCommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .requiredOption('--account <id>', 'the account, as the identity provider names it', parseAccount)
    .option(
      '--accounts-store <address>',
      'where the accounts live: file:PATH or s3://bucket/prefix (default: CRD_ACCOUNTS_STORE)',
    )
    .option('--json', 'print exactly one JSON document on stdout')
    .addHelpText('after', exitCodeHelp());
}

/** The option for a plan. */
export function planOption(): Option {
  return new Option('--plan <plan>', 'the plan').choices([...PLAN_IDS]).argParser(parsePlan);
}

/** The option for the chain of a plan. */
export function chainOption(): Option {
  return new Option('--chain <chain>', 'the chain of the plan single-chain')
    .choices([...CHAIN_IDS])
    .argParser(parseChain);
}

/** Text of an example below a command's help. */
export function example(line: string): string {
  return `\nExample:\n  ${line}`;
}

/** Parses an account id. @throws InvalidArgumentError */
export function parseAccount(text: string): string {
  if (!isAccountId(text)) throw new InvalidArgumentError('give 1 to 255 bytes of printable text.');
  return text;
}

/** Parses a plan. @throws InvalidArgumentError */
export function parsePlan(text: string): PlanId {
  const plan = PLAN_IDS.find((each) => each === text);
  if (plan === undefined) throw new InvalidArgumentError(`plans are ${PLAN_IDS.join(', ')}.`);
  return plan;
}

/** Parses a chain. @throws InvalidArgumentError */
export function parseChain(text: string): Chain {
  const chain = CHAIN_IDS.find((each) => each === text);
  if (chain === undefined) throw new InvalidArgumentError(`chains are ${CHAIN_IDS.join(', ')}.`);
  return chain;
}

/** Parses the last day of access, to the instant at which it is over. @throws InvalidArgumentError */
export function parseLastDay(text: string): string {
  const day = parseDate(text);
  if (day === undefined || text === '9999-12-31') {
    throw new InvalidArgumentError('write the last day of access, in UTC, as 2026-12-31.');
  }
  return toInstant(endOfDayMs(day));
}

/** Parses a reason. @throws InvalidArgumentError */
export function parseReason(text: string): string {
  const [fault] = findSchemaFaults('reason', text);
  if (fault !== undefined) throw new InvalidArgumentError('give 1 to 200 printable characters.');
  return text;
}

/** Parses the label of a key. @throws InvalidArgumentError */
export function parseLabel(text: string): string {
  if (!isLabel(text)) throw new InvalidArgumentError('give 1 to 64 printable characters.');
  return text;
}

/** The exit codes, for the end of a help text. */
export function exitCodeHelp(): string {
  const rows = Object.values(EXIT_CODES).map(
    ({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`,
  );
  return `\nExit codes:\n${rows.join('\n')}`;
}
