import { type SigningVariables } from '../../signing/open-signer.js';
import {
  createByteCounts,
  createCountingStore,
  createRequestCounts,
} from '../../../infra/store/counting-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { GeneratorBuild } from '../../../schemas/types.generated.js';
import { openStore } from '../../../infra/store/open-store.js';
import { createStoppableStore } from '../../../infra/store/stoppable-store.js';
import { formatFailure } from '../../../infra/process/exit-codes.js';
import { PLAIN, type Paint } from '../../../infra/process/paint.js';
import { shownJson } from '../../../infra/process/printable.js';
import { EXIT_CODES, type ExitName } from '../../core/generator-error.js';
import { openSigning } from '../../signing/signing.js';
import { recordStages } from '../../run/progress.js';
import { writeRunReport, type RunReport } from '../../run/run-report.js';
import { type Diagnostics, explainError } from '../../terminal/diagnostics.js';
import type { CommandContext, CommonOptions } from './options.js';
import { findNextCommand } from './next-command.js';

/** The effects that running a command line needs. */
export type RunOptions = {
  /** The words that start the program, for commands to paste. Default: `generator`. */
  readonly program?: readonly string[];
  /** Writes results. */
  readonly print: (text: string) => void;
  /** Colours outcomes in results that are texts. Default: no colours. */
  readonly paint?: Paint;
  /** True if `print` writes to a terminal that shows bold text. */
  readonly hasColours?: boolean;
  readonly now: () => number;
  /** Aborted when the operator interrupts. */
  readonly interrupted: AbortSignal;
  /** Aborted some time after `interrupted`: operations that still wait for a store must end. */
  readonly stopped: AbortSignal;
  /** The variables of the environment that name a key for signing. Default: none. */
  readonly signingVariables?: SigningVariables;
  /** What this program was built from, which statements name. */
  readonly build: GeneratorBuild;
  readonly openDiagnostics: (options: { readonly quiet: boolean; readonly logJson: boolean }) => Diagnostics;
};

/** Runs the work of a command, explains a failure, and writes the run report if there is to be one. */
export async function runCommand(
  name: string,
  options: CommonOptions,
  work: (context: CommandContext) => Promise<ExitName>,
  runOptions: RunOptions & { readonly args: readonly string[] },
): Promise<ExitName> {
  const { json = false, quiet = false, logJson = false } = options;
  const { program = ['generator'], args, print, paint = PLAIN, now, interrupted, build } = runOptions;
  const { signingVariables = {} } = runOptions;
  const diagnostics = runOptions.openDiagnostics({ quiet, logJson });
  const record = createRecord(name, now);
  const recorded = recordStages(diagnostics.progress, () => performance.now());
  let result: object | undefined;
  let exit: ExitName;
  let message: string | undefined;
  let next: string | undefined;
  const commandLine = { program, args };
  try {
    exit = await work({
      show(document, text) {
        result = document;
        if (json) print(shownJson(document));
        else if (!quiet && text !== '') print(paint(text));
      },
      paint,
      warn: diagnostics.warn,
      commandLine,
      now,
      progress: recorded.progress,
      signal: interrupted,
      async openStore(address) {
        const store = await openCounted(address, options, runOptions, record);
        record.stores.push(store.address);
        return store;
      },
      openSigning: (store, { isChecked = false } = {}) =>
        openSigning(store, {
          isChecked,
          variables: signingVariables,
          generator: build,
          now,
          warn: diagnostics.warn,
        }),
    });
  } catch (error) {
    recorded.progress.abandon();
    ({ exit, message } = explainError(error));
    next = findNextCommand({ command: name, error, exit }, commandLine);
    if (json && result === undefined) print(formatFailure(EXIT_CODES, { exit, message, next }));
  }
  await finish(
    { ...record.end(exit, message), next: next ?? null, stages: recorded.stages, result: result ?? null },
    options,
    diagnostics,
  );
  return exit;
}

/** The record of a run from its start. */
type RunRecord = Pick<RunReport, 'requests' | 'bytes'> & {
  readonly stores: string[];
  /** Returns the report of the run, without next command, stages and result. */
  readonly end: (exit: ExitName, message?: string) => Omit<RunReport, 'next' | 'stages' | 'result'>;
};

function createRecord(command: string | null, now: () => number): RunRecord {
  const startedAt = new Date(now()).toISOString();
  const startedMs = performance.now();
  const counted = { stores: [], requests: createRequestCounts(), bytes: createByteCounts() };
  return {
    ...counted,
    end: (exit, message) => ({
      schema: 'run-report/1',
      command,
      started_at: startedAt,
      ended_at: new Date(now()).toISOString(),
      seconds: Math.round(performance.now() - startedMs) / 1000,
      exit: { name: exit, code: EXIT_CODES[exit].code },
      error: message ?? null,
      ...counted,
    }),
  };
}

async function openCounted(
  address: string,
  { endpoint, pathStyle }: CommonOptions,
  { stopped }: RunOptions,
  { requests, bytes }: RunRecord,
): Promise<ObjectStore> {
  const s3 = {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(pathStyle === undefined ? {} : { pathStyle }),
  };
  const store = await openStore(address, { s3, signal: stopped });
  return createCountingStore(createStoppableStore(store, stopped), requests, bytes);
}

/** Writes the run report to the file of `--report`, and reports how the run ended. */
async function finish(
  report: RunReport,
  options: Pick<CommonOptions, 'report'>,
  { warn, end }: Diagnostics,
): Promise<void> {
  const { command, exit, error, next, seconds } = report;
  if (options.report !== undefined) {
    // The work is done: a report that cannot be written does not change the exit.
    await writeRunReport(options.report, report).catch((failure: unknown) =>
      warn(explainError(failure).message),
    );
  }
  if (end === undefined) {
    if (error !== null) warn(`generator: ${error}`);
    if (next !== null) warn(`  ${next}`);
    return;
  }
  end({
    exit: exit.name,
    seconds,
    ...(command === null ? {} : { command }),
    ...(error === null ? {} : { message: error }),
    ...(next === null ? {} : { next }),
  });
}

/** Why a command line was not understood: in one line, and as commander explains it to a person. */
type Misuse = { readonly message: string; readonly text: string };

/**
 * Ends a run whose command line was not understood. It still honours `--json`, `--log-json` and `--report`, which it
 * looks for in the plain arguments.
 */
export async function endMisuse(
  args: readonly string[],
  { message, text }: Misuse,
  { print, now, openDiagnostics }: RunOptions,
): Promise<ExitName> {
  const [command = ''] = args;
  const report = valueOf(args, '--report');
  const { warn, progress, end } = openDiagnostics({ quiet: false, logJson: args.includes('--log-json') });
  if (args.includes('--json')) print(formatFailure(EXIT_CODES, { exit: 'usage', message }));
  const record = createRecord(/^[a-z]/.test(command) ? command : null, now);
  await finish(
    { ...record.end('usage', message), next: null, stages: [], result: null },
    report === undefined ? {} : { report },
    { warn, progress, end: end ?? (() => warn(text)) },
  );
  return 'usage';
}

function valueOf(args: readonly string[], option: string): string | undefined {
  const at = args.findIndex((arg) => arg === option || arg.startsWith(`${option}=`));
  const value = args[at] === option ? args[at + 1] : args[at]?.slice(option.length + 1);
  return value === undefined || value.startsWith('-') ? undefined : value;
}
