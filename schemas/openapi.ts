import { ANSWER_SCHEMAS } from './openapi/answers.js';
import { collectSchemas, type JsonObject } from './openapi/components.js';
import { HEADERS } from './openapi/operations.js';
import { accountPaths, sellingPaths } from './openapi/account-paths.js';
import { filePaths } from './openapi/file-paths.js';
import { operationPaths } from './openapi/operation-paths.js';
import { publicPaths } from './openapi/public-paths.js';

/** The files of schemas that the interface shows. */
const SHOWN = [
  ...['status', 'landing', 'summary', 'release', 'changes', 'glossary', 'thresholds'],
  ...['methodology-versions', 'methodology', 'feature-schema', 'entitlements', 'api-key'],
  ...['bundle', 'manifest', 'meta-day', 'gold-day', 'derived-day', 'brief-day'],
  ...['common.instant', 'common.revision', 'common.sha256'],
];

const DESCRIPTION = `Descriptive daily on-chain reference data: regimes, metrics and where they come from. No price, no
forecast, no advice. Public files need no key. A subscriber file is asked for with \`X-API-Key\`, and answered with a redirect to a
signed address: do not send the key there. Every failure is a problem document (RFC 9457); \`type\` is the path of a page about it.`;

/** The description of the whole HTTP interface, OpenAPI 3.1.1, from the tables and schemas that the programs run by. */
export function openApiDocument(): JsonObject {
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
    paths: { ...publicPaths(), ...filePaths(), ...accountPaths(), ...sellingPaths(), ...operationPaths() },
    components: {
      schemas: { ...collectSchemas(SHOWN), ...ANSWER_SCHEMAS },
      headers: HEADERS,
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Never in the address.' },
        Session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Of the dashboard.' },
      },
    },
  };
}
