import { openApiDocument } from '../../../schemas/openapi.js';
import { EXAMPLES, FILE_EXAMPLES } from '../../../schemas/openapi/examples.js';
import { PAGE_PATHS, problemPath, PUBLIC_PATHS } from '../../../schemas/paths.js';
import { type ProblemCode, PROBLEMS } from '../../../schemas/problems.js';
import type { GlossaryEntry } from '../../../schemas/types.generated.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { docsList } from './docs-pages.js';
import { renderMarkdownLine } from './markdown-html.js';
import { addressOf, pageFile, type SiteTexts } from './page.js';
import { toPrograms, toSampleRequest } from './request-samples.js';
import {
  asNode,
  createMeanings,
  createResolver,
  type Head,
  isCoveredBy,
  listOf,
  type Meanings,
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
export function operationPages(site: SiteTexts, glossary: readonly GlossaryEntry[]): FileTemplate[] {
  const document: Node = openApiDocument(site.details);
  const resolve = createResolver(document);
  const meaningOf = createMeanings(resolve, glossary);
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
        ...toOperationValues(operation, { document, resolve, meaningOf }),
        request: [toRequestTabs(operation, addressOf(site.details?.base_url), resolve)],
        others: operations
          .filter(({ tag }) => tag === operation.tag)
          .map((each) => ({ ...toLink(each), current: each.page === page ? ['page'] : [] })),
      }),
    });
  });
}

/** Returns the tabs of an operation's request, which asks for what the first sample shows. */
function toRequestTabs(operation: Operation, address: string, resolve: Resolver): object {
  const [own] = shownBy(operation.node, resolve);
  const [linked] = Object.values(FILE_EXAMPLES[operation.name] ?? {});
  const request = toSampleRequest(operation, address, linked ?? own?.example, resolve);
  return {
    tabs: toPrograms(request).map((each) => ({ ...each, label: `${operation.summary}, ${each.name}` })),
  };
}

const toLink = ({ page, method, path, summary }: Operation): object => ({ page, method, path, summary });

function toOperationValues(operation: Operation, reference: Reference): object {
  const { resolve } = reference;
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
    body: node['requestBody'] === undefined ? [] : toBody(resolve(node['requestBody']), reference.meaningOf),
    samples: shownBy(node, resolve).map((shown, i) => {
      const sample = toSample(shown, reference);
      const tables = sample.members.map((table) => ({
        name: table.name,
        open: i === 0 ? ['open'] : [],
        members: [{ ...table, captions: [] }], // the summary says it
      }));
      return { ...sample, tables };
    }),
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

function toBody({ required, description, content }: Node, meaningOf: Meanings): object[] {
  return Object.entries(asNode(content)).map(([media, each]) => {
    const schema = asNode(asNode(each)['schema']);
    return {
      media,
      need: required === true ? 'required' : 'optional',
      description,
      type: toTypeParts(schema),
      members: toMembers('the body', schema, meaningOf),
    };
  });
}

/** Returns the page with every schema of the API. */
export function schemasPage(site: SiteTexts, glossary: readonly GlossaryEntry[]): FileTemplate {
  const document: Node = openApiDocument(site.details);
  return pageFile(site, {
    path: PAGE_PATHS.apiSchemas,
    template: 'schemas',
    title: 'Schemas',
    description: 'Every member of every document that the API returns.',
    values: () => ({
      list: docsList(site, PAGE_PATHS.apiSchemas),
      schemas: toSchemaSections(
        asNode(asNode(document['components'])['schemas']),
        createMeanings(createResolver(document), glossary),
      ),
    }),
  });
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

/** A document, and what describes its parts. */
type Reference = { readonly document: Node; readonly resolve: Resolver; readonly meaningOf: Meanings };

/** An example that a page shows. `schema` is the name of its schema, or empty for a text. */
type Shown = {
  readonly title: string;
  readonly schema: string;
  readonly media: string;
  readonly example: unknown;
};

/** Returns the examples of an operation's first successful response, of its payload, and of the files that it links to. */
function shownBy(operation: Node, resolve: Resolver): Shown[] {
  const answers = Object.entries(asNode(operation['responses'])).filter(([status]) => /^2/.test(status));
  const [status = '', answer] = answers[0] ?? [];
  const own = Object.entries(asNode(resolve(answer)['content'])).flatMap(([media, content]) =>
    shownIn(`Response ${status}`, media, asNode(content)),
  );
  const linked = Object.entries(FILE_EXAMPLES[textOf(operation['operationId'])] ?? {});
  return [...own, ...linked.map(([schema, example]) => toShown(`The file: ${schema}`, schema, example))];
}

const toShown = (title: string, schema: string, example: unknown): Shown => {
  return { title, schema, media: 'application/json', example };
};

function shownIn(title: string, media: string, content: Node): Shown[] {
  const schema = asNode(content['schema']);
  const names = [schema, ...listOf(schema['anyOf'])].map((each) => nameOf(asNode(each))).filter(Boolean);
  if (names.length > 0)
    return names.map((name) =>
      toShown(names.length === 1 ? title : `${title}: ${name}`, name, EXAMPLES[name]),
    );
  const { example } = content;
  if (example === undefined) return [];
  const payload = asNode(schema['contentSchema']); // the JSON inside a text
  const name = nameOf(payload);
  return [
    { title, schema: '', media, example },
    ...(name === '' ? [] : [toShown(`The payload: ${name}`, name, listOf(payload['examples'])[0])]),
  ];
}

function toSample({ title, schema, media, example }: Shown, { document, meaningOf }: Reference): Sample {
  const text = typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2);
  const node = asNode(asNode(asNode(document['components'])['schemas'])[schema]);
  return {
    id: schema === '' ? 'sample' : `sample-${schema}`,
    title,
    media,
    code: example === undefined ? [] : [{ label: `${title}, sample`, text }],
    schemas: schema === '' ? [] : [{ name: schema, path: schemaPath(schema) }],
    members: schema === '' ? [] : toMembers(schema, node, meaningOf),
  };
}

const SCHEMAS = '#/components/schemas/';

/** Returns the name of the schema that a node refers to, or an empty text. */
function nameOf(schema: Node): string {
  const ref = textOf(schema['$ref']);
  return ref.startsWith(SCHEMAS) ? ref.slice(SCHEMAS.length) : '';
}
