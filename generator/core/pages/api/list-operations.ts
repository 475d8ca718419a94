import { operationPath } from '../../../../schemas/paths.js';
import { asNode, listOf, textOf, type Node, type Resolver } from './api-nodes.js';

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
export type Tag = { readonly id: string; readonly name: string; readonly description: string };

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
