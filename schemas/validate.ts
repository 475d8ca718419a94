import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { SCHEMAS } from './schemas.generated.js';
import type { Contract } from './types.generated.js';

/** Name of a schema in `json/<name>.schema.json`. */
export type SchemaName = keyof typeof SCHEMAS & keyof Contract;

/** A schema violation. `pointer` is a JSON pointer (RFC 6901) to the invalid part of the value. */
export type SchemaFault = { readonly pointer: string; readonly keyword: string; readonly message: string };

const compiled = new Map<string, ValidateFunction>();
let ajv: Ajv2020 | undefined;

/** Returns the first violation of the schema by `value`; an empty list if it is valid. */
export function findSchemaFaults(name: SchemaName, value: unknown): SchemaFault[] {
  return validateWith(validatorOf(name), value);
}

/** Returns all violations of the schema by `value`, for people who fix them all at once. */
export function findAllSchemaFaults(name: SchemaName, value: unknown): SchemaFault[] {
  if (findSchemaFaults(name, value).length === 0) return []; // saves a second compilation
  const validator = createAjv({ allErrors: true }).getSchema(`${name}.schema.json`);
  return validator === undefined ? [] : validateWith(validator as ValidateFunction, value); // no schema is asynchronous
}

function validateWith(validator: ValidateFunction, value: unknown): SchemaFault[] {
  return validator(value) ? [] : (validator.errors ?? []).map(toFault);
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

function validatorOf(name: SchemaName): ValidateFunction {
  const cached = compiled.get(name);
  if (cached !== undefined) return cached;
  ajv ??= createAjv({ allErrors: false });
  const validator = ajv.getSchema(`${name}.schema.json`);
  if (validator === undefined) throw new Error(`no schema ${name}`);
  compiled.set(name, validator);
  return validator;
}

function createAjv({ allErrors }: { readonly allErrors: boolean }): Ajv2020 {
  const instance = new Ajv2020({
    strict: true,
    discriminator: true,
    strictRequired: false,
    allErrors,
    allowUnionTypes: true,
    validateSchema: false, // a test validates the schemas; doing so in every run takes 0.2 s
    code: { optimize: false }, // schemas compile faster without the optimizer
  });
  formats.default(instance);
  for (const schema of Object.values(SCHEMAS)) instance.addSchema(schema);
  return instance;
}

function toFault({ instancePath, keyword, message, params, propertyName }: ErrorObject): SchemaFault {
  const member: unknown = params['additionalProperty'] ?? params['propertyName'] ?? propertyName;
  const detail = typeof member === 'string' ? `: ${member}` : '';
  return { pointer: instancePath, keyword, message: `${message ?? keyword}${detail}` };
}
