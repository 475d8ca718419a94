import type { Chain } from '../../schemas/types.generated.js';

/** One thing that is wrong with the input, where it is and how to mend it. Lines and columns count from 1. */
export type InputFault = {
  /** The chain whose input is invalid by it; absent when every chain's is. */
  readonly chain?: Chain;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** What is wrong, naming the column or member. */
  readonly message: string;
  readonly remedy: string;
};

/** The fault in one line: `bitcoin.csv:12:4: what is wrong; what to do`. */
export function formatInputFault({ file, line, column, message, remedy }: InputFault): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return `${place}: ${message}; ${remedy}`;
}
