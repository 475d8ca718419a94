import { SCHEMAS } from '../schemas.generated.js';
import { TEXT_FORMATS } from '../text-formats.js';

/** A node of a JSON document. */
export type JsonObject = { readonly [name: string]: unknown };

/**
 * Shared enumerations that are repeated where they are used. Another one has some of their values, and clients in Go name
 * the values of all shared enumerations in one scope.
 */
const REPEATED: ReadonlySet<string> = new Set(['common.confidence_level', 'common.entry_status']);

/** Returns these schemas and all schemas that they refer to, by component name. */
export function collectSchemas(names: readonly string[]): Record<string, JsonObject> {
  const available = Object.fromEntries(
    Object.entries(SCHEMAS).flatMap(([file, schema]) => flatten(file, schema)),
  );
  const found: Record<string, JsonObject> = {};
  const take = (name: string): void => {
    const schema = available[name];
    if (schema === undefined) throw new Error(`no schema ${name}`);
    if (found[name] !== undefined) return;
    found[name] = schema;
    for (const ref of refsIn(schema)) take(ref);
  };
  names.forEach(take);
  return found;
}

/** Returns a reference to a component schema. */
export function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns an entry for a schema file and one for each of its definitions. */
function flatten(file: string, schema: JsonObject): [string, JsonObject][] {
  const { $schema: _dialect, $id: _id, $defs, ...own } = schema;
  const body = withoutProfile(own);
  const definitions = Object.entries(($defs ?? {}) as JsonObject).map(
    ([name, each]): [string, JsonObject] => [`${file}.${name}`, rewrite(file, each) as JsonObject],
  );
  return [[file, rewrite(file, body) as JsonObject], ...definitions]; // an object is rewritten to an object
}

/**
 * Returns a schema without its member `$schema`, which it then allows like any other. Generators of clients give `$schema`
 * and `schema` the same name.
 */
function withoutProfile(schema: JsonObject): JsonObject {
  const { $schema: profile, ...properties } = (schema['properties'] ?? {}) as JsonObject;
  if (profile === undefined) return schema;
  const required = (schema['required'] as string[]).filter((name) => name !== '$schema');
  return { ...schema, required, properties, additionalProperties: true };
}

function rewrite(file: string, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((each) => rewrite(file, each));
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.entries(node)
    .filter(isDescribed)
    .flatMap(([name, value]) =>
      name === '$ref' && typeof value === 'string'
        ? refTo(nameOf(file, value))
        : [[name, rewrite(file, value)]],
    );
  return withPlainDates(withType(Object.fromEntries(members) as JsonObject));
}

/** Removes the format of a date that is one of several types: clients in Java do not compile with it. */
function withPlainDates(schema: JsonObject): JsonObject {
  const choices = (schema['anyOf'] ?? []) as readonly JsonObject[];
  if (choices.filter(({ type }) => type !== 'null').length < 2) return schema;
  const { type, pattern } = SCHEMAS.common.$defs.date;
  const date = JSON.stringify(schemaRef('common.date'));
  return {
    ...schema,
    anyOf: choices.map((each) => (JSON.stringify(each) === date ? { type, pattern } : each)),
  };
}

/** Returns the members of a schema that refers to another one, or that repeats it. */
function refTo(name: string): [string, unknown][] {
  if (!REPEATED.has(name)) return Object.entries(schemaRef(name));
  const [file = '', definition = ''] = name.split('.');
  const { $defs = {} } = SCHEMAS[file as keyof typeof SCHEMAS] as { $defs?: Record<string, JsonObject> };
  return Object.entries(rewrite(file, $defs[definition]) as JsonObject);
}

/** Adds the type of an enumeration or constant of texts: some generators of clients take one without a type for any value. */
function withType(schema: JsonObject): JsonObject {
  const { const: constant, enum: values = [constant] } = schema;
  const isOfTexts = Array.isArray(values) && values.every((each) => typeof each === 'string');
  return isOfTexts && schema['type'] === undefined ? { type: 'string', ...schema } : schema;
}

/**
 * Returns whether a member belongs into the description. A title only names the type in our own programs, and strict
 * validators refuse a format that they do not know.
 */
function isDescribed([name, value]: [string, unknown]): boolean {
  if (typeof value !== 'string') return true;
  return name !== 'title' && !(name === 'format' && Object.hasOwn(TEXT_FORMATS, value));
}

function nameOf(file: string, ref: string): string {
  const [target = '', pointer = ''] = ref.split('#');
  const from = target === '' ? file : target.replace('.schema.json', '');
  return pointer === '' ? from : `${from}.${pointer.replace('/$defs/', '')}`;
}

function refsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(refsIn);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === '$ref' && typeof value === 'string'
      ? [value.replace('#/components/schemas/', '')]
      : refsIn(value),
  );
}
