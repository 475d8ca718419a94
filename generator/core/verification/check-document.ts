import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { findSchemaFaults, type SchemaName } from '../../../schemas/validate.js';
import { findForeignNames } from './foreign-names.js';

/** Expectations about a document. `schema` is absent for plain text, and for JSON whose schema is not known yet. */
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
    return { faults: [...faults, 'is not JSON'] };
  }
  if (options.schema !== undefined) {
    const [fault] = findSchemaFaults(options.schema, value);
    if (fault) faults.push(`violates schema ${options.schema} at ${fault.pointer || '/'}: ${fault.message}`);
    // The names in a manifest depend on its genre and chain: checkListedManifest judges them.
    else if (options.schema !== 'manifest') faults.push(...findForeignNames(options.schema, value as never)); // checked just above
  }
  if (!isCanonical(value, text)) faults.push('is not in its RFC 8785 form');
  return { value, faults };
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
