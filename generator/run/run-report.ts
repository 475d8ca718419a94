import type { ByteCounts, RequestCounts } from '../../infra/store/counting-store.js';
import type { ExitName } from '../core/generator-error.js';
import { writeOwnFile } from './own-file.js';
import type { StageRecord } from './progress.js';

/** The report of a run, for the pipeline that started it. */
export type RunReport = {
  readonly schema: 'run-report/1';
  /** The command as typed; null if the command line names none. */
  readonly command: string | null;
  /** The addresses of the stores, in the order in which they were opened. */
  readonly stores: readonly string[];
  readonly started_at: string;
  readonly ended_at: string;
  readonly seconds: number;
  readonly exit: { readonly name: ExitName; readonly code: number };
  /** Why the run failed; null if it did not fail, or if the result says why. */
  readonly error: string | null;
  /** The command that helps after an error; null if there is none. */
  readonly next: string | null;
  readonly stages: readonly StageRecord[];
  /** Operations on the stores. Retries within a store are not counted. */
  readonly requests: RequestCounts;
  /** Bytes that these operations read and sent. */
  readonly bytes: ByteCounts;
  /** The document that `--json` prints; null if the run failed without a result. */
  readonly result: object | null;
};

/**
 * Writes a report to a file, atomically. It replaces only an earlier report or an empty file. A pipe or a device gets it as one line, so that a log collector keeps it whole.
 * @throws GeneratorError 'usage' when it cannot be written.
 */
export async function writeRunReport(file: string, report: RunReport): Promise<void> {
  await writeOwnFile(file, {
    ...{ option: '--report', what: 'report', beginning: BEGINNING },
    text: `${JSON.stringify(report, null, 2)}\n`,
    line: `${JSON.stringify(report)}\n`,
  });
}

const BEGINNING = /^\s*$|^\s*\{\s*"schema":\s*"run-report\//;
