import {
  EXIT_CODES as GATEWAY_CODES,
  TRANSIENT_EXITS as GATEWAY_TRANSIENT,
} from '../../gateway/core/exit-codes.js';
import { EXIT_CODES, TRANSIENT_EXITS, type ExitName } from '../../generator/core/generator-error.js';

/** What a program's exit codes mean to who runs it by the clock. All that is not listed may pass: it is tried again. */
export type Endings = {
  /** Another run would end so too: given up at once. */
  readonly final: readonly number[];
  /** A person wants it so: nobody is told. */
  readonly wanted: readonly number[];
};

/** Endings of the generator; those of `passing` may pass besides. */
export function generatorEndings(...passing: readonly ExitName[]): Endings {
  const wanted: readonly ExitName[] = ['held'];
  return toEndings(EXIT_CODES, [...TRANSIENT_EXITS, ...passing], wanted);
}

/** Endings of the gateway's commands. */
export const GATEWAY_ENDINGS = toEndings(GATEWAY_CODES, GATEWAY_TRANSIENT, []);

function toEndings<Name extends string>(
  codes: Readonly<Record<Name, { readonly code: number }>>,
  passing: readonly NoInfer<Name>[],
  wanted: readonly NoInfer<Name>[],
): Endings {
  const listed = Object.entries(codes) as [Name, { code: number }][];
  const others = ['done', ...passing, ...wanted] as readonly string[];
  return {
    final: listed.filter(([name]) => !others.includes(name)).map(([, { code }]) => code),
    wanted: wanted.map((name) => codes[name].code),
  };
}
