import {
  EXIT_CODES as GATEWAY_CODES,
  TRANSIENT_EXITS as GATEWAY_TRANSIENT,
} from '../../../gateway/core/exit-codes.js';
import { EXIT_CODES, TRANSIENT_EXITS, type ExitName } from '../../../generator/core/generator-error.js';

/** The exit codes of a program that end a scheduled run. A run with any other code is retried. */
export type ExitHandling = {
  /** The run succeeded, or publication is on hold: no alarm. */
  readonly success: readonly number[];
  /** A retry would end the same way: the run fails immediately. */
  readonly final: readonly number[];
};

/** Exits of a run that are handled otherwise than usual. */
type OtherExits = {
  /** Exits to retry in addition to the transient ones. */
  readonly retryAlso?: readonly ExitName[];
  /** Exits that another run has reported already. */
  readonly succeedAlso?: readonly ExitName[];
};

/** Returns the exit handling of a generator run. */
export function generatorExits({ retryAlso = [], succeedAlso = [] }: OtherExits = {}): ExitHandling {
  return toExitHandling(EXIT_CODES, ['done', 'held', ...succeedAlso], [...TRANSIENT_EXITS, ...retryAlso]);
}

/** Exit handling of the reconciliation with Stripe, which can be interrupted and repeated at any time. */
export const RECONCILE_EXITS = toExitHandling(GATEWAY_CODES, ['done'], [...GATEWAY_TRANSIENT, 'interrupted']);

function toExitHandling<Name extends string>(
  codes: Readonly<Record<Name, { readonly code: number }>>,
  success: readonly NoInfer<Name>[],
  retried: readonly NoInfer<Name>[],
): ExitHandling {
  const names = Object.keys(codes) as Name[];
  const final = names.filter((name) => !success.includes(name) && !retried.includes(name));
  const codesOf = (listed: readonly Name[]): number[] => listed.map((name) => codes[name].code);
  return { success: codesOf(success), final: codesOf(final) };
}
