import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { SCHEMAS } from './schemas.generated.js';
import { TEXT_FORMATS } from './text-formats.js';
import type { Contract } from './types.generated.js';

/** Name of a schema in `json/<name>.schema.json`. */
export type SchemaName = keyof typeof SCHEMAS & keyof Contract;

/** The schemas of files that people write, who fix all faults at once. Only these have a validator that reports all faults. */
export const WRITTEN_SCHEMAS = ['site', 'sources', 'sources-policy'] as const satisfies SchemaName[];

/** The faults that a validator reports. */
export type Reports = 'first' | 'all';

const ajvs = new Map<Reports, Ajv2020>();

/**
 * Returns the validator of a schema. The bundles of the programs have other code in place of this module, which loads what
 * the build compiled (`infra/process/compiled-validators.ts`): compiling takes half a second.
 */
export function loadValidator(name: SchemaName, reports: Reports): ValidateFunction {
  const ajv = ajvs.get(reports) ?? createAjv(reports);
  ajvs.set(reports, ajv);
  const validator = ajv.getSchema(`${name}.schema.json`);
  if (validator === undefined) throw new Error(`no schema ${name}`);
  return validator as ValidateFunction; // no schema is asynchronous
}

/** Creates a compiler that knows all schemas. With `keepsSource`, its validators can be written to files. */
export function createAjv(reports: Reports, keepsSource = false): Ajv2020 {
  const instance = new Ajv2020({
    strict: true,
    discriminator: true,
    strictRequired: false,
    allErrors: reports === 'all',
    allowUnionTypes: true,
    validateSchema: false, // a test validates the schemas; doing so in every run takes 0.2 s
    code: { optimize: keepsSource, source: keepsSource }, // schemas compile faster without the optimizer
  });
  formats.default(instance);
  for (const [name, format] of Object.entries(TEXT_FORMATS)) instance.addFormat(name, format);
  for (const schema of Object.values(SCHEMAS)) instance.addSchema(schema);
  return instance;
}
