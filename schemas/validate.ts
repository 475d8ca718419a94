import type { ErrorObject, ValidateFunction } from 'ajv';
import { TEXT_RULES } from './text-formats.js';
import type { Contract } from './types.generated.js';
import { loadValidator, type Reports, type SchemaName, type WRITTEN_SCHEMAS } from './validators.js';

export type { SchemaName };

/** A schema violation. `pointer` is a JSON pointer (RFC 6901) to the invalid part of the value. */
type SchemaFault = { readonly pointer: string; readonly keyword: string; readonly message: string };

const loaded = new Map<string, ValidateFunction>();

/** Returns the first violation of the schema by `value`; an empty list if it is valid. */
export function findSchemaFaults(name: SchemaName, value: unknown): SchemaFault[] {
  return validate(name, 'first', value);
}

/** Returns all violations of the schema by `value`, for people who fix them all at once. */
export function findAllSchemaFaults(name: (typeof WRITTEN_SCHEMAS)[number], value: unknown): SchemaFault[] {
  return validate(name, 'all', value);
}

/**
 * Returns `value`, typed by its schema.
 * @throws SchemaError with schema, place and fault if it is invalid.
 */
export function assertValid<N extends SchemaName>(name: N, value: unknown): NonNullable<Contract[N]> {
  const faults = findSchemaFaults(name, value);
  if (faults.length > 0) throw new SchemaError(name, faults);
  return value as NonNullable<Contract[N]>; // the schema is the source of the type
}

/** Members of a chain that earlier builds published in some documents. They became false as time passed. */
const FORMER_MEMBERS: ReadonlySet<string> = new Set(['lag_days', 'freshness']);

/**
 * Returns a document that a release of this or of an earlier build published, without the members that only earlier builds
 * published.
 * @throws SchemaError like `assertValid`.
 */
export function assertPublished<N extends SchemaName>(name: N, value: unknown): NonNullable<Contract[N]> {
  return assertValid(name, withoutFormerMembers(name, value));
}

/** Returns a published document without the members that only earlier builds published, or the same value. */
export function withoutFormerMembers(name: SchemaName, value: unknown): unknown {
  if (name === 'summary') return withoutFormer(value);
  if ((name !== 'status' && name !== 'landing') || !isObject(value) || !isObject(value['chains']))
    return value;
  const chains = Object.entries(value['chains']).map(([chain, each]) => [chain, withoutFormer(each)]);
  return { ...value, chains: Object.fromEntries(chains) as unknown };
}

function withoutFormer(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !FORMER_MEMBERS.has(name)));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Thrown for a value that violates its schema. */
export class SchemaError extends Error {
  readonly schema: string;
  readonly faults: readonly SchemaFault[];

  constructor(schema: string, faults: readonly SchemaFault[]) {
    const [first] = faults;
    super(`not a valid ${schema}: ${first?.pointer || '/'} ${first?.message ?? ''}`);
    this.name = 'SchemaError';
    this.schema = schema;
    this.faults = faults;
  }
}

function validate(name: SchemaName, reports: Reports, value: unknown): SchemaFault[] {
  const key = `${name} ${reports}`;
  const validator = loaded.get(key) ?? loadValidator(name, reports);
  loaded.set(key, validator);
  return validator(value) ? [] : (validator.errors ?? []).map(toFault);
}

function toFault({ instancePath, keyword, message, params, propertyName }: ErrorObject): SchemaFault {
  const member: unknown = params['additionalProperty'] ?? params['propertyName'] ?? propertyName;
  const detail = typeof member === 'string' ? `: ${member}` : '';
  const rule = keyword === 'format' ? TEXT_RULES[String(params['format'])] : undefined;
  return { pointer: instancePath, keyword, message: rule ?? `${message ?? keyword}${detail}` };
}
