import { describeValue, shapeError } from '../shape-error.js';
import type { JsonRpc } from './json-rpc.js';

const LONGEST_CLIENT = 120;

/** A JSON object of a node. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns a value that must be an object. @throws SourceError 'shape' */
export function toFields(where: string, value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw shapeError(where, 'an object', describeValue(value));
}

/** Returns a value that must be an array. @throws SourceError 'shape' */
export function toArray(where: string, value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw shapeError(where, `an array as ${name}`, describeValue(value));
}

/** Returns the name and version of a node's program as text that can be printed; `unknown` for none. */
export function toClientName(value: unknown, scrub: JsonRpc['scrub']): string {
  if (typeof value !== 'string' || value.trim() === '') return 'unknown';
  return scrub(value.replace(/\p{C}/gu, '?')).trim().slice(0, LONGEST_CLIENT);
}
