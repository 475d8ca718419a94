import { problemPath } from '../../../../schemas/paths.js';
import { PROBLEMS, type ProblemCode } from '../../../../schemas/problems.js';
import { asNode, listOf, textOf, type Node, type Resolver } from './api-nodes.js';
import { toMembers } from './api-schemas.js';
import { toTypeParts } from './api-types.js';
import { renderMarkdownLine } from '../markdown-html.js';

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

/** Returns the id of a response header on the page. */
export function headerId(name: string): string {
  return `header-${name.toLowerCase()}`;
}

/** Returns the tags of a document with their operations, in the document's order. */
export function toTags(document: Node, resolve: Resolver): object[] {
  const operations = Object.entries(asNode(document['paths'])).flatMap(([path, item]) =>
    toOperations(path, asNode(item), resolve),
  );
  return listOf(document['tags']).map((each) => {
    const { name, description } = asNode(each);
    return {
      id: `tag-${textOf(name).toLowerCase().replaceAll(' ', '-')}`,
      name,
      description,
      operations: operations.filter(({ tags }) => tags.includes(name)).map(({ view }) => view),
    };
  });
}

type TaggedOperation = { readonly tags: readonly unknown[]; readonly view: object };

/** Returns the operations of a path. HEAD is described together with GET when GET covers all of it. */
function toOperations(path: string, item: Node, resolve: Resolver): TaggedOperation[] {
  const isTwin = isCoveredBy(asNode(item['get']), asNode(item['head']), resolve);
  return METHODS.filter((method) => item[method] !== undefined && !(method === 'head' && isTwin)).map(
    (method) => {
      const operation = asNode(item[method]);
      const twin = method === 'get' && isTwin ? [toTwin(asNode(item['head']))] : [];
      return { tags: listOf(operation['tags']), view: toOperation(path, method, operation, resolve, twin) };
    },
  );
}

/** A HEAD operation that is described with its GET. */
type Twin = { readonly name: string; readonly statuses: string };

function toTwin(head: Node): Twin {
  const statuses = Object.keys(asNode(head['responses'])).join(', ');
  return { name: textOf(head['operationId']), statuses };
}

/** Returns whether everything but the summary of HEAD also applies to GET. */
function isCoveredBy(get: Node, head: Node, resolve: Resolver): boolean {
  if (head['operationId'] === undefined) return false;
  const covered = partsOf(get, resolve);
  return [...partsOf(head, resolve)].every((part) => covered.has(part));
}

/** Returns the inputs, statuses and headers of an operation as comparable strings; content is ignored. */
function partsOf(operation: Node, resolve: Resolver): Set<string> {
  const { tags, description, parameters, security, responses } = operation;
  const answers = Object.entries(asNode(responses)).flatMap(([status, answer]) => [
    status,
    ...Object.keys(asNode(resolve(answer)['headers'])).map((header) => `${status} ${header}`),
  ]);
  const inputs = listOf(parameters).map((each) => JSON.stringify(resolve(each)));
  return new Set([JSON.stringify([tags, description, security]), ...inputs, ...answers]);
}

function toOperation(
  path: string,
  method: string,
  operation: Node,
  resolve: Resolver,
  twin: readonly Twin[],
): object {
  const name = textOf(operation['operationId']);
  const description = textOf(operation['description']);
  const rows = listOf(operation['parameters']).map((each) => toParameter(resolve(each)));
  return {
    id: `operation-${name}`,
    method: method.toUpperCase(),
    path,
    name,
    summary: textOf(operation['summary']),
    description: description === '' ? [] : [renderMarkdownLine(description)],
    access: toAccess(listOf(operation['security'])),
    twin,
    parameters: rows.length === 0 ? [] : [{ name, rows }],
    body: operation['requestBody'] === undefined ? [] : toBody(name, resolve(operation['requestBody'])),
    answers: Object.entries(asNode(operation['responses'])).map(([status, answer]) =>
      toAnswer(status, resolve(answer)),
    ),
  };
}

function toAccess(security: readonly unknown[]): string {
  const schemes = security.map((each) => Object.keys(asNode(each)).join(' and '));
  return schemes.length === 0 ? 'No key is needed.' : `Needs ${schemes.join(' or ')}.`;
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

function toBody(name: string, { required, description, content }: Node): object[] {
  return Object.entries(asNode(content)).map(([media, each]) => {
    const schema = asNode(asNode(each)['schema']);
    return {
      media,
      need: required === true ? 'required' : 'optional',
      description,
      type: toTypeParts(schema),
      members: toMembers(name, schema),
    };
  });
}

function toAnswer(status: string, { description, content, headers }: Node): object {
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
    headers: Object.keys(asNode(headers)).map((header) => ({ name: header, id: headerId(header) })),
  };
}

function isProblem(name: string): name is ProblemCode {
  return Object.hasOwn(PROBLEMS, name);
}
