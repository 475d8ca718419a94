import { asNode, listOf, textOf, type Node, type Resolver } from './api-nodes.js';
import { schemaPath } from './api-types.js';
import { toMembers, type MemberTable } from './api-schemas.js';

/** A sample of what an operation returns. */
export type Sample = {
  /** Id of the block on the page. */
  readonly id: string;
  readonly title: string;
  readonly media: string;
  /** The block with the sample, or nothing if there is no example. */
  readonly code: readonly { readonly label: string; readonly text: string }[];
  /** The schema and its members, for JSON that a schema describes. */
  readonly schemas: readonly { readonly name: string; readonly path: string }[];
  readonly members: readonly MemberTable[];
};

/** The schemas of the files that subscriber operations link to: their own response is the link. */
const LINKED: Readonly<Record<string, readonly string[]>> = {
  getLatest: ['bundle'],
  getBundle: ['bundle'],
  getManifest: ['manifest'],
  getDay: ['gold-day', 'meta-day', 'derived-day'],
  getLineageManifest: ['manifest'],
  getLatestBrief: ['bundle'],
  getBriefs: ['bundle'],
  getBriefsManifest: ['manifest'],
  getBrief: ['brief-day'],
};

/** Returns samples of an operation's first successful response, of its payload, and of the file it links to. */
export function toSamples(document: Node, operation: Node, resolve: Resolver): Sample[] {
  const answers = Object.entries(asNode(operation['responses'])).filter(([status]) => /^2/.test(status));
  const [status = '', answer] = answers[0] ?? [];
  const own = Object.entries(asNode(resolve(answer)['content'])).flatMap(([media, content]) =>
    toOwnSamples({ status, media, content: asNode(content), document, resolve }),
  );
  const linked = LINKED[textOf(operation['operationId'])] ?? [];
  return [...own, ...linked.flatMap((name) => toSchemaSamples(`The file: ${name}`, name, document, resolve))];
}

type OwnContent = {
  readonly status: string;
  readonly media: string;
  readonly content: Node;
  readonly document: Node;
  readonly resolve: Resolver;
};

function toOwnSamples({ status, media, content, document, resolve }: OwnContent): Sample[] {
  const title = `Response ${status}`;
  const schema = asNode(content['schema']);
  const names = [schema, ...listOf(schema['anyOf'])].map((each) => nameOf(asNode(each))).filter(Boolean);
  if (names.length > 0)
    return names.flatMap((name) =>
      toSchemaSamples(names.length === 1 ? title : `${title}: ${name}`, name, document, resolve),
    );
  const { example } = content;
  if (example === undefined) return [];
  const text = typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2);
  return [
    { id: 'sample', title, media, code: [{ label: `${title}, sample`, text }], schemas: [], members: [] },
    ...toPayloadSamples(asNode(schema['contentSchema']), document),
  ];
}

/** Returns the sample of the JSON inside a text. */
function toPayloadSamples(schema: Node, document: Node): Sample[] {
  const name = nameOf(schema);
  if (name === '') return [];
  return [toSample(`The payload: ${name}`, name, listOf(schema['examples'])[0], document)];
}

/** Returns the sample of a schema, from the document's example of the same name. */
function toSchemaSamples(title: string, name: string, document: Node, resolve: Resolver): Sample[] {
  const example = resolve(asNode(asNode(document['components'])['examples'])[name])['value'];
  return [toSample(title, name, example, document)];
}

function toSample(title: string, name: string, example: unknown, document: Node): Sample {
  return {
    ...{ id: `sample-${name}`, title, media: 'application/json' },
    code:
      example === undefined ? [] : [{ label: `${title}, sample`, text: JSON.stringify(example, null, 2) }],
    schemas: [{ name, path: schemaPath(name) }],
    members: toMembers(name, asNode(asNode(asNode(document['components'])['schemas'])[name])),
  };
}

const SCHEMAS = '#/components/schemas/';

/** Returns the name of the schema that a node refers to, or an empty text. */
function nameOf(schema: Node): string {
  const ref = textOf(schema['$ref']);
  return ref.startsWith(SCHEMAS) ? ref.slice(SCHEMAS.length) : '';
}
