import { ANSWER_SCHEMAS } from './openapi/answers.js';
import { collectSchemas, type JsonObject } from './openapi/components.js';
import { EXAMPLES } from './openapi/examples.js';
import { BROWSER_HEADERS, CACHE_HEADER, HEADERS, ORIGIN_HEADERS } from './openapi/headers.js';
import { PROBLEM_EXAMPLES, UNDESCRIBED } from './openapi/problem-answers.js';
import { accountPaths, billingPaths } from './openapi/account-paths.js';
import { filePaths, operationPaths } from './openapi/file-paths.js';
import { publicPaths } from './openapi/public-paths.js';
import { methodologyDataPath } from './paths.js';
import type { OpenApi, Site } from './types.generated.js';

/** The schemas of the documents that the API returns. */
const PUBLISHED_SCHEMAS = [
  'status',
  'landing',
  'chart',
  'summary',
  'regimes',
  'release',
  'changes',
  'glossary',
  'thresholds',
  'methodology-versions',
  'methodology',
  'feature-schema',
  'entitlements',
  'api-key',
  'openapi',
  'bundle',
  'manifest',
  'meta-day',
  'gold-day',
  'derived-day',
  'brief-day',
  'key-set',
  'release-statement',
  'timestamp',
  'releases',
  'common.instant',
  'common.revision',
  'common.sha256',
];

const DESCRIPTION = `Descriptive daily on-chain reference data: regimes, metrics and their sources. No prices, no forecasts, no advice.
Public files need no key. To read a subscriber file, send your API key in \`X-API-Key\` or as a bearer token in
\`Authorization\`. The response redirects to a signed URL; do not send the key there. The URL is valid for
\`X-Url-Expires-In\` seconds, for any number of requests. Then it answers 403: request the file again. Texts are compressed
(gzip) for clients that accept it; digests, sizes and ranges are those of the plain bytes. In a client generated from this
document, set \`redirect=false\` for every operation that can
return 307, and read the \`url\` that it returns without the key. Errors are problem documents (RFC 9457); \`type\` is the path
of a page that explains the problem. A client that prefers \`text/html\`, such as a browser, gets a page instead.
Methods that are not listed here return \`${UNDESCRIBED}\`. The \`Allow\` header of that response, and of OPTIONS, lists the
supported methods. Every response includes the browser security headers ${listOf(BROWSER_HEADERS)}, and \`${CACHE_HEADER}\` for
caches. Responses that pages of other origins may read also include ${listOf(ORIGIN_HEADERS)}.`;

function listOf(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return `${names.slice(0, -1).map(toCode).join(', ')} and ${toCode(last)}`;
}

function toCode(name: string): string {
  return `\`${name}\``;
}

/**
 * Returns the OpenAPI 3.1.1 description of the HTTP API, made from the tables and schemas that the programs use, with the
 * name, address, contact and terms of a site.
 */
export function openApiDocument(site?: Site): JsonObject & Pick<OpenApi, 'info'> {
  cached ??= makeDocument();
  if (site === undefined) return cached;
  const { name, base_url: url, contact, terms_url: terms } = site;
  const info = {
    ...cached.info,
    title: name,
    ...(contact === undefined ? {} : { contact: toContact(contact, site) }),
    ...(terms === undefined ? {} : { termsOfService: terms }),
  };
  return { ...cached, info, servers: [{ url, description: name }] };
}

/** Returns the path items of the document by path. Each holds its own responses and parameters. */
export function describedPaths(): Record<string, JsonObject> {
  return { ...publicPaths(), ...filePaths(), ...accountPaths(), ...billingPaths(), ...operationPaths() };
}

function toContact(contact: string, { name, publisher = name }: Site): JsonObject {
  return { name: publisher, ...(contact.startsWith('https:') ? { url: contact } : { email: contact }) };
}

let cached: ReturnType<typeof makeDocument> | undefined;

