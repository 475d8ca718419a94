import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { CHAIN_IDS } from '../schemas/catalog.js';
import { parseInstant } from '../schemas/dates.js';
import { findSchemaFaults } from '../schemas/validate.js';
import type { Chain } from '../schemas/types.generated.js';
import { StoreError } from '../infra/store/object-store.js';
import { EXIT_CODES, GeneratorError, type ExitName } from './core/generator-error.js';
import type { Acceptance } from './core/release/plan-types.js';
import type { CommandContext } from './commands/context.js';
import { runPlan, runPublish, type PublishOptions } from './commands/publish.js';
import { runStatus } from './commands/status.js';
import { runVerify } from './commands/verify.js';

/** What the command line may use of the outside world; `context` is made once `--quiet` is known. */
export type CliTerms = {
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly now: () => number;
  readonly context: (quiet: boolean) => CommandContext;
};

type RawOptions = {
  readonly input: string;
  readonly store: string;
  readonly asOf?: number;
  readonly chain?: readonly Chain[];
  readonly existing?: boolean;
  readonly full?: boolean;
  readonly allOrNothing?: boolean;
  readonly acceptRestatements?: string;
  readonly plan?: string;
  readonly deep?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
};

/** Runs one command line and resolves how it ended; every failure is explained on `warn`. */
export async function runCli(args: readonly string[], terms: CliTerms): Promise<ExitName> {
  let ended: ExitName = 'done';
  const contexts: CommandContext[] = [];
  const context = (quiet: boolean): CommandContext => {
    const made = terms.context(quiet);
    contexts.push(made);
    return made;
  };
  const program = createProgram({ ...terms, context }, async (work) => {
    ended = await work;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return ended;
  } catch (error) {
    for (const made of contexts) made.progress.abandon();
    const exit = explain(error, terms.warn);
    if (exit !== 'done' && args.includes('--json'))
      terms.print(JSON.stringify(toFailure(exit, error), null, 2));
    return exit;
  }
}

/** The program with all its commands; `run` takes the work of the one that was asked for. */
export function createProgram(terms: CliTerms, run: (work: Promise<ExitName>) => Promise<void>): Command {
  const program = new Command('generator')
    .description(
      'Publishes descriptive daily on-chain reference data as content-addressed files, and proves them.',
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terms.print(text.trimEnd()),
      writeErr: (text) => terms.warn(text.trimEnd()),
    })
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', exitCodeHelp());

  publishOptions(
    program.command('publish'),
    'Publish the input as the next release; unchanged input publishes nothing.',
  )
    .addHelpText('after', example('generator publish --input ./metrics --store file:./data/store'))
    .action((raw: RawOptions) =>
      run(runPublish(toPublishOptions(raw, terms), terms.context(raw.quiet ?? false))),
    );

  publishOptions(program.command('plan'), 'Say what publish would do, and write nothing.')
    .addHelpText('after', example('generator plan --input ./metrics --store file:./data/store --json'))
    .action((raw: RawOptions) =>
      run(runPlan(toPublishOptions(raw, terms), terms.context(raw.quiet ?? false))),
    );

  storeOptions(
    program.command('verify'),
    'Re-read a store and recompute every digest, schema, hash and link.',
  )
    .option('--deep', 'also recompute every record and file from the published gold days alone')
    .addHelpText('after', example('generator verify --deep --store file:./data/store'))
    .action((raw: RawOptions) =>
      run(
        runVerify(
          { store: raw.store, deep: raw.deep ?? false, json: raw.json ?? false, quiet: raw.quiet ?? false },
          terms.context(raw.quiet ?? false),
        ),
      ),
    );

  storeOptions(program.command('status'), 'Say what a store holds, how late it is, and what to do next.')
    .addHelpText('after', example('generator status --store file:./data/store'))
    .action((raw: RawOptions) =>
      run(
        runStatus(
          { store: raw.store, json: raw.json ?? false, quiet: raw.quiet ?? false },
          terms.context(raw.quiet ?? false),
        ),
      ),
    );
  return program;
}

function storeOptions(command: Command, description: string): Command {
  return command
    .description(description)
    .requiredOption('--store <address>', 'where the releases live: file:PATH')
    .option('--json', 'print exactly one JSON document on stdout')
    .option('--quiet', 'no progress, and no text on stdout')
    .addHelpText('after', exitCodeHelp());
}

