import { Command, CommanderError } from 'commander';
import product from '../package.json' with { type: 'json' };
import { addAccounts } from './commands/accounts.js';
import type { CommandHost } from './commands/context.js';
import { addGrant } from './commands/grant.js';
import { addKeys } from './commands/keys.js';
import { addDoctor } from './commands/doctor.js';
import { addReconcile } from './commands/reconcile.js';
import { exitCodeHelp } from './commands/options.js';
import { addServe } from './commands/serve.js';
import { runCommand, toFailure, type RunTerms } from './commands/run-command.js';
import type { ExitName } from './core/exit-codes.js';

/** Every command of the program. */
const COMMANDS: readonly ((program: Command, host: CommandHost) => void)[] = [
  addServe,
  addGrant,
  addKeys,
  addAccounts,
  addReconcile,
  addDoctor,
];

/** Runs one command line and resolves how it ended; every failure is explained. */
export async function runCli(args: readonly string[], terms: RunTerms): Promise<ExitName> {
  let ended: ExitName = 'done';
  const host: CommandHost = {
    async run(options, work) {
      ended = await runCommand(options, work, terms);
    },
  };
  const program = createProgram(host, terms);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return ended;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 'done';
    const message =
      error.code === 'commander.help' ? 'no command was given' : error.message.replace(/^error: /, '');
    if (args.includes('--json')) terms.print(JSON.stringify(toFailure('usage', message), null, 2));
    return 'usage';
  }
}

/** The program with all its commands; `host` takes the work of the one that was asked for. */
export function createProgram(
  host: CommandHost,
  { print, warn }: { readonly print: (text: string) => void; readonly warn: (text: string) => void },
): Command {
  const program = new Command('gateway')
    .description('Gives subscribers the files that their plan includes, and keeps their keys and grants.')
    .version(product.version, '--version', 'say which version this is')
    .exitOverride()
    .configureOutput({ writeOut: (text) => print(text.trimEnd()), writeErr: (text) => warn(text.trimEnd()) })
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', exitCodeHelp());
  for (const add of COMMANDS) add(program, host);
  return program;
}
