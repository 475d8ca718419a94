import { codeOf } from '../../infra/store/system-error.js';
import type { InputFault } from '../core/input/input-fault.js';

/** A fault within a known file. */
export type FileFault = Pick<InputFault, 'line' | 'column' | 'message' | 'remedy'>;

/** A fault that ends the reading of an input file. Lines count from 1. */
export class FileFaultError extends Error {
  readonly remedy: string;
  readonly line: number | undefined;

  constructor(message: string, remedy: string, line?: number) {
    super(message);
    this.remedy = remedy;
    this.line = line;
  }
}

/** Describes why a file could not be read; `remedy` is for a system error. Throws any other error again. */
export function describeReadError(error: unknown, remedy: string): FileFault {
  if (error instanceof FileFaultError) {
    const { message, line } = error;
    return { message, remedy: error.remedy, ...(line === undefined ? {} : { line }) };
  }
  const code = codeOf(error);
  if (code === undefined) throw error;
  return { message: `cannot be read (${code})`, remedy };
}
