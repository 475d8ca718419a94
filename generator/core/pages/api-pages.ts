import { openApiDocument } from '../../../schemas/openapi.js';
import { PAGE_PATHS, problemPath, PUBLIC_PATHS } from '../../../schemas/paths.js';
import { type ProblemCode, PROBLEMS } from '../../../schemas/problems.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { docsList } from './docs-pages.js';
import { renderMarkdownLine } from './markdown-html.js';
import { addressOf, pageFile, type SiteTexts } from './page.js';
import {
  asNode,
  createResolver,
  type Head,
  isCoveredBy,
  listOf,
  type MemberTable,
  type Node,
  type Operation,
  type Resolver,
  schemaPath,
  textOf,
  toMembers,
  toOperations,
  toSchemaSections,
  toTags,
  toTypeParts,
} from './api-schemas.js';

/** Returns the index of the API reference: every operation, and what all of them share. */
export function apiPage(site: SiteTexts, document: Node = openApiDocument(site.details)): FileTemplate {
  return pageFile(site, {
    path: PAGE_PATHS.api,
    template: 'api',
    title: 'API reference',
    description: 'Every operation, problem, response header and schema of the API, to search.',
    values: () => ({ list: docsList(site, PAGE_PATHS.api), ...toValues(document) }),
  });
}

function toValues(document: Node): object {
  const resolve = createResolver(document);
  const components = asNode(document['components']);
  const operations = toOperations(document);
  return {
    about: renderMarkdownLine(textOf(asNode(document['info'])['description'])),
    openapi: document['openapi'],
    openapiPath: PUBLIC_PATHS.openapi,
    tags: toTags(document).map(({ id, name, description }) => ({
      id,
      name,
      description,
      operations: operations.filter(({ tag }) => tag === name).map((each) => toEntry(each, resolve)),
    })),
    access: Object.entries(asNode(components['securitySchemes'])).map(([name, scheme]) => ({
      name,
      text: toAccessWords(resolve(scheme)),
    })),
    problems: (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => ({
      code,
      path: problemPath(code),
      status: PROBLEMS[code].status,
      meaning: renderMarkdownLine(PROBLEMS[code].meaning),
    })),
    headers: toHeaders(asNode(components['headers']), resolve),
    schemas: Object.keys(asNode(components['schemas']))
      .sort()
      .map((name) => ({ name, path: schemaPath(name) })),
  };
}

/** Returns an operation of the index. A search also finds `words`: its id, description and parameters. */
function toEntry(
  { page, method, path, summary, name, parameters, ...rest }: Operation,
  resolve: Resolver,
): object {
  const names = parameters.map((each) => textOf(resolve(each)['name']));
  return { page, method, path, summary, words: [name, rest.description, ...names].join(' ') };
}

function toAccessWords({ type, scheme, bearerFormat, in: place, name, description }: Node): string {
  const how =
    type === 'http'
      ? `Header Authorization, ${[scheme, bearerFormat].filter(Boolean).map(textOf).join(', ')}.`
      : `In the ${textOf(place)} ${textOf(name)}.`;
  return `${how} ${textOf(description)}`;
}

function toHeaders(headers: Node, resolve: Resolver): object[] {
  return Object.entries(headers).map(([name, header]) => {
    const { schema, description } = resolve(header);
    return {
      id: headerId(name),
      name,
      type: toTypeParts(asNode(schema)),
      description: renderMarkdownLine(textOf(description)),
    };
  });
}

/** Returns the page of each operation of the API. The page of GET also describes HEAD. */
export function operationPages(
  site: SiteTexts,
  document: Node = openApiDocument(site.details),
): FileTemplate[] {
  const resolve = createResolver(document);
  const operations = toOperations(document);
  return operations.map((operation) => {
    const { page, method, path, summary } = operation;
    return pageFile(site, {
      path: page,
      template: 'operation',
      title: summary,
      description: `${method} ${path}: parameters, responses, headers and a sample. ${summary}.`,
      values: () => ({
        list: docsList(site, page),
        api: PAGE_PATHS.api,
        ...toOperationValues(operation, document, resolve),
        request: {
          label: 'Request with curl',
          text: toCurl(operation, addressOf(site.details?.base_url), resolve),
        },
        others: operations
          .filter(({ tag }) => tag === operation.tag)
          .map((each) => ({ ...toLink(each), current: each.page === page ? ['page'] : [] })),
      }),
    });
  });
}

const toLink = ({ page, method, path, summary }: Operation): object => ({ page, method, path, summary });

function toOperationValues(operation: Operation, document: Node, resolve: Resolver): object {
  const { name, tag, method, path, summary, description, heads, node } = operation;
  const parameters = operation.parameters.map((each) => toParameter(resolve(each)));
  const tables = [
    { name, title: 'Responses', captions: [], rows: toResponseRows(node, resolve) },
    ...heads
      .filter((head) => !isCoveredBy(node, head.node, resolve))
      .map((head) => ({
        name: head.name,
        title: 'Responses to HEAD',
        captions: ['Responses to HEAD'],
        rows: toResponseRows(head.node, resolve),
      })),
  ];
  return {
    name,
    tag,
    method,
    path,
    summary,
    details: description === '' ? [] : [renderMarkdownLine(description)],
    access: toAccess(operation.security),
    twins: heads.map((head) => toTwin(head, isCoveredBy(node, head.node, resolve))),
    parameters: parameters.length === 0 ? [] : [{ rows: parameters }],
    body: node['requestBody'] === undefined ? [] : toBody(resolve(node['requestBody'])),
    samples: toSamples(document, node, resolve).map((sample, i) => ({
      ...sample,
      tables: sample.members.map((table) => ({
        name: table.name,
        open: i === 0 ? ['open'] : [],
        members: [{ ...table, captions: [] }], // the summary says it
      })),
    })),
    responses: tables,
  };
}

