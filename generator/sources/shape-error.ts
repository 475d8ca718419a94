import { isJsonNumber } from '../core/collection/values/json-digits.js';
import { SourceError } from './source.js';

/** Returns the error of an answer that differs from what is expected at `where`. */
export function shapeError(where: string, expected: string, got: string): SourceError {
  const shown = got.replace(/\p{C}/gu, '?').slice(0, 80);
  return new SourceError('shape', `${where}: expected ${expected}, got ${shown}.`);
}

/** Describes a parsed value that has another type than expected. Texts are quoted. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'no such field';
  if (value === null) return 'null';
  if (typeof value === 'string') return `"${value}"`;
  if (isJsonNumber(value)) return `the number ${value.number}`;
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'boolean' ? 'a boolean' : 'an object';
}
