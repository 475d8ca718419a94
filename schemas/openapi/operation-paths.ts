import { schemaRef, type JsonObject } from './components.js';
import { toReads, type OperationTerms } from './operations.js';
import { IF_NONE_MATCH, inPath, json, RANGE } from './parameters.js';

/** What a subscriber file can be. */
const FILES = ['bundle', 'manifest', 'meta-day', 'gold-day', 'derived-day'];

/** The paths of health and objects. */
export function operationPaths(): Record<string, JsonObject> {
  const plain = (id: string, summary: string, answers: OperationTerms['answers']): JsonObject =>
    toReads({ id, tag: 'Operation', summary, answers, problems: [] });
  const readiness = { content: json('readiness'), headers: ['Cache-Control'] as const };
  return {
    '/healthz': plain('getHealth', 'Whether the process answers', {
      '200': { description: 'It does.', content: json('health'), headers: ['Cache-Control'] },
    }),
    '/readyz': plain('getReadiness', 'Whether it has what it needs', {
      '200': { description: 'It has, or serves what it knows.', ...readiness },
      '503': {
        description: 'No release has been read yet.',
        ...readiness,
        headers: ['Cache-Control', 'Retry-After'],
      },
    }),
    '/_objects/{digest}': objectOperations(),
  };
}

function objectOperations(): JsonObject {
  return toReads({
    id: 'getObject',
    tag: 'Subscriber files',
    summary: 'A file by the address that its redirect named',
    description: 'Of a gateway on a directory store alone; elsewhere the address leads to the object store.',
    parameters: [
      inPath('digest', schemaRef('common.sha256'), "Digest of the file's bytes."),
      IF_NONE_MATCH,
      RANGE,
    ],
    answers: {
      '200': {
        description: 'The file.',
        content: { 'application/json': { anyOf: FILES.map(schemaRef) } },
        headers: ['ETag', 'Cache-Control', 'Content-Disposition', 'Accept-Ranges'],
      },
      '206': {
        description: 'The part that was asked for.',
        content: { 'application/json': null },
        headers: ['ETag', 'Cache-Control', 'Content-Disposition', 'Content-Range', 'Accept-Ranges'],
      },
      '304': {
        description: 'The reader has it.',
        headers: ['ETag', 'Cache-Control', 'Content-Disposition'],
      },
    },
    problems: ['link-invalid', 'range-not-satisfiable', 'rate-limited', 'store-unavailable', 'not-found'],
  });
}
