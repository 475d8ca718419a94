import type { TrustedHtml } from '../text/text-template.js';
import { renderMarkdownLine } from './markdown-html.js';
import { operationPath, PAGE_PATHS } from '../../../schemas/paths.js';

/** A member of a schema. Nested members have dotted names; `optional` is empty for required ones. */
type MemberRow = {
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

/** A part of the description of a type; `link` is a list: of the address that the text links to, or empty. HTML templates use lists instead of conditions. */
type TypePart = { readonly text: string; readonly link: readonly string[] };

const SCHEMAS = '#/components/schemas/';

/** Returns the id of a schema on the page of schemas. */
function schemaId(name: string): string {
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
const DESCRIBED_KEYWORDS: ReadonlySet<string> = new Set([
  ...LIMITS.map(([keyword]) => keyword),
  '$ref',
  'type',
  'const',
  'enum',
  'anyOf',
  'items',
  'uniqueItems',
  'propertyNames',
  'title',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'example',
  'examples',
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

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** An operation of an OpenAPI document that has a page. */
export type Operation = {
  /** URL path of its page. */
  readonly page: string;
  readonly tag: string;
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  /** The id. */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly unknown[];
  readonly parameters: readonly unknown[];
  readonly node: Node;
  /** The HEAD operation of the path, at most one. Only GET has it, and describes it on its page. */
  readonly heads: readonly Head[];
};

/** A HEAD operation. */
export type Head = { readonly name: string; readonly node: Node };

/** A tag of an OpenAPI document. */
type Tag = { readonly id: string; readonly name: string; readonly description: string };

/** Returns the tags of a document, in its order. */
export function toTags(document: Node): Tag[] {
  return listOf(document['tags']).map((each) => {
    const name = textOf(asNode(each)['name']);
    const id = `tag-${name.toLowerCase().replaceAll(' ', '-')}`;
    return { id, name, description: textOf(asNode(each)['description']) };
  });
}

/** Returns the operations of a document, in its order. */
export function toOperations(document: Node): Operation[] {
  return Object.entries(asNode(document['paths'])).flatMap(([path, item]) =>
    METHODS.filter((method) => asNode(item)[method] !== undefined).map((method) =>
      toOperation(path, method, asNode(item)),
    ),
  );
}

function toOperation(path: string, method: string, item: Node): Operation {
  const node = asNode(item[method]);
  const head = asNode(item['head']);
  const name = textOf(node['operationId']);
  const isRead = method === 'get' && head['operationId'] !== undefined;
  return {
    page: operationPath(name),
    tag: textOf(listOf(node['tags'])[0]),
    method: method.toUpperCase(),
    path,
    name,
    summary: textOf(node['summary']),
    description: textOf(node['description']),
    security: listOf(node['security']),
    parameters: listOf(node['parameters']),
    node,
    heads: isRead ? [{ name: textOf(head['operationId']), node: head }] : [],
  };
}

/** Returns whether everything but the summary of HEAD also applies to GET. HEAD has no description of its own. */
export function isCoveredBy(get: Node, head: Node, resolve: Resolver): boolean {
  const covered = partsOf(get, resolve);
  return [...partsOf(head, resolve)].every((part) => covered.has(part));
}

/** Returns the inputs, statuses and headers of an operation as comparable strings; content is ignored. */
function partsOf(operation: Node, resolve: Resolver): Set<string> {
  const { tags, parameters, security, responses } = operation;
  const answers = Object.entries(asNode(responses)).flatMap(([status, answer]) => [
    status,
    ...Object.keys(asNode(resolve(answer)['headers'])).map((header) => `${status} ${header}`),
  ]);
  const inputs = listOf(parameters).map((each) => JSON.stringify(resolve(each)));
  return new Set([JSON.stringify([tags, security]), ...inputs, ...answers]);
}

/** A node of an OpenAPI document. */
export type Node = { readonly [name: string]: unknown };

/** Resolves the references of one document. */
export type Resolver = (node: unknown) => Node;

/** Returns a resolver of local references. @throws Error when a reference has no target. */
export function createResolver(document: Node): Resolver {
  return function resolve(node: unknown): Node {
    const { $ref: ref, ...own } = asNode(node);
    if (typeof ref !== 'string') return own;
    const target = ref
      .replace(/^#\//, '')
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, part) => asNode(at)[part], document);
    if (target === undefined) throw new Error(`The reference ${ref} has no target.`);
    return { ...resolve(target), ...own };
  };
}

/** Returns the value if it is an object, otherwise an empty node. */
export function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {};
}

/** Returns the value if it is a list, otherwise an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** Returns the value if it is a string, otherwise an empty string. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
