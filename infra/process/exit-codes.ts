import type { Help } from 'commander';
import { shownJson } from './printable.js';

/** The exit codes of a program by name, with the meanings for its help and documentation. */
export type ExitCodes<Exit extends string> = Readonly<
  Record<Exit, { readonly code: number; readonly meaning: string }>
>;

/** The name of the exit code for each code of a `StoreError`. Every program that opens stores has these. */
export const STORE_EXITS = {
  unavailable: 'store-unavailable',
  locked: 'conflict',
  address: 'usage',
  unsafe: 'usage',
} as const;

/** Formats the exit codes for the end of a help text, as commander formats its lists. */
export function formatExitCodes(exitCodes: ExitCodes<string>, helper: Help): string {
  return Object.values(exitCodes)
    .map(({ code, meaning }) => helper.formatItem(String(code).padStart(3), 3, meaning, helper))
    .join('\n');
}

/** The reason why a run failed, and the command to run next if there is one. */
type Failure<Exit extends string> = {
  readonly exit: Exit;
  readonly message: string;
  readonly next?: string | undefined;
};

/** Formats the document that `--json` prints for a run that failed without a result. */
export function formatFailure<Exit extends string>(
  exitCodes: ExitCodes<Exit>,
  { exit, message, next }: Failure<Exit>,
): string {
  const { code } = exitCodes[exit];
  return shownJson({ outcome: 'failed', error: { name: exit, code, message, next } });
}
