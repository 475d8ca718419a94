import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openApiDocument } from '../../../schemas/openapi.js';
import { BROWSER_HEADERS, CACHE_HEADER, ORIGIN_HEADERS } from '../../../schemas/openapi/headers.js';

/** A node of the OpenAPI document. */
export type Node = { readonly [name: string]: Node };

/** The OpenAPI document. */
export const DOCUMENT = openApiDocument() as unknown as Node;
const paths = DOCUMENT['paths'] ?? {};
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema({ $id: 'openapi', components: DOCUMENT['components'] });

/** All paths of OpenAPI. */
export const PATHS: readonly string[] = Object.keys(paths);

/** All operations of OpenAPI, such as `GET /healthz`. */
export const OPERATIONS: readonly string[] = Object.entries(paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
);

/** Returns the operation with a name such as `GET /healthz`. */
export function operationOf(name: string): Node {
  const [method = '', path = ''] = name.split(' ');
  return paths[path]?.[method.toLowerCase()] ?? {};
}

/** Headers of HTTP itself, which OpenAPI omits. */
const TRANSPORT = ['connection', 'content-encoding', 'content-length', 'content-type', 'date', 'keep-alive'];
/** Headers that OpenAPI describes once for all responses, and `Allow`, which belongs to methods outside OpenAPI. */
const ELSEWHERE = new Set(
  [...TRANSPORT, ...BROWSER_HEADERS, ...ORIGIN_HEADERS, CACHE_HEADER, 'Allow'].map((name) =>
    name.toLowerCase(),
  ),
);

/** Follows a `$ref`; returns any other node unchanged. */
export function resolve(node: Node = {}): Node {
  const ref = node['$ref'] as unknown;
  if (typeof ref !== 'string') return node;
  return resolve(
    ref
      .slice(2)
      .split('/')
      .reduce((at: Node | undefined, name) => at?.[name], DOCUMENT),
  );
}

/** Returns the path template that matches a path, with the fewest parameters. */
export function templateOf(path: string): string | undefined {
  return PATHS.filter((template) => isPathOf(path, template)).sort(
    (one, other) => one.split('{').length - other.split('{').length,
  )[0];
}

function isPathOf(path: string, template: string): boolean {
  const [parts, described] = [path.split('/'), template.split('/')];
  return (
    parts.length === described.length &&
    described.every((part, i) => isSegmentOf(parts[i] ?? '', part, template))
  );
}

function isSegmentOf(text: string, part: string, template: string): boolean {
  const [, before = '', name = '', after = ''] = /^(.*)\{(\w+)\}(.*)$/.exec(part) ?? [];
  if (name === '') return text === part;
  if (!text.startsWith(before) || !text.endsWith(after)) return false;
  const value = text.slice(before.length, text.length - after.length);
  const operation = Object.values(paths[template] ?? {})[0];
  const parameters = Object.values(operation?.['parameters'] ?? {}).map(resolve);
  const parameter = parameters.find((each) => (each['name'] as unknown) === name);
  return parameter !== undefined && validate(parameter['schema'] ?? {}, value).length === 0;
}

/** Returns the headers of a response that OpenAPI must describe, in lower case. */
export function headersOf({ headers }: Judged): string[] {
  return [...headers.keys()].filter((name) => !ELSEWHERE.has(name));
}

/** Returns the differences between a response and OpenAPI: status, media type, body and headers. */
export function judgeAnswer(method: string, path: string, answer: Judged): string[] {
  const template = templateOf(path.replace(/\?.*/s, ''));
  const described = operationOf(`${method} ${template ?? ''}`)['responses']?.[String(answer.status)];
  if (described === undefined) return [`${method} ${template ?? path} has no status ${answer.status}`];
  return [...judgeHeaders(resolve(described), answer), ...judgeBody(resolve(described), answer)];
}

function judgeHeaders(described: Node, answer: Judged): string[] {
  const known = new Map(
    Object.entries(described['headers'] ?? {}).map(([name, each]) => [name.toLowerCase(), resolve(each)]),
  );
  const undescribed = headersOf(answer).filter((name) => !known.has(name));
  const faults = [...known].flatMap(([name, { required, schema = {} }]) => {
    const value = answer.headers.get(name);
    if (value === null) return (required as unknown) === true ? [`lacks ${name}`] : [];
    const type = resolve(schema)['type'] as unknown;
    return validate(schema, type === 'integer' ? Number(value) : value).map((fault) => `${name}${fault}`);
  });
  return [...undescribed.map((name) => `has ${name}`), ...faults].map((fault) => `${answer.status} ${fault}`);
}

/** A response with its body. */
export type Judged = { readonly status: number; readonly headers: Headers; readonly text: string };

function judgeBody(described: Node, { headers, text }: Judged): string[] {
  if (text === '') return [];
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const content = described['content']?.[type];
  if (content === undefined) return [`no content of the type ${type}`];
  if (!type.endsWith('json') || headers.has('content-range')) return [];
  return validate(content['schema'] ?? {}, JSON.parse(text));
}

const compiled = new WeakMap<Node, ValidateFunction>();

/** Returns the errors of a value against a schema of OpenAPI. */
export function validate(schema: Node, value: unknown): string[] {
  const check = compiled.get(schema) ?? compile(schema);
  compiled.set(schema, check);
  check(value);
  return (check.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}

function compile(schema: Node): ValidateFunction {
  return ajv.compile(
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')) as object,
  );
}
