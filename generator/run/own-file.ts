import { randomBytes } from 'node:crypto';
import { constants, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { codeOf, ignoreAbsent } from '../../infra/store/system-error.js';
import { GeneratorError } from '../core/generator-error.js';

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
