import { fullFormats, type FormatName } from 'ajv-formats/dist/formats.js';

/** The value of a text, or what was expected instead. The text may be secret, so it is never repeated. */
export type Parsed<T> = { readonly value: T } | { readonly expected: string };

/** Parses a text. Pure, and never throws. */
export type Parser<T> = (text: string) => Parsed<T>;

/** The form of a text: every member that is present must hold. */
export type Form = {
  readonly pattern?: RegExp;
  /** In characters. */
  readonly maxLength?: number;
  /** Formats of JSON Schema, one of which the text must have. */
  readonly formats?: readonly FormatName[];
};

/** Creates a parser that accepts the texts of a form. */
export function byForm({ pattern, maxLength, formats }: Form, expected: string): Parser<string> {
  const hasForm = (text: string): boolean =>
    (maxLength === undefined || Array.from(text).length <= maxLength) &&
    (pattern === undefined || pattern.test(text)) &&
    (formats === undefined || formats.some((name) => hasFormat(name, text)));
  return (text) => (hasForm(text) ? { value: text } : { expected });
}

function hasFormat(name: FormatName, text: string): boolean {
  const format: unknown = fullFormats[name];
  if (format instanceof RegExp) return format.test(text);
  if (typeof format === 'function') return (format as (text: string) => boolean)(text); // a format of texts
  throw new TypeError(`${name} is no format of texts`);
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
