import type { TrustedHtml } from '../../text/text-template.js';
import { renderMarkdownLine } from '../markdown-html.js';
import { asNode, listOf, textOf, type Node } from './api-nodes.js';
import { DESCRIBED_KEYWORDS, schemaId, toTypeParts, type TypePart } from './api-types.js';

/** A member of a schema. Nested members have dotted names; `optional` is empty for required ones. */
export type MemberRow = {
  readonly name: string;
  readonly optional: readonly string[];
  readonly type: readonly TypePart[];
  /** One for each column of `meaning`. */
  readonly descriptions: readonly TrustedHtml[];
};

/** A table of members; `name` is what they are members of. Without any description, it has no column for them. */
export type MemberTable = {
  readonly name: string;
  readonly captions: readonly string[];
  readonly meaning: readonly string[];
  readonly rows: readonly MemberRow[];
};

/** Returns the schemas of a document, sorted by name. */
export function toSchemaSections(schemas: Node): object[] {
  return Object.keys(schemas)
    .sort()
    .map((name) => {
      const schema = asNode(schemas[name]);
      const description = textOf(schema['description']);
      return {
        id: schemaId(name),
        name,
        description: description === '' ? [] : [renderMarkdownLine(description)],
        type: toTypeParts(schema),
        members: toMembers(name, schema),
        conditions: toConditions(name, schema),
      };
    });
}

/** Returns the table of a schema's members, or an empty list when it has no members. */
export function toMembers(name: string, schema: Node): MemberTable[] {
  const found = rowsOf(schema, '');
  if (found.length === 0) return [];
  const isDescribed = found.some(({ descriptions }) => String(descriptions) !== '');
  const rows = isDescribed ? found : found.map((row) => ({ ...row, descriptions: [] }));
  return [{ name, captions: [`Members of ${name}`], meaning: isDescribed ? ['Meaning'] : [], rows }];
}

function rowsOf(schema: Node, prefix: string): MemberRow[] {
  if (isEmpty(schema)) return [];
  const required = listOf(schema['required']);
  const own = Object.entries(asNode(schema['properties'])).flatMap(([key, value]): MemberRow[] => {
    const member = asNode(value);
    const row = {
      name: `${prefix}${key}`,
      optional: required.includes(key) ? [] : ['optional'],
      type: toTypeParts(member),
      descriptions: [renderMarkdownLine(textOf(member['description']))],
    };
    return [row, ...rowsOf(member, `${prefix}${key}.`)];
  });
  const items = asNode(schema['items']);
  const values = asNode(schema['additionalProperties']);
  const within = prefix.replace(/\.$/, '');
  return [
    ...own,
    ...rowsOf(items, `${within}[].`),
    ...rowsOf(values, `${within}.*.`.replace(/^\./, '')),
    ...listOf(schema['anyOf']).flatMap((each) => rowsOf(asNode(each), prefix)),
  ];
}

/** Returns a list of one JSON text: the keywords that rows and types do not describe, without `additionalProperties: false`. Empty if there are none. */
function toConditions(name: string, schema: Node): { label: string; text: string }[] {
  const rest = undescribedIn(schema);
  return isEmpty(rest) ? [] : [{ label: `Conditions of ${name}`, text: JSON.stringify(rest, null, 2) }];
}

/** Returns the keywords that are not described in words, of a schema and recursively of its members. */
function undescribedIn(schema: Node): Node {
  if (isEmpty(schema)) return schema;
  const own = Object.entries(schema).filter(([keyword]) => !DESCRIBED_KEYWORDS.has(keyword));
  const members = Object.entries(asNode(schema['properties']))
    .map(([name, member]): [string, Node] => [name, undescribedIn(asNode(member))])
    .filter(([, rest]) => !isEmpty(rest));
  return Object.fromEntries([
    ...own,
    ...(members.length === 0 ? [] : [['properties', Object.fromEntries(members)] as const]),
    ...['items', 'additionalProperties'].flatMap((keyword) => {
      const rest = undescribedIn(asNode(schema[keyword]));
      return isEmpty(rest) ? [] : [[keyword, rest] as const];
    }),
  ]);
}

function isEmpty(node: Node): boolean {
  return Object.keys(node).length === 0;
}
