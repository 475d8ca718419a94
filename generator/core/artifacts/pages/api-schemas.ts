import { asNode, listOf, textOf, type Node } from './api-nodes.js';
import { SAID_KEYWORDS, schemaId, toTypeParts, type TypePart } from './api-types.js';

/** A member of a schema; `optional` says so. Members of members have the names of both, with a dot. */
export type MemberRow = {
  readonly name: string;
  readonly optional: readonly string[];
  readonly type: readonly TypePart[];
  readonly description: string;
};

/** The schemas of a document as the page lists them, by name. */
export function toSchemaSections(schemas: Node): object[] {
  return Object.keys(schemas)
    .sort()
    .map((name) => {
      const schema = asNode(schemas[name]);
      const description = textOf(schema['description']);
      return {
        id: schemaId(name),
        name,
        description: description === '' ? [] : [description],
        type: toTypeParts(schema),
        members: toMembers(name, schema),
        conditions: toConditions(name, schema),
      };
    });
}

/** The table of a schema's members; none when it has none. */
export function toMembers(name: string, schema: Node): { name: string; rows: MemberRow[] }[] {
  const rows = rowsOf(schema, '');
  return rows.length === 0 ? [] : [{ name, rows }];
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
      description: textOf(member['description']),
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

/** What a schema asks for beyond what rows and types say, as JSON; none when it asks no more. */
function toConditions(name: string, schema: Node): { name: string; text: string }[] {
  const rest = unsaidIn(schema);
  return isEmpty(rest) ? [] : [{ name, text: JSON.stringify(rest, null, 2) }];
}

/** The keywords that are not said in words, of a schema and, by the names of the members, of those within. */
function unsaidIn(schema: Node): Node {
  if (isEmpty(schema)) return schema;
  const own = Object.entries(schema).filter(([keyword]) => !SAID_KEYWORDS.has(keyword));
  const members = Object.entries(asNode(schema['properties']))
    .map(([name, member]): [string, Node] => [name, unsaidIn(asNode(member))])
    .filter(([, rest]) => !isEmpty(rest));
  return Object.fromEntries([
    ...own,
    ...(members.length === 0 ? [] : [['properties', Object.fromEntries(members)] as const]),
    ...['items', 'additionalProperties'].flatMap((keyword) => {
      const rest = unsaidIn(asNode(schema[keyword]));
      return isEmpty(rest) ? [] : [[keyword, rest] as const];
    }),
  ]);
}

function isEmpty(node: Node): boolean {
  return Object.keys(node).length === 0;
}
