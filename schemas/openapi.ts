import { ANSWER_SCHEMAS } from './openapi/answers.js';
import { collectSchemas, type JsonObject } from './openapi/components.js';
import { EXAMPLES } from './openapi/examples.js';
import { BROWSER_HEADERS, CACHE_HEADER, HEADERS, ORIGIN_HEADERS } from './openapi/headers.js';
import { PROBLEM_EXAMPLES, UNDESCRIBED } from './openapi/problem-answers.js';
import { shareParts } from './openapi/share-parts.js';
import { accountPaths, billingPaths } from './openapi/account-paths.js';
import { filePaths } from './openapi/file-paths.js';
import { operationPaths } from './openapi/operation-paths.js';
import { publicPaths } from './openapi/public-paths.js';
import type { OpenApi, Site } from './types.generated.js';

/** The schemas of the documents that the API returns. */
const PUBLISHED_SCHEMAS = [
  ...['status', 'landing', 'chart', 'summary', 'release', 'changes', 'glossary', 'thresholds'],
  ...['methodology-versions', 'methodology', 'feature-schema', 'entitlements', 'api-key'],
  ...['openapi', 'bundle', 'manifest', 'meta-day', 'gold-day', 'derived-day', 'brief-day'],
  ...['key-set', 'release-statement', 'timestamp', 'releases'],
  ...['common.instant', 'common.revision', 'common.sha256'],
];

const DESCRIPTION = `Descriptive daily on-chain reference data: regimes, metrics and their sources. No prices, no forecasts, no advice.
Public files need no key. To read a subscriber file, send your API key in \`X-API-Key\`. The response redirects to a signed URL;
do not send the key there. Errors are problem documents (RFC 9457); \`type\` is the path of a page that explains the problem.
A client that prefers \`text/html\`, such as a browser, gets a page instead.
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

function toContact(contact: string, { name, publisher = name }: Site): JsonObject {
  return { name: publisher, ...(contact.startsWith('https:') ? { url: contact } : { email: contact }) };
}

let cached: ReturnType<typeof makeDocument> | undefined;

function makeDocument(): JsonObject & Pick<OpenApi, 'info'> {
  const { paths, responses, parameters } = shareParts({
    ...publicPaths(),
    ...filePaths(),
    ...accountPaths(),
    ...billingPaths(),
    ...operationPaths(),
  });
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
      examples: toExamples({ ...EXAMPLES, ...PROBLEM_EXAMPLES }),
      headers: HEADERS,
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'An API key. Never put it in the URL.',
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
