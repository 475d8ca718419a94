import { styleText } from 'node:util';
import { Command, CommanderError, Help, type Option } from 'commander';
import { suggestedWord } from './choice.js';
import { formatExitCodes, type ExitCodes } from './exit-codes.js';
import { formatShellCommand } from './shell-command.js';

/** The name, description and exit codes of a program, for its help. */
type ProgramDescription = {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly exitCodes: ExitCodes<string>;
};

/** The destinations of help and of messages about a wrong command line. */
export type CommandLineOutput = {
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  /** The words that start the program, for commands to paste. Default: its name. */
  readonly program?: readonly string[];
  /** True if `print` writes to a terminal that shows bold text. */
  readonly hasColours?: boolean;
};

/** Creates the root command of a program. */
export function createCommandLine(
  { name, description, version, exitCodes }: ProgramDescription,
  { print, warn, program = [name], hasColours = false }: CommandLineOutput,
): Command {
  const help = new Help();
  return new Command(name)
    .description(description)
    .version(version, '--version', 'print the version; with --json also the commit')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => print(text.trimEnd()),
      writeErr: (text) => warn(text.trimEnd()),
      getOutHasColors: () => hasColours,
      getErrHasColors: () => false,
    })
    .configureHelp({
      styleTitle: (title) => styleText('bold', title, { validateStream: false }), // commander removes it if need be
      optionDescription: (option) =>
        `${help.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
      formatHelp: (command, helper) =>
        [
          help.formatHelp(command, helper).trimEnd(),
          ...describeUse(command, helper, program),
          command.parent === null
            ? `${helper.styleTitle('Exit codes:')}\n${formatExitCodes(exitCodes, helper)}`
            : `${helper.styleTitle('Exit codes:')} ${formatShellCommand([...program, '--help'])}`,
        ].join('\n\n'),
    });
}

/** A command of a program, for its help. */
export type CommandDescription = {
  readonly name: string;
  readonly description: string;
  /** The options that help lists first, of these the required ones at the beginning. */
  readonly options: readonly Option[];
  /** Options of a group of commands, which help lists apart. */
  readonly commonOptions?: readonly Option[];
  /** A paragraph below the options. */
  readonly note?: string;
  readonly example: string;
};

/** What help says about how to use a command. */
const USES = new WeakMap<Command, Pick<CommandDescription, 'note' | 'example'>>();

/** Adds a command with its options and help. The caller adds the action. */
export function addCommand(parent: Command, described: CommandDescription): Command {
  const { name, description, options, commonOptions = [] } = described;
  const command = parent.command(name).description(description);
  const required = options.filter(({ mandatory }) => mandatory);
  for (const option of new Set([...required, ...options])) command.addOption(option);
  for (const option of commonOptions) command.addOption(option.helpGroup('Common options:'));
  reportUnknownFirst(command);
  USES.set(command, described);
  return command;
}

/** Returns the paragraphs of help below the options. */
function describeUse(command: Command, helper: Help, program: readonly string[]): string[] {
  const { note, example } = USES.get(command) ?? {};
  const width = helper.helpWidth ?? 0; // commander has set it
  return [
    ...(note === undefined ? [] : [helper.boxWrap(note, width)]),
    ...(example === undefined ? [] : [`${helper.styleTitle('Example:')}\n  ${toPaste(example, program)}`]),
  ];
}

/** Returns an example that starts the program as this process was started. */
function toPaste(example: string, program: readonly string[]): string {
  return example.replace(/\b(?:generator|gateway)(?= )/, () => formatShellCommand(program));
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
export async function runCommandLine(
  root: Command,
  args: readonly string[],
  { warn, program = [root.name()] }: Pick<CommandLineOutput, 'warn' | 'program'>,
): Promise<string | undefined> {
  try {
    await root.parseAsync([...args], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined; // --help or --version
    if (error.code === 'commander.help') return 'no command was given';
    warn(describeRemedy(root, args, error.message, program));
    return error.message.replace(/^error: /, '');
  }
}

/** Returns the corrected command line if the error suggests a single word, otherwise an example and where all options are. */
function describeRemedy(
  root: Command,
  args: readonly string[],
  message: string,
  program: readonly string[],
): string {
  const corrected = correctWord(args, message);
  if (corrected !== undefined) return `  ${formatShellCommand([...program, ...corrected])}`;
  const { command, names } = findCommand(root, args);
  const example = USES.get(command)?.example;
  return [
    ...(example === undefined ? [] : ['Example:', `  ${toPaste(example, program)}`]),
    `All ${command.commands.length > 0 ? 'commands' : 'options'}:`,
    `  ${formatShellCommand([...program, ...names, '--help'])}`,
  ].join('\n');
}

/** Returns the arguments with the word that commander suggests, or `undefined` if it suggests none or several. */
function correctWord(args: readonly string[], message: string): string[] | undefined {
  const [, wrong] =
    /^error: (?:unknown (?:command|option)|option '.*' argument) '([^'=]+)'/.exec(message) ?? [];
  const right = suggestedWord(message);
  if (wrong === undefined || right === undefined) return undefined;
  return args.map((arg) => {
    if (arg === wrong) return right;
    return arg.startsWith('--') && arg.endsWith(`=${wrong}`) ? arg.slice(0, -wrong.length) + right : arg;
  });
}

/** Returns the command that the first arguments name, with its names. */
function findCommand(root: Command, args: readonly string[]): { command: Command; names: string[] } {
  const [name, ...rest] = args;
  const found = root.commands.find((each) => each.name() === name);
  if (found === undefined) return { command: root, names: [] };
  const { command, names } = findCommand(found, rest);
  return { command, names: [found.name(), ...names] };
}
