import type { Chain } from '../../../schemas/types.generated.js';

/** A fault in the input, with its location and its fix. Lines and columns count from 1. */
export type InputFault = {
  /** The affected chain. Absent when the fault affects every chain. */
  readonly chain?: Chain;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** States the fault and names the column or member. */
  readonly message: string;
  readonly remedy: string;
};

/** Returns the fault in one printable line: `bitcoin.csv:12:4: fault. Fix.` */
export function formatInputFault({ file, line, column, message, remedy }: InputFault): string {
  const location = [file, line, column].filter((part) => part !== undefined).join(':');
  const text = `${location}: ${message}. ${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`;
  return text.replace(/\p{C}/gu, '?');
}
