import { InvalidArgumentError, Option, type Command } from 'commander';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { parseInstant } from '../../schemas/dates.js';
import { isRevision } from '../../schemas/revision.js';
import { findSchemaFaults } from '../../schemas/validate.js';
import type { Chain } from '../../schemas/types.generated.js';
import { EXIT_CODES } from '../core/generator-error.js';

/** Adds a command with the options that every command has. */
export function addCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--endpoint <url>', 'another S3 server than Amazon, for s3:// addresses')
    .option('--path-style', 'name the bucket in the path, not in the host, for s3:// addresses')
    .option('--json', 'print exactly one JSON document on stdout')
    .option('--quiet', 'no progress, and no text on stdout')
    .option('--log-json', 'progress and diagnosis as one JSON object a line, on stderr')
    .option('--report <file>', 'write a report of the run to this file, as JSON')
    .addHelpText('after', exitCodeHelp());
}

/** Adds a command that works on one store. */
export function addStoreCommand(program: Command, name: string, description: string): Command {
  return addCommand(program, name, description).requiredOption(
    '--store <address>',
    'where the releases live: file:PATH or s3://bucket/prefix',
  );
}

/** What an input is, as help has it. */
export const INPUT_MEANING = 'a CSV file per chain and sources.json: a directory, or s3://bucket/prefix';

/** Adds the option for the one clock of the run. */
export function withAsOf(command: Command): Command {
  return command.option(
    '--as-of <instant>',
    'the one clock of the run: RFC 3339, or a date meaning its 00:00:00Z (default: now)',
    parseAsOf,
  );
}

/** Adds the option for the public words that say why. */
export function withReason(command: Command): Command {
  return command.requiredOption(
    '--reason <text>',
    'why, in public words of at most 200 characters',
    parseReason,
  );
}

/** Adds the option that names one of several chains. */
export function withChains(command: Command): Command {
  return command.addOption(
    new Option('--chain <chain>', 'only this chain; repeatable (default: every chain that has a file)')
      .choices([...CHAIN_IDS])
      .argParser(collectChain),
  );
}

/** The as-of of a run that was given none: now, in whole seconds. */
export function asOfOrNow(asOfMs: number | undefined, now: () => number): number {
  return asOfMs ?? Math.floor(now() / 1000) * 1000;
}

/** Text of an example below a command's help. */
export function example(line: string): string {
  return `\nExample:\n  ${line}`;
}

/** Parses an as-of. @throws InvalidArgumentError */
export function parseAsOf(text: string): number {
  const ms = parseInstant(text);
  if (ms === undefined) throw new InvalidArgumentError('write 2026-08-19 or 2026-08-19T06:00:00Z.');
  return ms;
}

/** Parses a public reason. @throws InvalidArgumentError */
export function parseReason(text: string): string {
  const [fault] = findSchemaFaults('reason', text);
  if (fault !== undefined)
    throw new InvalidArgumentError('give a public reason of 1 to 200 printable characters.');
  return text;
}

/** Parses a SHA-256. @throws InvalidArgumentError */
export function parseDigest(text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new InvalidArgumentError('give the 64 hex digits that the plan showed.');
  return text;
}

/** Parses a revision. @throws InvalidArgumentError */
export function parseRevision(text: string): string {
  if (!isRevision(text))
    throw new InvalidArgumentError(
      'write a revision as status and /api/v1/changes show it: 2026-08-19.000001',
    );
  return text;
}

function collectChain(text: string, before: readonly Chain[] | undefined): readonly Chain[] {
  const chain = CHAIN_IDS.find((each) => each === text);
  if (chain === undefined) throw new InvalidArgumentError(`chains are ${CHAIN_IDS.join(', ')}.`);
  return [...(before ?? []), chain];
}

/** The exit codes, for the end of a help text. */
export function exitCodeHelp(): string {
  const rows = Object.values(EXIT_CODES).map(
    ({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`,
  );
  return `\nExit codes:\n${rows.join('\n')}`;
}
