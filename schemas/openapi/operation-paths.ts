import { ACCOUNT_PATHS, ENDPOINTS, OBJECTS_PATH } from '../paths.js';
import { schemaRef, type JsonObject } from './components.js';
import { toReads, type OperationOptions } from './operations.js';
import { IF_NONE_MATCH, inPath, json, PRIVATE, RANGE, RATE } from './parameters.js';

/** Schemas of subscriber files. */
const FILE_SCHEMAS = ['bundle', 'manifest', 'meta-day', 'gold-day', 'derived-day', 'brief-day'];

/** Returns the operations of health checks and signed links, by path. */
export function operationPaths(): Record<string, JsonObject> {
  const plain = (id: string, summary: string, answers: OperationOptions['answers']): JsonObject =>
    toReads({ id, tag: 'Operation', summary, answers, problems: [] });
  const readiness = { content: json('readiness'), headers: ['Cache-Control'] as const };
  return {
    [ENDPOINTS.health]: plain('getHealth', 'Check that the process is running', {
      '200': {
        description: 'The process is running.',
        content: json('health'),
        headers: ['Cache-Control'],
      },
    }),
    [ENDPOINTS.readiness]: plain('getReadiness', 'Check that the gateway is ready', {
      '200': {
        description: 'Ready, or degraded: a store is unreachable and cached data is served.',
        ...readiness,
      },
      '503': {
        description: 'Not ready: no release has been read yet.',
        ...readiness,
        headers: ['Cache-Control', 'Retry-After'],
      },
    }),
    [ACCOUNT_PATHS.settings]: toReads({
      id: 'getAccountSettings',
      tag: 'Operation',
      summary: 'Retrieve the settings of the account page',
      answers: {
        '200': {
          description: 'The settings. They contain no secrets.',
          content: json('account-settings'),
          headers: PRIVATE,
        },
      },
      problems: ['rate-limited'],
      problemHeaders: RATE,
    }),
    [`${OBJECTS_PATH}{digest}`]: objectOperations(),
  };
}

const OBJECT = ['ETag', 'Cache-Control', 'Content-Disposition'] as const;
const DIGEST = '325f89d98158d849c65a2d2d06cd93a4fdf53946e7df4ecae2981ed0de4c6b52';

/** Query parameters of a signed link. */
const LINK = [
  inLink(
    'expires',
    '^[1-9][0-9]{0,11}$',
    'Time at which the link expires, in seconds since 1970-01-01T00:00:00Z.',
    '1787220300',
  ),
  inLink('type', '^[a-z0-9.+-]+/[a-z0-9.+-]+$', 'Media type of the file.', 'application/json'),
  inLink(
    'name',
    '^[A-Za-z0-9._-]{1,100}$',
    'Name under which a browser saves the file.',
    'base-gold-latest.json',
  ),
  inLink('signature', '^[0-9a-f]{64}$', 'Signature of the digest and the other parameters.', '0'.repeat(64)),
];

function inLink(name: string, pattern: string, description: string, example: string): JsonObject {
  return { name, in: 'query', required: true, schema: { type: 'string', pattern }, description, example };
}

function objectOperations(): JsonObject {
  return toReads({
    id: 'getObject',
    tag: 'Subscriber files',
    summary: 'Retrieve a file by its signed link',
    description: 'Only on a gateway with a directory store. Otherwise signed URLs lead to the object store.',
    parameters: [
      inPath('digest', schemaRef('common.sha256'), "SHA-256 of the file's bytes.", DIGEST),
      ...LINK,
      IF_NONE_MATCH,
      RANGE,
    ],
    answers: {
      '200': {
        description: 'The file.',
        content: { 'application/json': FILE_SCHEMAS },
        headers: [...OBJECT, 'Accept-Ranges'],
      },
      '206': {
        description: 'The requested range.',
        content: { 'application/json': null },
        headers: [...OBJECT, 'Content-Range', 'Accept-Ranges'],
      },
      '304': { description: 'Not modified. One of the ETags in If-None-Match is current.', headers: OBJECT },
    },
    problems: ['link-invalid', 'range-not-satisfiable', 'rate-limited', 'store-unavailable', 'not-found'],
    problemHeaders: RATE,
    uncounted: ['range-not-satisfiable', 'store-unavailable'],
  });
}
