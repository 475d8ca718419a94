import { Command, CommanderError, Help, type Option } from 'commander';
import { formatExitCodes, type ExitCodes } from './exit-codes.js';

/** The name, description and exit codes of a program, for its help. */
export type ProgramDescription = {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly exitCodes: ExitCodes<string>;
};

/** The destinations of help and of messages about a wrong command line. */
export type CommandLineOutput = {
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
};

/** Creates the root command of a program. */
export function createCommandLine(
  { name, description, version, exitCodes }: ProgramDescription,
  { print, warn }: CommandLineOutput,
): Command {
  const help = new Help();
  return new Command(name)
    .description(description)
    .version(version, '--version', 'print the version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => print(text.trimEnd()), writeErr: (text) => warn(text.trimEnd()) })
    .configureHelp({
      optionDescription: (option) =>
        `${help.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
    })
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('afterAll', formatExitCodes(exitCodes));
}

/** A command of a program, for its help. */
export type CommandDescription = {
  readonly name: string;
  readonly description: string;
  /** The options that help lists first, required ones at the beginning. */
  readonly options: readonly Option[];
  /** Options of a group of commands, which help lists apart. */
  readonly commonOptions?: readonly Option[];
  /** A paragraph below the options. */
  readonly note?: string;
  readonly example: string;
};

/** Adds a command with its options and help. The caller adds the action. */
export function addCommand(parent: Command, described: CommandDescription): Command {
  const { name, description, options, commonOptions = [], note, example } = described;
  const command = parent.command(name).description(description);
  for (const option of options) command.addOption(option);
  for (const option of commonOptions) command.addOption(option.helpGroup('Common options:'));
  reportUnknownFirst(command);
  if (note !== undefined) command.addHelpText('after', `\n${note}`);
  return command.addHelpText('after', `\nExample:\n  ${example}`);
}

/**
 * Reports an unknown option before a required one that is missing, which is often the one that was misspelled. Commander
 * checks the required ones first.
 */
function reportUnknownFirst(command: Command): void {
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (args) => {
    const parsed = parseOptions(args);
    const asksForHelp = parsed.unknown.includes('--help') || parsed.unknown.includes('-h');
    if (parsed.unknown.length > 0 && !asksForHelp)
      for (const option of command.options) option.mandatory = false;
    return parsed;
  };
}

/**
 * Parses the arguments and runs the command that they name.
 * Returns the error of the command line, or `undefined` if it was valid.
 */
export async function runCommandLine(program: Command, args: readonly string[]): Promise<string | undefined> {
  try {
    await program.parseAsync([...args], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined; // --help or --version
    return error.code === 'commander.help' ? 'no command was given' : error.message.replace(/^error: /, '');
  }
}
