import { PAGE_PATHS } from '../../../../schemas/paths.js';
import { asNode, listOf, textOf, type Node } from './api-nodes.js';

/** A part of the description of a type; `link` is a list: of the address that the text links to, or empty. HTML templates use lists instead of conditions. */
export type TypePart = { readonly text: string; readonly link: readonly string[] };

const SCHEMAS = '#/components/schemas/';

/** Returns the id of a schema on the page of schemas. */
export function schemaId(name: string): string {
  return `schema-${name.replaceAll('.', '-')}`;
}

/** Returns the address of a schema. */
export function schemaPath(name: string): string {
  return `${PAGE_PATHS.apiSchemas}#${schemaId(name)}`;
}

/** Keywords that are shown after the kind of a value, with their wording. */
const LIMITS: readonly (readonly [keyword: string, words: string])[] = [
  ['format', 'format'],
  ['pattern', 'pattern'],
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'more than'],
  ['maximum', 'at most'],
  ['minLength', 'minimum length'],
  ['maxLength', 'maximum length'],
  ['minItems', 'minimum items'],
  ['maxItems', 'maximum items'],
  ['default', 'default'],
];

/** Keywords that the words of a type or the rows of its members describe. Other keywords are shown as JSON. */
export const DESCRIBED_KEYWORDS: ReadonlySet<string> = new Set([
  ...LIMITS.map(([keyword]) => keyword),
  ...['$ref', 'type', 'const', 'enum', 'anyOf', 'items', 'uniqueItems', 'propertyNames'],
  ...['title', 'description', 'properties', 'required', 'additionalProperties', 'example', 'examples'],
]);

/** Describes the type of a schema in words, with links to the schemas it references. */
export function toTypeParts(schema: Node): TypePart[] {
  const limits = LIMITS.flatMap(([keyword, words]) =>
    schema[keyword] === undefined ? [] : [part(`, ${words} ${JSON.stringify(schema[keyword])}`)],
  );
  return [...kindOf(schema), ...limits, ...(schema['uniqueItems'] === true ? [part(', all different')] : [])];
}

function kindOf(schema: Node): TypePart[] {
  const ref = textOf(schema['$ref']);
  if (ref.startsWith(SCHEMAS)) {
    const name = ref.slice(SCHEMAS.length);
    return [{ text: name, link: [schemaPath(name)] }];
  }
  if ('const' in schema) return [part(JSON.stringify(schema['const']))];
  if ('enum' in schema)
    return [
      part(
        listOf(schema['enum'])
          .map((each) => JSON.stringify(each))
          .join(' or '),
      ),
    ];
  if ('anyOf' in schema) return joined(listOf(schema['anyOf']).map((each) => toTypeParts(asNode(each))));
  const types = [schema['type']].flat().map(textOf).filter(Boolean);
  if (types.includes('array')) return [part('array of '), ...toTypeParts(asNode(schema['items']))];
  if (types.includes('object')) return [part(types.join(' or ')), ...mapParts(schema)];
  return [part(types.length === 0 ? 'any' : types.join(' or '))];
}

/** Describes the names and values of an object used as a map. */
function mapParts(schema: Node): TypePart[] {
  const names = asNode(schema['propertyNames']);
  const values = asNode(schema['additionalProperties']);
  return [
    ...(Object.keys(names).length === 0 ? [] : [part(' whose names are '), ...toTypeParts(names)]),
    ...(Object.keys(values).length === 0 ? [] : [part(' whose values are '), ...toTypeParts(values)]),
  ];
}

function joined(alternatives: readonly TypePart[][]): TypePart[] {
  return alternatives.flatMap((parts, i) => (i === 0 ? parts : [part(' or '), ...parts]));
}

function part(text: string): TypePart {
  return { text, link: [] };
}
