import type { ByteCounts, RequestCounts } from '../../infra/store/counting-store.js';
import { type ExitName, GeneratorError } from '../core/generator-error.js';
import type { StageRecord } from './progress.js';
import { randomBytes } from 'node:crypto';
import { constants, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { codeOf, ignoreAbsent } from '../../infra/store/system-error.js';

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
    option: '--report',
    what: 'report',
    beginning: BEGINNING,
    text: `${JSON.stringify(report, null, 2)}\n`,
    line: `${JSON.stringify(report)}\n`,
  });
}

const BEGINNING = /^\s*$|^\s*\{\s*"schema":\s*"run-report\//;

/** A file that the program writes for another one, which an option names. */
type OwnFile = {
  /** The option, such as `--report`. */
  readonly option: string;
  /** Kind of the file, such as `report`. */
  readonly what: string;
  /** Matches the beginning of an earlier one, and an empty file. */
  readonly beginning: RegExp;
  readonly text: string;
  /** Text for a pipe or a device. */
  readonly line: string;
};

/**
 * Writes a file atomically. It replaces only an earlier one of its kind or an empty file. A pipe or a device gets the line.
 * @throws GeneratorError 'usage' when it cannot be written.
 */
export async function writeOwnFile(file: string, own: OwnFile): Promise<void> {
  try {
    const found = await stat(file).catch(ignoreAbsent);
    if (found?.isFile()) await assertReplaceable(file, own);
    if (found === undefined || found.isFile()) await replaceFile(file, own.text);
    else await writeToDevice(file, own.line);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const message = `${own.option} ${file} cannot be written (${code}). Name a file in an existing, writable folder.`;
    throw new GeneratorError('usage', message, { cause: error });
  }
}

/** Passes if a file is empty or an earlier one. @throws GeneratorError 'usage' otherwise: it may be the operator's data. */
async function assertReplaceable(file: string, { option, what, beginning }: OwnFile): Promise<void> {
  const handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(200), 0, 200, 0).finally(() => handle.close());
  if (beginning.test(buffer.toString('utf8', 0, bytesRead))) return;
  throw new GeneratorError(
    'usage',
    `${option} ${file} was not written, because the file exists and is not a ${what}. Name another file.`,
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
