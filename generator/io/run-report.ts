import { randomBytes } from 'node:crypto';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { ByteCounts, RequestCounts } from '../../infra/store/counting-store.js';
import { codeOf, ignoreAbsent } from '../../infra/store/system-error.js';
import { GeneratorError, type ExitName } from '../core/generator-error.js';
import type { StageRecord } from './progress.js';

/** What a run did, for the records of the pipeline that started it. */
export type RunReport = {
  readonly schema: 'run-report/1';
  /** As it was typed; null when the command line names none. */
  readonly command: string | null;
  /** The stores that were opened, in that order. */
  readonly stores: readonly string[];
  readonly started_at: string;
  readonly ended_at: string;
  readonly seconds: number;
  readonly exit: { readonly name: ExitName; readonly code: number };
  /** Why the run failed; null when it did not, or when the result says it. */
  readonly error: string | null;
  readonly stages: readonly StageRecord[];
  /** Operations that were asked of the stores; what a store repeats by itself is not counted. */
  readonly requests: RequestCounts;
  /** What those operations moved. */
  readonly bytes: ByteCounts;
  /** The document that `--json` prints; null when the run failed before it had one. */
  readonly result: object | null;
};

/**
 * Writes a report to a file, whole or not at all; into a pipe or a device as one line, which a collector of logs keeps whole.
 * @throws GeneratorError 'usage' when it cannot be written.
 */
export async function writeRunReport(file: string, report: RunReport): Promise<void> {
  try {
    const found = await stat(file).catch(ignoreAbsent);
    if (found === undefined || found.isFile())
      await replaceFile(file, `${JSON.stringify(report, null, 2)}\n`);
    else await writeFile(file, `${JSON.stringify(report)}\n`); // never renamed over: /dev/null is everybody's
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const message = `--report ${file} cannot be written (${code}); give a file in a folder that exists and may be written`;
    throw new GeneratorError('usage', message, { cause: error });
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  const target = (await realpath(file).catch(ignoreAbsent)) ?? file; // a link stays one
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { flush: true });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // the first failure is the one to tell of
    throw error;
  }
}
