import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** The value of a text, or what was expected instead. The text may be secret, so it is never repeated. */
export type Parsed<T> = { readonly value: T } | { readonly expected: string };

/** Parses a text. Pure, and never throws. */
export type Parser<T> = (text: string) => Parsed<T>;

let ajv: Ajv2020 | undefined;

/** Creates a parser that accepts the texts that are valid under a JSON Schema (2020-12, with formats). */
export function bySchema(schema: object, expected: string): Parser<string> {
  let validate: ValidateFunction | undefined; // compiled at the first use
  return (text) => {
    ajv ??= createAjv();
    validate ??= ajv.compile({ type: 'string', ...schema });
    return validate(text) ? { value: text } : { expected };
  };
}

/** Creates a parser for a whole number in decimal digits. */
export function wholeNumber(min: number, max: number): Parser<number> {
  return (text) => {
    const value = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : NaN;
    return value >= min && value <= max ? { value } : { expected: `a whole number from ${min} to ${max}` };
  };
}

/** Creates a parser for one of a few words. */
export function oneOf<const W extends string>(words: readonly W[]): Parser<W> {
  return (text) => {
    const value = words.find((word) => word === text);
    return value === undefined ? { expected: `one of ${words.join(', ')}` } : { value };
  };
}

/** Returns whether a parser accepts a text. */
export function isValid(parse: Parser<unknown>, text: string): boolean {
  return 'value' in parse(text);
}

/** Splits a list into its items, without surrounding blanks. */
export function splitList(text: string, separator: string | RegExp): string[] {
  return text.split(separator).map((item) => item.trim());
}

function createAjv(): Ajv2020 {
  const instance = new Ajv2020({ strict: true });
  formats.default(instance);
  return instance;
}
