import { createScanner } from 'jsonc-parser';

/** A number of a JSON text, with its digits as they are in the text. */
export type JsonNumber = { readonly number: string };

// jsonc-parser declares its token kinds as a const enum, which modules that are compiled one by one cannot import
const NUMERIC_LITERAL = 11;
const END_OF_FILE = 17;

/**
 * Parses JSON and keeps the digits of its numbers: each becomes a `JsonNumber`.
 * @throws SyntaxError for text that is not JSON, such as a bare NaN.
 */
export function parseJsonDigits(text: string): unknown {
  JSON.parse(text); // the scanner below accepts more than JSON
  return JSON.parse(wrapNumbers(text));
}

export function isJsonNumber(value: unknown): value is JsonNumber {
  return typeof value === 'object' && value !== null && 'number' in value && typeof value.number === 'string';
}

function wrapNumbers(text: string): string {
  const scanner = createScanner(text, true);
  const parts: string[] = [];
  let copied = 0;
  for (let kind: number = scanner.scan(); kind !== END_OF_FILE; kind = scanner.scan()) {
    if (kind !== NUMERIC_LITERAL) continue;
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    parts.push(text.slice(copied, start), '{"number":"', text.slice(start, end), '"}');
    copied = end;
  }
  parts.push(text.slice(copied));
  return parts.join('');
}
