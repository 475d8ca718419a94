import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { SCHEMAS } from '../../../schemas/schemas.generated.js';
import { findSchemaFaults, type SchemaName } from '../../../schemas/validate.js';
import { findForeignNames } from './foreign-names.js';

/** Expectations about a document. `schema` is absent for plain text, and for JSON of the schema that it names itself. */
export type DocumentOptions = {
  readonly sha256: string;
  readonly bytes?: number;
  readonly schema?: SchemaName;
};

/** A document that was read back: its value when it is JSON, and its faults. */
export type CheckedDocument = { readonly value?: unknown; readonly faults: readonly string[] };

/** Checks the bytes of a JSON document: size, digest, schema and RFC 8785 form. */
export function checkJsonDocument(body: Uint8Array, options: DocumentOptions): CheckedDocument {
  const faults = checkBytes(body, options);
  if (faults.length > 0) return { faults };
  const text = Buffer.from(body).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { faults: ['is not JSON'] };
  }
  const schema = options.schema ?? namedSchema(value);
  faults.push(...(isSchema(schema) ? checkSchema(schema, value) : [`names an unknown schema: ${schema}`]));
  if (!isCanonical(value, text)) faults.push('is not in its RFC 8785 form');
  return { value, faults };
}

/** Returns the name of the schema that a document names. An OpenAPI document names none. */
function namedSchema(document: unknown): string {
  const { schema, openapi } = Object(document) as { schema?: unknown; openapi?: unknown }; // any document
  if (openapi !== undefined) return 'openapi';
  return typeof schema === 'string' ? (schema.split('/')[0] ?? '') : typeof schema;
}

function isSchema(name: string): name is SchemaName {
  return Object.hasOwn(SCHEMAS, name);
}

function checkSchema(schema: SchemaName, value: unknown): readonly string[] {
  const [fault] = findSchemaFaults(schema, value);
  if (fault) return [`violates schema ${schema} at ${fault.pointer || '/'}: ${fault.message}`];
  // The names in a manifest depend on its genre and chain: checkListedManifest judges them.
  return schema === 'manifest' ? [] : findForeignNames(schema, value as never); // checked just above
}

export function checkBytes(body: Uint8Array, { sha256, bytes }: DocumentOptions): string[] {
  const faults: string[] = [];
  if (bytes !== undefined && body.length !== bytes)
    faults.push(`has ${body.length} bytes, not the ${bytes} listed`);
  const found = sha256Hex(body);
  if (found !== sha256) faults.push(`has digest ${found}, not the ${sha256} listed`);
  return faults;
}

function isCanonical(value: unknown, text: string): boolean {
  try {
    return canonicalJson(value) === text;
  } catch {
    return false; // a number that has no exact JSON form, or nesting that is too deep
  }
}
