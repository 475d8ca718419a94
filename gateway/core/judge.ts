import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** The value that a text means, or what was expected instead; a fault never repeats the text. */
export type Judged<T> = { readonly value: T } | { readonly fault: string };

/** Judges a text. Pure and total. */
export type Judge<T> = (text: string) => Judged<T>;

let ajv: Ajv2020 | undefined;

/** Takes the texts that a JSON Schema (2020-12, with formats) takes. */
export function bySchema(schema: object, expected: string): Judge<string> {
  let validate: ValidateFunction | undefined; // compiled when first asked
  return (text) => {
    ajv ??= createAjv();
    validate ??= ajv.compile({ type: 'string', ...schema });
    return validate(text) ? { value: text } : { fault: expected };
  };
}

/** Takes a whole number in decimal digits. */
export function wholeNumber(least: number, most: number): Judge<number> {
  return (text) => {
    const value = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : NaN;
    return value >= least && value <= most ? { value } : { fault: `a whole number from ${least} to ${most}` };
  };
}

/** Takes one of a few words. */
export function oneOf<const W extends string>(words: readonly W[]): Judge<W> {
  return (text) => {
    const value = words.find((word) => word === text);
    return value === undefined ? { fault: `one of ${words.join(', ')}` } : { value };
  };
}

/** Whether a judge takes a text. */
export function isSound(judge: Judge<unknown>, text: string): boolean {
  return 'value' in judge(text);
}

/** The items of a list, without the blanks around them. */
export function itemsOf(text: string, separator: string | RegExp): string[] {
  return text.split(separator).map((item) => item.trim());
}

function createAjv(): Ajv2020 {
  const instance = new Ajv2020({ strict: true, strictTypes: false });
  formats.default(instance);
  return instance;
}
