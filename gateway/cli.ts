import type { Command } from 'commander';
import { versionText } from '../infra/process/build-info.js';
import { createCommandLine, runCommandLine, type CommandLineOutput } from '../infra/process/command-line.js';
import { formatFailure } from '../infra/process/exit-codes.js';
import { addAccounts } from './commands/accounts.js';
import type { CommandHost } from './commands/context.js';
import { addDoctor } from './commands/doctor.js';
import { addGrant } from './commands/grant.js';
import { addKeys } from './commands/keys.js';
import { addReconcile } from './commands/reconcile.js';
import { runCommand, type RunOptions } from './commands/run-command.js';
import { addServe } from './commands/serve.js';
import { createScrubber } from './core/scrub.js';
import { EXIT_CODES, type ExitName } from './core/exit-codes.js';

const COMMANDS: readonly ((program: Command, host: CommandHost) => void)[] = [
  addServe,
  addGrant,
  addKeys,
  addAccounts,
  addReconcile,
  addDoctor,
];

/** Runs a command line and returns the exit. Failures are explained to the operator, not thrown. */
export async function runCli(args: readonly string[], options: RunOptions): Promise<ExitName> {
  let exit: ExitName = 'done';
  const host: CommandHost = {
    async run(commandOptions, work) {
      exit = await runCommand(commandOptions, work, { ...options, args });
    },
  };
  const scrub = createScrubber([]); // a mistyped command line may contain a key
  const output = { ...options, warn: (text: string) => options.warn(scrub(text)) };
  const message = await runCommandLine(createProgram(host, output, versionText(args)), args, output);
  if (message === undefined) return exit;
  if (args.includes('--json')) options.print(formatFailure(EXIT_CODES, { exit: 'usage', message }));
  return 'usage';
}

/** Creates the program with all its commands. `host` runs the one that is called. */
export function createProgram(
  host: CommandHost,
  output: CommandLineOutput,
  version = versionText([]),
): Command {
  const program = createCommandLine(
    {
      name: 'gateway',
      description:
        'Serve files to subscribers according to their plan, and manage their grants and API keys.',
      version,
      exitCodes: EXIT_CODES,
    },
    output,
  );
  for (const add of COMMANDS) add(program, host);
  return program;
}
