import type { Command } from 'commander';
import { versionText } from '../infra/process/build-info.js';
import { createCommandLine, runCommandLine, type CommandLineOutput } from '../infra/process/command-line.js';
import { EXIT_CODES, type ExitName } from './core/generator-error.js';
import type { CommandHost } from './commands/common/options.js';
import { addCollect } from './commands/collection/collect.js';
import { addCopy } from './commands/copy.js';
import { addGc } from './commands/gc.js';
import { addPlan, addPublish } from './commands/publish.js';
import { addRepair } from './commands/repair.js';
import { addHold, addRollback, addUnhold } from './commands/rollback.js';
import { endMisuse, runCommand, type RunOptions } from './commands/common/run-command.js';
import { addSources } from './commands/collection/sources.js';
import { addStatus } from './commands/status.js';
import { addVerify } from './commands/verify.js';
import { addKeys } from './commands/keys.js';
import { addStore } from './commands/store.js';

const COMMANDS: readonly ((program: Command, host: CommandHost) => void)[] = [
  addCollect,
  addSources,
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
  addKeys,
  addStore,
];

/** Runs a command line and returns the exit. Failures are explained to the operator, not thrown. */
export async function runCli(args: readonly string[], options: RunOptions): Promise<ExitName> {
  let exit: ExitName = 'done';
  const host: CommandHost = {
    async run(name, commandOptions, work) {
      exit = await runCommand(name, commandOptions, work, { ...options, args });
    },
  };
  const warnings: string[] = [];
  const output = { ...options, warn: (text: string) => void warnings.push(text) };
  const message = await runCommandLine(createProgram(host, output, versionText(args)), args, output);
  return message === undefined ? exit : endMisuse(args, { message, text: warnings.join('\n') }, options);
}

/** Creates the program with all its commands. `host` runs the one that is called. */
export function createProgram(
  host: CommandHost,
  output: CommandLineOutput,
  version = versionText([]),
): Command {
  const program = createCommandLine(
    {
      name: 'generator',
      description:
        'Publish descriptive daily on-chain reference data as content-addressed files, and verify it.',
      version,
      exitCodes: EXIT_CODES,
    },
    output,
  );
  for (const add of COMMANDS) add(program, host);
  return program;
}
