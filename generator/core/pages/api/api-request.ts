import { asNode, listOf, textOf, type Node, type Resolver } from './api-nodes.js';
import type { Operation } from './list-operations.js';

/** Headers with which an operation is called, by the name of its security scheme. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  ApiKey: 'X-API-Key: $CRD_API_KEY',
  Session: 'Authorization: Bearer $SESSION',
};

/** Returns a command that calls an operation with the examples of its parameters. `address` has no slash at the end. */
export function toCurl(operation: Operation, address: string, resolve: Resolver): string {
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
