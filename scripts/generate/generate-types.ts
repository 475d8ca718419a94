/**
 * Generates what follows from the catalog and from `schemas/json`. With `--check`, fails if a committed file differs.
 * - the chains and metrics in the schemas and their examples, from the catalog
 * - the types and the table of schemas, from the schemas
 */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compile } from 'json-schema-to-typescript';
import { format } from 'prettier';
import { fillExample, fillSchema } from './fill-names.js';

const ROOT = path.join(import.meta.dirname, '../..', 'schemas');
const FOLDER = path.join(ROOT, 'json');
const EXAMPLES = path.join(ROOT, 'examples', 'valid');
const BANNER = '// Generated from schemas/json by `npm run types:generate`. Do not edit.\n';

type JsonObject = Record<string, unknown>;

/** Returns the definitions of a schema file under names that are unique in a document of all schemas. */
function inlineFile(name: string, schema: JsonObject): JsonObject {
  const { $schema: _dialect, $id: _id, $defs, ...body } = schema;
  const definitions: JsonObject = name === 'common' ? {} : { [name]: body };
  for (const [key, value] of Object.entries(($defs ?? {}) as Record<string, JsonObject>))
    if ('type' in value || !('allOf' in value)) definitions[`${name}.${key}`] = value; // mere conditions have no type
  return rewriteRefs(name, definitions) as JsonObject;
}

/** Changes every `$ref` to a reference within the document of all schemas. Removes conditions that types cannot express. */
function rewriteRefs(file: string, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => rewriteRefs(file, item));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref: ref } = node as JsonObject;
  if (typeof ref === 'string') return { $ref: localRef(file, ref) };
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(node)) {
    if (['allOf', 'if', 'then', 'else', 'propertyNames', 'minItems', 'maxItems'].includes(key)) continue;
    out[key] = rewriteRefs(file, value);
  }
  return out;
}

function localRef(file: string, ref: string): string {
  const [target = '', pointer = ''] = ref.split('#');
  const name = target === '' ? file : target.replace('.schema.json', '');
  const definition = pointer.replace('/$defs/', '');
  return `#/$defs/${definition === '' ? name : `${name}.${definition}`}`;
}

async function generateTypes(schemas: ReadonlyMap<string, JsonObject>): Promise<string> {
  const $defs: JsonObject = {};
  for (const [file, schema] of schemas) Object.assign($defs, inlineFile(nameOf(file), schema));
  const properties = Object.fromEntries(
    Object.keys($defs).map((name) => [name, { $ref: `#/$defs/${name}` }]),
  );
  const document = {
    title: 'Contract',
    type: 'object' as const,
    additionalProperties: false,
    properties,
    $defs,
  };
  return compile(document, 'Contract', {
    bannerComment: BANNER,
    additionalProperties: false,
    unreachableDefinitions: false,
    format: false,
  });
}

/** Returns a module that imports every schema file, so that the build copies the files and a bundler includes them. */
function generateTable(files: readonly string[]): string {
  const imports = files.map(
    (file) => `import ${variableOf(file)} from './json/${file}' with { type: 'json' };`,
  );
  const rows = files.map((file) => `  '${nameOf(file)}': ${variableOf(file)},`);
  const doc = '/** Every JSON Schema of the contract by its name. */';
  return [BANNER, ...imports, '', doc, 'export const SCHEMAS = {', ...rows, '} as const;', ''].join('\n');
}

const nameOf = (file: string): string => file.replace('.schema.json', '');
const variableOf = (file: string): string =>
  nameOf(file).replace(/-(.)/g, (_match, letter: string) => letter.toUpperCase()) + 'Schema';

const CHECK = process.argv.includes('--check');

/** Writes a file below `schemas`; with `--check`, reports that it is out of date. */
async function settle(name: string, text: string): Promise<void> {
  if (!CHECK) return writeFile(path.join(ROOT, name), text);
  process.stderr.write(`schemas/${name} is out of date. Run: npm run types:generate\n`);
  process.exitCode = 1;
}

/** Fills the names of the catalog into a JSON file, and returns its value. */
async function settleJson(name: string, fill: (value: JsonObject) => unknown): Promise<JsonObject> {
  const value = JSON.parse(await readFile(path.join(ROOT, name), 'utf8')) as JsonObject;
  const filled = fill(value) as JsonObject; // an object stays one
  const text = JSON.stringify(filled, null, 2);
  if (JSON.stringify(value, null, 2) !== text)
    await settle(name, await format(text, { parser: 'json', printWidth: 110 }));
  return filled;
}

async function settleSource(name: string, source: string): Promise<void> {
  const text = await format(source, { parser: 'typescript', printWidth: 110, singleQuote: true });
  const before = await readFile(path.join(ROOT, name), 'utf8');
  if (before !== text) await settle(name, text);
}

const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.schema.json')).sort();
const schemas = new Map<string, JsonObject>();
for (const file of files) schemas.set(file, await settleJson(`json/${file}`, fillSchema));
for (const file of await readdir(EXAMPLES, { recursive: true }))
  if (file.endsWith('.json')) await settleJson(`examples/valid/${file}`, fillExample);
await settleSource('types.generated.ts', await generateTypes(schemas));
await settleSource('schemas.generated.ts', generateTable(files));
