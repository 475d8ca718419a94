import { Command, CommanderError } from 'commander';
import product from '../package.json' with { type: 'json' };
import type { ExitName } from './core/generator-error.js';
import type { CommandHost } from './commands/context.js';
import { addPlan, addPublish } from './commands/publish.js';
import { addCopy } from './commands/copy.js';
import { addRepair } from './commands/repair.js';
import { exitCodeHelp } from './commands/options.js';
import { addGc } from './commands/gc.js';
import { addHold, addRollback, addUnhold } from './commands/rollback.js';
import { endMisread, runCommand, type RunTerms } from './commands/run-command.js';
import { addStatus } from './commands/status.js';
import { addVerify } from './commands/verify.js';

/** Runs one command line and resolves how it ended; every failure is explained. */
export async function runCli(args: readonly string[], terms: RunTerms): Promise<ExitName> {
  let ended: ExitName = 'done';
  const said: string[] = [];
  const program = createProgram(
    {
      now: terms.now,
      async run(name, options, work) {
        ended = await runCommand(name, options, work, terms);
      },
    },
    { print: terms.print, warn: (text) => said.push(text) },
  );
  try {
    await program.parseAsync([...args], { from: 'user' });
    return ended;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 'done';
    const message =
      error.code === 'commander.help' ? 'no command was given' : error.message.replace(/^error: /, '');
    return endMisread(args, { message, text: said.join('\n') }, terms);
  }
}

/** The program with all its commands; `host` takes the work of the one that was asked for. */
export function createProgram(
  host: CommandHost,
  { print, warn }: { readonly print: (text: string) => void; readonly warn: (text: string) => void },
): Command {
  const program = new Command('generator')
    .description(
      'Publishes descriptive daily on-chain reference data as content-addressed files, and proves them.',
    )
    .version(product.version, '--version', 'say which version this is')
    .exitOverride()
    .configureOutput({ writeOut: (text) => print(text.trimEnd()), writeErr: (text) => warn(text.trimEnd()) })
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', exitCodeHelp());
  for (const add of [
    addPublish,
    addPlan,
    addVerify,
    addStatus,
    addRollback,
    addHold,
    addUnhold,
    addGc,
    addCopy,
    addRepair,
  ])
    add(program, host);
  return program;
}
