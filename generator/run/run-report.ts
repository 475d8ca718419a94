import { randomBytes } from 'node:crypto';
import { constants, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { ByteCounts, RequestCounts } from '../../infra/store/counting-store.js';
import { codeOf, ignoreAbsent } from '../../infra/store/system-error.js';
import { GeneratorError, type ExitName } from '../core/generator-error.js';
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
  try {
    const found = await stat(file).catch(ignoreAbsent);
    if (found?.isFile()) await assertReplaceable(file);
    if (found === undefined || found.isFile())
      await replaceFile(file, `${JSON.stringify(report, null, 2)}\n`);
    else await writeToDevice(file, `${JSON.stringify(report)}\n`);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const message = `--report ${file} cannot be written (${code}). Name a file in an existing, writable folder.`;
    throw new GeneratorError('usage', message, { cause: error });
  }
}

const BEGINNING = /^\s*$|^\s*\{\s*"schema":\s*"run-report\//;

/** Passes if a file is empty or an earlier report. @throws GeneratorError 'usage' otherwise: it may be the operator's data. */
async function assertReplaceable(file: string): Promise<void> {
  const handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(200), 0, 200, 0).finally(() => handle.close());
  if (BEGINNING.test(buffer.toString('utf8', 0, bytesRead))) return;
  throw new GeneratorError(
    'usage',
    `--report ${file} was not written, because the file exists and is not a report. Name another file.`,
  );
}

/** Writes to a pipe or device, which a rename would replace by a file. Fails with ENXIO for a pipe that nobody reads, instead of waiting. */
async function writeToDevice(file: string, text: string): Promise<void> {
  const probe = await open(file, constants.O_WRONLY | constants.O_NONBLOCK);
  await writeFile(file, text).finally(() => probe.close());
}

async function replaceFile(file: string, text: string): Promise<void> {
  const target = (await realpath(file).catch(ignoreAbsent)) ?? file; // writes to the target of a symbolic link instead of replacing the link
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { flush: true });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // report the first failure
    throw error;
  }
}
