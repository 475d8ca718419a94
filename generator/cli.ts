import { Command, CommanderError } from 'commander';
import type { ExitName } from './core/generator-error.js';
import type { CommandHost } from './commands/context.js';
import { addPlan, addPublish } from './commands/publish.js';
import { addCopy } from './commands/copy.js';
import { exitCodeHelp } from './commands/options.js';
import { addGc } from './commands/gc.js';
import { addHold, addRollback, addUnhold } from './commands/rollback.js';
import { runCommand, toFailure, type RunTerms } from './commands/run-command.js';
import { addStatus } from './commands/status.js';
import { addVerify } from './commands/verify.js';

/** Runs one command line and resolves how it ended; every failure is explained. */
export async function runCli(args: readonly string[], terms: RunTerms): Promise<ExitName> {
  let ended: ExitName = 'done';
  const { warn } = terms.diagnosis({ quiet: false, logJson: args.includes('--log-json') });
  const program = createProgram(
    {
      now: terms.now,
      async run(name, options, work) {
        ended = await runCommand(name, options, work, terms);
      },
    },
    { print: terms.print, warn },
  );
  try {
    await program.parseAsync([...args], { from: 'user' });
    return ended;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 'done';
    if (args.includes('--json')) terms.print(JSON.stringify(toFailure('usage', error.message), null, 2));
    return 'usage';
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
  ])
    add(program, host);
  return program;
}
