import { createScanner } from 'jsonc-parser';

/** A number of a JSON text, with its digits as they are in the text. */
type JsonNumber = { readonly number: string };

// jsonc-parser declares its token kinds as a const enum, which modules that are compiled one by one cannot import
const OPEN_BRACE = 1;
const OPEN_BRACKET = 3;
const NUMERIC_LITERAL = 11;
const END_OF_FILE = 17;

/**
 * Most numbers, arrays and objects of a text. Each takes up to 200 bytes of memory, even if it has two bytes of text. Rows
 * of a name, a date and a number reach it at 40 MB.
 */
const MAX_VALUES = 1_000_000;

/**
 * Parses JSON and keeps the digits of its numbers: each becomes a `JsonNumber`.
 * @throws SyntaxError for text that is not JSON, such as a bare NaN, and for more than a million values.
 */
export function parseJsonDigits(text: string): unknown {
  const wrapped = wrapNumbers(text);
  JSON.parse(text); // the scanner accepts more than JSON
  return JSON.parse(wrapped);
}

export function isJsonNumber(value: unknown): value is JsonNumber {
  return typeof value === 'object' && value !== null && 'number' in value && typeof value.number === 'string';
}

function wrapNumbers(text: string): string {
  const scanner = createScanner(text, true);
  const parts: string[] = [];
  let copied = 0;
  let values = 0;
  for (let kind: number = scanner.scan(); kind !== END_OF_FILE; kind = scanner.scan()) {
    if (kind !== NUMERIC_LITERAL && kind !== OPEN_BRACE && kind !== OPEN_BRACKET) continue;
    values += 1;
    if (values > MAX_VALUES) throw new SyntaxError('JSON of more than 1,000,000 numbers, arrays and objects');
    if (kind !== NUMERIC_LITERAL) continue;
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    parts.push(text.slice(copied, start), '{"number":"', text.slice(start, end), '"}');
    copied = end;
  }
  parts.push(text.slice(copied));
  return parts.join('');
}
