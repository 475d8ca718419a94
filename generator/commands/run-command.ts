import {
  createByteCounts,
  createCountingStore,
  createRequestCounts,
} from '../../infra/store/counting-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { openStore } from '../../infra/store/open-store.js';
import { createStoppableStore } from '../../infra/store/stoppable-store.js';
import { EXIT_CODES, type ExitName } from '../core/generator-error.js';
import { recordStages, type Progress } from '../io/progress.js';
import { writeRunReport, type RunReport } from '../io/run-report.js';
import type { CommandContext, CommonOptions } from './context.js';
import { explainError } from './explain-error.js';

/** What running a command needs of the outside world. */
export type RunTerms = {
  /** Writes results. */
  readonly print: (text: string) => void;
  readonly now: () => number;
  /** Aborted when the operator interrupts. */
  readonly interrupted: AbortSignal;
  /** Aborted a little later: whatever still waits for a store must end. */
  readonly stopped: AbortSignal;
  readonly diagnosis: (options: { readonly quiet: boolean; readonly logJson: boolean }) => Diagnosis;
};

/** Where diagnosis and progress go. */
export type Diagnosis = {
  readonly warn: (text: string) => void;
  readonly progress: Progress;
  /** Says how the run ended; where it is absent, a failure is a line of diagnosis. */
  readonly end?: (ending: RunEnding) => void;
};

/** How a run ended. `message` is there when it failed without a result that says why. */
export type RunEnding = {
  /** Absent when the command line was not understood. */
  readonly command?: string;
  readonly exit: ExitName;
  readonly seconds: number;
  readonly message?: string;
};

/** Runs the work of a command to its end; explains a failure, and writes the run report that was asked for. */
export async function runCommand(
  name: string,
  options: CommonOptions,
  work: (context: CommandContext) => Promise<ExitName>,
  terms: RunTerms,
): Promise<ExitName> {
  const { json = false, quiet = false, logJson = false } = options;
  const { print, now, interrupted } = terms;
  const diagnosis = terms.diagnosis({ quiet, logJson });
  const record = createRecord(name, now);
  const recorded = recordStages(diagnosis.progress, () => performance.now());
  let result: object | undefined;
  let exit: ExitName;
  let message: string | undefined;
  try {
    exit = await work({
      show(document, text) {
        result = document;
        if (json) print(JSON.stringify(document, null, 2));
        else if (!quiet && text !== '') print(text);
      },
      warn: diagnosis.warn,
      now,
      progress: recorded.progress,
      signal: interrupted,
      async openStore(address) {
        const store = await openCounted(address, options, terms, record);
        record.stores.push(store.address);
        return store;
      },
    });
  } catch (error) {
    recorded.progress.abandon();
    ({ exit, message } = explainError(error));
    if (json && result === undefined) print(JSON.stringify(toFailure(exit, message), null, 2));
  }
  await finish(
    { ...record.end(exit, message), stages: recorded.stages, result: result ?? null },
    options,
    diagnosis,
  );
  return exit;
}

/** What is put down of a run from its beginning. */
type RunRecord = Pick<RunReport, 'requests' | 'bytes'> & {
  readonly stores: string[];
  /** The report of the run as it stands, without stages and result. */
  readonly end: (exit: ExitName, message?: string) => Omit<RunReport, 'stages' | 'result'>;
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
  { stopped }: RunTerms,
  { requests, bytes }: RunRecord,
): Promise<ObjectStore> {
  const s3 = {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(pathStyle === undefined ? {} : { pathStyle }),
  };
  const store = await openStore(address, { s3, signal: stopped });
  return createCountingStore(createStoppableStore(store, stopped), requests, bytes);
}

/** Writes the report that was asked for, and says how the run ended. */
async function finish(report: RunReport, options: CommonOptions, { warn, end }: Diagnosis): Promise<void> {
  const { command, exit, error, seconds } = report;
  if (options.report !== undefined) {
    // The run is over and its exit says how: a report that cannot be kept must not say otherwise.
    await writeRunReport(options.report, report).catch((failure: unknown) =>
      warn(explainError(failure).message),
    );
  }
  if (end === undefined) {
    if (error !== null) warn(`generator: ${error}`);
    return;
  }
  end({
    exit: exit.name,
    seconds,
    ...(command === null ? {} : { command }),
    ...(error === null ? {} : { message: error }),
  });
}

/** Why a command line was not understood: in a sentence, and at length for a person. */
export type Misreading = { readonly message: string; readonly text: string };

/** Ends a run whose command line was not understood; what its words about output ask for is given all the same. */
export async function endMisread(
  args: readonly string[],
  { message, text }: Misreading,
  { print, now, diagnosis }: RunTerms,
): Promise<ExitName> {
  const [command = ''] = args;
  const report = wordAfter(args, '--report');
  const { warn, progress, end } = diagnosis({ quiet: false, logJson: args.includes('--log-json') });
  if (args.includes('--json')) print(JSON.stringify(toFailure('usage', message), null, 2));
  const record = createRecord(/^[a-z]/.test(command) ? command : null, now);
  await finish(
    { ...record.end('usage', message), stages: [], result: null },
    report === undefined ? {} : { report },
    { warn, progress, end: end ?? (() => warn(text)) },
  );
  return 'usage';
}

function wordAfter(args: readonly string[], option: string): string | undefined {
  const at = args.findIndex((arg) => arg === option || arg.startsWith(`${option}=`));
  const word = args[at] === option ? args[at + 1] : args[at]?.slice(option.length + 1);
  return word === undefined || word.startsWith('-') ? undefined : word;
}

/** What `--json` prints of a run that failed before it had a result. */
export function toFailure(exit: ExitName, message: string): object {
  return { outcome: 'failed', error: { name: exit, code: EXIT_CODES[exit].code, message } };
}
