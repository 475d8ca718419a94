import type { Fields } from '../json-rpc/fields.js';
import { describeValue, shapeError } from '../shape-error.js';

/** Returns a quantity of a field, written in hexadecimal. @throws SourceError 'shape' */
export function readQuantity(where: string, fields: Fields, name: string): bigint {
  const value = fields[name];
  if (isQuantity(value)) return BigInt(value);
  throw shapeError(where, `a quantity as ${name}`, describeValue(value));
}

/** Returns a quantity of a field; `undefined` if the field is absent or null. @throws SourceError 'shape' */
export function readOptionalQuantity(where: string, fields: Fields, name: string): bigint | undefined {
  return isAbsent(fields[name]) ? undefined : readQuantity(where, fields, name);
}

/** Returns a quantity that is a safe integer. @throws SourceError 'shape' */
export function readInteger(where: string, fields: Fields, name: string): number {
  const integer = Number(readQuantity(where, fields, name));
  if (Number.isSafeInteger(integer)) return integer;
  throw shapeError(where, `an integer below 2^53 as ${name}`, `${integer}`);
}

/** Returns the hash of a field, in lower case. @throws SourceError 'shape' */
export function readHash(where: string, fields: Fields, name: string): string {
  return toHash(where, fields[name], name);
}

/** Returns a value that must be a hash of 32 bytes, in lower case. @throws SourceError 'shape' */
export function toHash(where: string, value: unknown, name: string): string {
  if (typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  throw shapeError(where, `32 bytes in hexadecimal as ${name}`, describeValue(value));
}

/** Returns the 20 bytes of an address; `undefined` if the field is absent or null. @throws SourceError 'shape' */
export function readAddress(where: string, fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)) {
    return Buffer.from(value.slice(2), 'hex').toString('latin1'); // half as long as the text
  }
  throw shapeError(where, `20 bytes in hexadecimal as ${name}`, describeValue(value));
}

export function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