function publishOptions(command: Command, description: string): Command {
  return storeOptions(command, description)
    .requiredOption('--input <dir>', 'directory with a CSV file per chain and sources.json')
    .option(
      '--as-of <instant>',
      'the one clock of the run: RFC 3339, or a date meaning its 00:00:00Z (default: now)',
      parseAsOf,
    )
    .addOption(
      new Option('--chain <chain>', 'only this chain; repeatable (default: every chain that has a file)')
        .choices([...CHAIN_IDS])
        .argParser(collectChain),
    )
    .option('--existing', 'refuse to create a store: for schedules')
    .option('--full', 'rebuild and compare all history, whatever its digests say')
    .option('--all-or-nothing', 'publish nothing when any chain is refused or invalid')
    .option('--accept-restatements <reason>', 'publish changed history, with this public reason', parseReason)
    .addOption(
      new Option(
        '--plan <digest>',
        'accept only the restatements that were shown with this digest',
      ).argParser(parseDigest),
    );
}

function toPublishOptions(raw: RawOptions, { now }: CliTerms): PublishOptions {
  if (raw.plan !== undefined && raw.acceptRestatements === undefined) {
    throw new GeneratorError('usage', '--plan goes with --accept-restatements "<reason>"');
  }
  const acceptance: Acceptance | undefined =
    raw.acceptRestatements === undefined
      ? undefined
      : { reason: raw.acceptRestatements, ...(raw.plan === undefined ? {} : { planDigest: raw.plan }) };
  return {
    input: raw.input,
    store: raw.store,
    asOfMs: raw.asOf ?? Math.floor(now() / 1000) * 1000,
    existing: raw.existing ?? false,
    full: raw.full ?? false,
    allOrNothing: raw.allOrNothing ?? false,
    json: raw.json ?? false,
    quiet: raw.quiet ?? false,
    ...(raw.chain ? { chains: raw.chain } : {}),
    ...(acceptance ? { acceptance } : {}),
  };
}

function parseAsOf(text: string): number {
  const ms = parseInstant(text);
  if (ms === undefined) throw new InvalidArgumentError('write 2026-08-19 or 2026-08-19T06:00:00Z.');
  return ms;
}

function parseReason(text: string): string {
  const [fault] = findSchemaFaults('reason', text);
  if (fault !== undefined)
    throw new InvalidArgumentError('give a public reason of 1 to 200 printable characters.');
  return text;
}

function parseDigest(text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new InvalidArgumentError('give the 64 hex digits that the plan showed.');
  return text;
}

function collectChain(text: string, before: readonly Chain[] | undefined): readonly Chain[] {
  const chain = CHAIN_IDS.find((each) => each === text);
  if (chain === undefined) throw new InvalidArgumentError(`chains are ${CHAIN_IDS.join(', ')}.`);
  return [...(before ?? []), chain];
}

function example(line: string): string {
  return `\nExample:\n  ${line}`;
}

function exitCodeHelp(): string {
  const rows = Object.values(EXIT_CODES).map(
    ({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`,
  );
  return `\nExit codes:\n${rows.join('\n')}`;
}

/** Says what went wrong; a stack only for a bug. */
function explain(error: unknown, warn: (text: string) => void): ExitName {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'done' : 'usage';
  if (error instanceof GeneratorError) {
    warn(`generator: ${error.message}`);
    return error.exit;
  }
  if (error instanceof StoreError) {
    warn(`generator: ${error.message}`);
    return STORE_EXITS[error.code];
  }
  if (error instanceof Error && error.name === 'AbortError') {
    warn('generator: interrupted: nothing was written');
    return 'interrupted';
  }
  warn(
    `generator: this is a bug, please report it:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  return 'bug';
}

/** What `--json` prints of a run that failed before it had a result. */
function toFailure(exit: ExitName, error: unknown): object {
  const message = error instanceof Error ? error.message : String(error);
  return { outcome: 'failed', error: { name: exit, code: EXIT_CODES[exit].code, message } };
}

const STORE_EXITS = {
  unavailable: 'store-unavailable',
  locked: 'conflict',
  address: 'usage',
} as const satisfies Record<StoreError['code'], ExitName>;
