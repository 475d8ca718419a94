import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RequestCounts } from '../../infra/store/counting-store.js';
import { codeOf } from '../../infra/store/system-error.js';
import { GeneratorError, type ExitName } from '../core/generator-error.js';
import type { StageRecord } from './progress.js';

/** What a run did, for the records of the pipeline that started it. */
export type RunReport = {
  readonly schema: 'run-report/1';
  readonly command: string;
  readonly started_at: string;
  readonly ended_at: string;
  readonly exit: { readonly name: ExitName; readonly code: number };
  /** Why the run failed; null when it did not, or when the result says it. */
  readonly error: string | null;
  readonly stages: readonly StageRecord[];
  /** Operations that were asked of the store. */
  readonly requests: RequestCounts;
  /** The document that `--json` prints; null when the run failed before it had one. */
  readonly result: object | null;
};

/** Writes a report to a file, whole or not at all. @throws GeneratorError 'usage' when it cannot be written. */
export async function writeRunReport(file: string, report: RunReport): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(temporary, `${JSON.stringify(report, null, 2)}\n`, { flush: true });
    await rename(temporary, file);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw new GeneratorError('usage', `--report ${file} cannot be written (${codeOf(error) ?? ''})`, {
      cause: error,
    });
  }
}
