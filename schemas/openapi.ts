import { ANSWER_SCHEMAS } from './openapi/answers.js';
import { collectSchemas, type JsonObject } from './openapi/components.js';
import { EXAMPLES } from './openapi/examples.js';
import { BROWSER_HEADERS, HEADERS, ORIGIN_HEADERS } from './openapi/headers.js';
import { PROBLEM_EXAMPLES, UNDESCRIBED } from './openapi/problem-answers.js';
import { shareParts } from './openapi/share-parts.js';
import { accountPaths, sellingPaths } from './openapi/account-paths.js';
import { filePaths } from './openapi/file-paths.js';
import { operationPaths } from './openapi/operation-paths.js';
import { publicPaths } from './openapi/public-paths.js';

/** The files of schemas that the interface shows. */
const SHOWN = [
  ...['status', 'landing', 'summary', 'release', 'changes', 'glossary', 'thresholds'],
  ...['methodology-versions', 'methodology', 'feature-schema', 'entitlements', 'api-key'],
  ...['openapi', 'bundle', 'manifest', 'meta-day', 'gold-day', 'derived-day', 'brief-day'],
  ...['common.instant', 'common.revision', 'common.sha256'],
];

const DESCRIPTION = `Descriptive daily on-chain reference data: regimes, metrics and where they come from. No price, no
forecast, no advice. Public files need no key. A subscriber file is asked for with \`X-API-Key\`, and answered with a redirect to a
signed address: do not send the key there. Every failure is a problem document (RFC 9457); \`type\` is the path of a page about it.
A method that is not described is \`${UNDESCRIBED}\`, and \`Allow\` says which there are; OPTIONS says so too.
Every answer has ${listOf(BROWSER_HEADERS)} for browsers, the same in all, and to pages of other origins that may read it
${listOf(ORIGIN_HEADERS)}.`;

function listOf(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return `${names.slice(0, -1).map(toCode).join(', ')} and ${toCode(last)}`;
}

function toCode(name: string): string {
  return `\`${name}\``;
}

/** The description of the whole HTTP interface, OpenAPI 3.1.1, from the tables and schemas that the programs run by. */
export function openApiDocument(): JsonObject {
  made ??= makeDocument();
  return made;
}

let made: JsonObject | undefined;

function makeDocument(): JsonObject {
  const { paths, responses, parameters } = shareParts({
    ...publicPaths(),
    ...filePaths(),
    ...accountPaths(),
    ...sellingPaths(),
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
    servers: [{ url: '/', description: 'Where this file comes from.' }],
    tags: [
      { name: 'Public files', description: 'No key.' },
      { name: 'Subscriber files', description: 'With an API key, by plan.' },
      { name: 'Account', description: 'With a session of the dashboard.' },
      { name: 'Operation', description: 'For operators and the payment service.' },
    ],
    paths,
    components: {
      schemas: { ...collectSchemas(SHOWN), ...ANSWER_SCHEMAS },
      responses,
      parameters,
      examples: toExamples({ ...EXAMPLES, ...PROBLEM_EXAMPLES }),
      headers: HEADERS,
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Never in the address.' },
        Session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Of the dashboard.' },
      },
    },
  };
}

function toExamples(examples: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}
