import {
  EXIT_CODES as GATEWAY_CODES,
  TRANSIENT_EXITS as GATEWAY_TRANSIENT,
} from '../../gateway/core/exit-codes.js';
import { EXIT_CODES, TRANSIENT_EXITS, type ExitName } from '../../generator/core/generator-error.js';

/** What a program's exit codes mean to who runs it by the clock. All that is not listed may pass: it is tried again. */
export type Endings = {
  /** It did what it should, or a person wants it so: nobody is told. */
  readonly well: readonly number[];
  /** Another run would end so too: given up at once. */
  readonly final: readonly number[];
};

/** Endings of the generator; those of `passing` may pass besides. */
export function generatorEndings(...passing: readonly ExitName[]): Endings {
  return toEndings(EXIT_CODES, ['done', 'held'], [...TRANSIENT_EXITS, ...passing]);
}

/** Endings of the comparison with Stripe, which may be done again whatever became of it. */
export const RECONCILE_ENDINGS = toEndings(GATEWAY_CODES, ['done'], [...GATEWAY_TRANSIENT, 'interrupted']);

function toEndings<Name extends string>(
  codes: Readonly<Record<Name, { readonly code: number }>>,
  well: readonly NoInfer<Name>[],
  passing: readonly NoInfer<Name>[],
): Endings {
  const names = Object.keys(codes) as Name[];
  const final = names.filter((name) => !well.includes(name) && !passing.includes(name));
  const codesOf = (listed: readonly Name[]): number[] => listed.map((name) => codes[name].code);
  return { well: codesOf(well), final: codesOf(final) };
}