function makeDocument(): JsonObject & Pick<OpenApi, 'info'> {
  const { paths, responses, parameters } = shareParts(describedPaths());
  return {
    openapi: '3.1.1',
    info: {
      title: 'Chain reference data',
      version: '1',
      description: DESCRIPTION.replaceAll('\n', ' '),
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'The host that serves this file.' }],
    tags: [
      { name: 'Public files', description: 'Files that anyone can read without a key.' },
      {
        name: 'Subscriber files',
        description: 'Files that require an API key with a plan that includes them.',
      },
      { name: 'Account', description: 'Keys, entitlements and payments of an account.' },
      {
        name: 'Operation',
        description: 'Health checks for operators, and the webhook of the payment service.',
      },
    ],
    paths,
    components: {
      schemas: { ...collectSchemas(PUBLISHED_SCHEMAS), ...ANSWER_SCHEMAS },
      responses,
      parameters,
      examples: {
        ...toExamples({ ...EXAMPLES, ...PROBLEM_EXAMPLES }),
        methodology: { externalValue: methodologyDataPath('v1') }, // the example of the thresholds contains it
      },
      headers: HEADERS,
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'An API key. Never put it in the URL.',
        },
        BearerKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The same API key as a bearer token, which most HTTP clients do not send on to another host. If both headers are sent, they must have the same key.',
        },
        Session: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A session token of the account page.',
        },
      },
    },
  };
}

function toExamples(examples: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

/** Paths with references to shared responses and parameters, and the shared parts by name. */
type SharedParts = {
  readonly paths: JsonObject;
  readonly responses: JsonObject;
  readonly parameters: JsonObject;
};

/** A response or parameter with the name that it gets if it is shared: its status or its own name. A short name is repeated often. */
type Part = readonly [name: string, part: JsonObject];

/** Replaces each response and parameter that occurs several times with a reference to one shared part. */
function shareParts(paths: Readonly<Record<string, JsonObject>>): SharedParts {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as JsonObject[]);
  const responses = createList('responses', operations.flatMap(answersOf));
  const parameters = createList('parameters', operations.flatMap(parametersOf));
  const share = (operation: JsonObject): JsonObject => ({
    ...operation,
    parameters: parametersOf(operation).map(([, part]) => parameters.refTo(part)),
    responses: mapValues(operation['responses'] as Record<string, JsonObject>, responses.refTo),
  });
  return {
    paths: mapValues(paths, (item) => mapValues(item as Record<string, JsonObject>, share)),
    responses: responses.shared,
    parameters: parameters.shared,
  };
}

function answersOf({ responses }: JsonObject): Part[] {
  const answers = Object.entries(responses as Record<string, JsonObject>);
  return answers.map(([status, answer]) => [status, answer]);
}

function parametersOf({ parameters }: JsonObject): Part[] {
  return (parameters as JsonObject[]).map((each) => [String(each['name']), each]);
}

/** Collects the parts that occur several times. Different parts with the same name get numbers. */
function createList(
  kind: string,
  parts: readonly Part[],
): { readonly shared: JsonObject; readonly refTo: (part: JsonObject) => JsonObject } {
  const counts = new Map<string, number>();
  for (const [, part] of parts) {
    const text = JSON.stringify(part);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const shared: Record<string, JsonObject> = {};
  for (const [name, part] of parts) {
    const text = JSON.stringify(part);
    if (names.has(text) || counts.get(text) === 1) continue;
    const free = freeName(name, shared);
    names.set(text, free);
    shared[free] = part;
  }
  return {
    shared,
    refTo: (part) => {
      const name = names.get(JSON.stringify(part));
      return name === undefined ? part : { $ref: `#/components/${kind}/${name}` };
    },
  };
}

function freeName(name: string, taken: JsonObject): string {
  let [free, number] = [name, 1];
  while (free in taken) free = `${name}.${(number += 1)}`;
  return free;
}

function mapValues(
  from: Readonly<Record<string, JsonObject>>,
  map: (value: JsonObject) => JsonObject,
): JsonObject {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value)]));
}
