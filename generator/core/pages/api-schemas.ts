import type { TrustedHtml } from '../text/text-template.js';
import { renderMarkdownLine } from './markdown-html.js';
import { operationPath, PAGE_PATHS } from '../../../schemas/paths.js';
import type { GlossaryEntry } from '../../../schemas/types.generated.js';

/** A member of a schema. Nested members have dotted names; `optional` is empty for required ones. */
type MemberRow = {
  readonly name: string;
  readonly optional: readonly string[];
  readonly type: readonly TypePart[];
  readonly meaning: TrustedHtml;
};

/** A table of members; `name` is what they are members of. */
export type MemberTable = {
  readonly name: string;
  readonly captions: readonly string[];
  readonly rows: readonly MemberRow[];
};

/** Returns the schemas of a document, sorted by name. */
export function toSchemaSections(schemas: Node, meaningOf: Meanings): object[] {
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
        members: toMembers(name, schema, meaningOf),
        conditions: toConditions(name, schema),
      };
    });
}

/**
 * Returns the table of a schema's members, or an empty list when it has no members.
 * @throws Error when nothing says what a member means.
 */
export function toMembers(name: string, schema: Node, meaningOf: Meanings): MemberTable[] {
  const rows = rowsOf(schema, '', (member, node) => meaningOf(name, member, node));
  return rows.length === 0 ? [] : [{ name, captions: [`Members of ${name}`], rows }];
}

function rowsOf(schema: Node, prefix: string, meaning: (member: string, node: Node) => string): MemberRow[] {
  if (isEmpty(schema)) return [];
  const required = listOf(schema['required']);
  const own = Object.entries(asNode(schema['properties'])).flatMap(([key, value]): MemberRow[] => {
    const member = asNode(value);
    const name = `${prefix}${key}`;
    const row = {
      name,
      optional: required.includes(key) ? [] : ['optional'],
      type: toTypeParts(member),
      meaning: renderMarkdownLine(meaning(name, member)),
    };
    return [row, ...rowsOf(member, `${name}.`, meaning)];
  });
  const items = asNode(schema['items']);
  const values = asNode(schema['additionalProperties']);
  const within = prefix.replace(/\.$/, '');
  return [
    ...own,
    ...rowsOf(items, `${within}[].`, meaning),
    ...rowsOf(values, `${within}.*.`.replace(/^\./, ''), meaning),
    ...listOf(schema['anyOf']).flatMap((each) => rowsOf(asNode(each), prefix, meaning)),
  ];
}

/** Kinds of glossary entries with the meaning of a member of the same name, the first one first. */
const KINDS: readonly GlossaryEntry['kind'][] = ['field', 'metric', 'signal', 'term'];

/** Returns what a member of a schema means. @throws Error when nothing says it. */
export type Meanings = (schema: string, member: string, node: Node) => string;

/**
 * Returns the meanings of a document's members: their own words, or the entry of the glossary with their name that appears
 * in the schema. Else those of the schema that they refer to, unless many others do, such as that of a time.
 */
export function createMeanings(resolve: Resolver, glossary: readonly GlossaryEntry[]): Meanings {
  return (schema, member, node) => {
    const own = textOf(node['description']);
    if (own !== '') return own;
    const [file = ''] = schema.replace(/^glossary-entries/, 'glossary').split('.');
    const leaf = member.split('.').at(-1);
    const entries = glossary.filter(
      ({ name, appears_in: files }) => name === leaf && (SHARED.has(file) || files.includes(file)),
    );
    const defined = KINDS.map((kind) =>
      definitionIn(file, entries.find((entry) => entry.kind === kind)?.definition ?? ''),
    );
    const ref = textOf(node['$ref']);
    const referred = ref.startsWith(`${SCHEMAS}common.`) ? '' : textOf(resolve(node)['description']);
    const found = [...defined, referred].find((text) => text !== '');
    if (found === undefined) throw new Error(`Nothing says what ${member} of ${schema} means.`);
    return found;
  };
}

/** How definitions begin that apply to some files only, and the schemas of these files. */
const PLACES: readonly (readonly [words: RegExp, files: readonly string[]])[] = [
  [/^In .{0,30}methodology\b/, ['methodology']],
  [/^In .{0,20}chart\b/, ['chart']],
  [/^In .{0,20}(lineage|ledger)\b/, ['day-lineage', 'ledger-line']],
  [/^In .{0,25}landing\b/, ['landing']],
  [/^In .{0,25}changes\b/, ['changes']],
  [/^In .{0,10}status\b/, ['status']],
  [/^In .{0,10}feature schema\b/, ['feature-schema']],
  [/^In .{0,15}calendar\b/, ['regime-calendar']],
  [/^In .{0,15}manifest\b/, ['manifest']],
  [/^In .{0,10}bundle\b/, ['bundle']],
  [/^In .{0,15}brief\b/, ['brief-day']],
  [/^In a derived day\b/, ['derived-day']],
  [/^In a gold day\b/, ['gold-day']],
  [/^In a day file\b/, ['gold-day', 'meta-day', 'derived-day', 'brief-day']],
];

/** Returns the sentences of a definition that apply to a file, or all if none does. A sentence belongs to the one before. */
function definitionIn(file: string, definition: string): string {
  let isHere = true;
  const own = definition.split(/(?<=\.) (?=[A-Z])/).filter((sentence) => {
    const places = PLACES.filter(([words]) => words.test(sentence));
    if (sentence.startsWith('In ') || places.length > 0)
      isHere = places.length === 0 || places.some(([, files]) => files.includes(file));
    return isHere;
  });
  return own.length === 0 ? definition : own.join(' ');
}

/** Schemas whose parts appear in many files, and documents that repeat fields of the files. */
const SHARED: ReadonlySet<string> = new Set([
  'common',
  'releases',
  'release-statement',
  'timestamp',
  'key-set',
  'entitlements',
]);

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
