import { createCountingStore, createRequestCounts } from '../../infra/store/counting-store.js';
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
export type Diagnosis = { readonly warn: (text: string) => void; readonly progress: Progress };

/** Runs the work of a command to its end; explains a failure, and writes the run report that was asked for. */
export async function runCommand(
  name: string,
  options: CommonOptions,
  work: (context: CommandContext) => Promise<ExitName>,
  terms: RunTerms,
): Promise<ExitName> {
  const { json = false, quiet = false, logJson = false, endpoint, pathStyle } = options;
  const { print, now, interrupted, stopped } = terms;
  const { warn, progress } = terms.diagnosis({ quiet, logJson });
  const startedMs = now();
  const recorded = recordStages(progress, () => performance.now());
  const requests = createRequestCounts();
  const s3 = {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(pathStyle === undefined ? {} : { pathStyle }),
  };
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
      warn,
      now,
      progress: recorded.progress,
      signal: interrupted,
      openStore: async (address) =>
        createCountingStore(
          createStoppableStore(await openStore(address, { s3, signal: stopped }), stopped),
          requests,
        ),
    });
  } catch (error) {
    progress.abandon();
    ({ exit, message } = explainError(error));
    warn(`generator: ${message}`);
    if (json && result === undefined) print(JSON.stringify(toFailure(exit, message), null, 2));
  }
  if (options.report !== undefined) {
    const { code } = EXIT_CODES[exit];
    const report: RunReport = {
      schema: 'run-report/1',
      command: name,
      started_at: new Date(startedMs).toISOString(),
      ended_at: new Date(now()).toISOString(),
      exit: { name: exit, code },
      error: message ?? null,
      stages: recorded.stages,
      requests,
      result: result ?? null,
    };
    // The run is over and its exit says how: a report that cannot be kept must not say otherwise.
    await writeRunReport(options.report, report).catch((error: unknown) => warn(explainError(error).message));
  }
  return exit;
}

/** What `--json` prints of a run that failed before it had a result. */
export function toFailure(exit: ExitName, message: string): object {
  return { outcome: 'failed', error: { name: exit, code: EXIT_CODES[exit].code, message } };
}