/** Returns how HEAD differs from GET. `covers`: all its responses apply to GET too, apart from their content. */
function toTwin({ name, node }: Head, covers: boolean): object {
  const statuses = Object.keys(asNode(node['responses'])).join(', ');
  const words = covers
    ? `returns the same response without content: ${statuses}`
    : 'has responses of its own, below';
  return { name, words };
}

/** Returns the security schemes of an operation, and where they are explained; an empty list if it needs none. */
function toAccess(security: readonly unknown[]): object[] {
  const schemes = security.map((each) => Object.keys(asNode(each)).join(' and ')).join(' or ');
  return schemes === '' ? [] : [{ schemes, path: `${PAGE_PATHS.api}#access` }];
}

function toParameter({ name, in: place, required, schema, description }: Node): object {
  return {
    name,
    place,
    required: required === true ? ['required'] : [],
    type: toTypeParts(asNode(schema)),
    description: renderMarkdownLine(textOf(description)),
  };
}

function toBody({ required, description, content }: Node): object[] {
  return Object.entries(asNode(content)).map(([media, each]) => {
    const schema = asNode(asNode(each)['schema']);
    return {
      media,
      need: required === true ? 'required' : 'optional',
      description,
      type: toTypeParts(schema),
      members: toMembers('the body', schema),
    };
  });
}

/** Returns the page with every schema of the API. */
export function schemasPage(site: SiteTexts, document: Node = openApiDocument(site.details)): FileTemplate {
  return pageFile(site, {
    path: PAGE_PATHS.apiSchemas,
    template: 'schemas',
    title: 'Schemas',
    description: 'Every member of every document that the API returns.',
    values: () => ({
      list: docsList(site, PAGE_PATHS.apiSchemas),
      schemas: toSchemaSections(asNode(asNode(document['components'])['schemas'])),
    }),
  });
}

/** Headers with which an operation is called, by the name of its security scheme. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  BearerKey: 'Authorization: Bearer $CRD_API_KEY',
  ApiKey: 'X-API-Key: $CRD_API_KEY',
  Session: 'Authorization: Bearer $SESSION',
};

/** Returns a command that calls an operation with the examples of its parameters. `address` has no slash at the end. */
function toCurl(operation: Operation, address: string, resolve: Resolver): string {
  const parameters = operation.parameters.map((each) => resolve(each));
  const path = parameters
    .filter((each) => each['in'] === 'path')
    .reduce((rest, { name, example }) => rest.replace(`{${textOf(name)}}`, String(example)), operation.path);
  const query = parameters
    .filter((each) => each['in'] === 'query' && (each['required'] === true || each['name'] === 'redirect'))
    .map(({ name, example }) => `${textOf(name)}=${encodeURIComponent(String(example))}`);
  const isSigned = textOf(operation.node['operationId']) === 'takeEvent';
  const signature = parameters.filter((each) => isSigned && each['in'] === 'header');
  const url = `${address}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  return [
    `curl -sS${operation.method === 'GET' ? '' : ` -X ${operation.method}`}`,
    ...credentialsOf(operation.security),
    ...signature.map(({ name, example }) => `-H '${textOf(name)}: ${String(example)}'`),
    ...bodyOf(resolve(operation.node['requestBody'])),
    `"${url}"`,
  ].join(' \\\n  ');
}

function credentialsOf(security: readonly unknown[]): string[] {
  const [scheme = ''] = Object.keys(asNode(listOf(security)[0]));
  const header = CREDENTIALS[scheme];
  return header === undefined ? [] : [`-H "${header}"`];
}

function bodyOf({ content }: Node): string[] {
  return Object.entries(asNode(content))
    .slice(0, 1)
    .flatMap(([media, each]) => [
      `-H 'Content-Type: ${media}'`,
      `-d '${JSON.stringify(asNode(each)['example'] ?? {})}'`,
    ]);
}

/** Returns the id of a response header on the index page. */
function headerId(name: string): string {
  return `header-${name.toLowerCase()}`;
}

/** Returns the rows of the table of an operation's responses. */
function toResponseRows(operation: Node, resolve: Resolver): object[] {
  return Object.entries(asNode(operation['responses'])).map(([status, answer]) =>
    toRow(status, resolve(answer)),
  );
}

function toRow(status: string, { description, content, headers }: Node): object {
  const codes = Object.values(asNode(content)).flatMap((each) =>
    Object.keys(asNode(asNode(each)['examples'])).filter(isProblem),
  );
  return {
    status,
    description: codes.length === 0 ? renderMarkdownLine(textOf(description)) : '',
    problems: codes.map((code) => ({ code, path: problemPath(code) })),
    content: Object.entries(asNode(content)).map(([media, each]) => ({
      media,
      type: toTypeParts(asNode(asNode(each)['schema'])),
    })),
    headers: Object.keys(asNode(headers)).map((name) => ({
      name,
      path: `${PAGE_PATHS.api}#${headerId(name)}`,
    })),
  };
}

function isProblem(name: string): name is ProblemCode {
  return Object.hasOwn(PROBLEMS, name);
}

/** A sample of what an operation returns. */
type Sample = {
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
function toSamples(document: Node, operation: Node, resolve: Resolver): Sample[] {
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
    id: `sample-${name}`,
    title,
    media: 'application/json',
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
