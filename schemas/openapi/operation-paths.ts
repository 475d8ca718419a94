import { schemaRef, type JsonObject } from './components.js';
import { toReads, type OperationTerms } from './operations.js';
import { IF_NONE_MATCH, inPath, json, RANGE, RATE } from './parameters.js';

/** What a subscriber file can be. */
const FILES = ['bundle', 'manifest', 'meta-day', 'gold-day', 'derived-day', 'brief-day'];

/** The paths of health and objects. */
export function operationPaths(): Record<string, JsonObject> {
  const plain = (id: string, summary: string, answers: OperationTerms['answers']): JsonObject =>
    toReads({ id, tag: 'Operation', summary, answers, problems: [], problemHeaders: ['Vary'] });
  const readiness = { content: json('readiness'), headers: ['Cache-Control', 'Vary'] as const };
  return {
    '/healthz': plain('getHealth', 'Whether the process answers', {
      '200': { description: 'It does.', content: json('health'), headers: ['Cache-Control', 'Vary'] },
    }),
    '/readyz': plain('getReadiness', 'Whether it has what it needs', {
      '200': { description: 'It has, or serves what it knows.', ...readiness },
      '503': {
        description: 'No release has been read yet.',
        ...readiness,
        headers: ['Cache-Control', 'Vary', 'Retry-After'],
      },
    }),
    '/_objects/{digest}': objectOperations(),
  };
}

const OBJECT = ['ETag', 'Cache-Control', 'Content-Disposition', 'Vary'] as const;
const DIGEST = '325f89d98158d849c65a2d2d06cd93a4fdf53946e7df4ecae2981ed0de4c6b52';

/** What a link says beside the digest. */
const LINK = [
  inLink('expires', '^[1-9][0-9]{0,11}$', 'When it ends, in seconds since 1970.', '1787220300'),
  inLink('type', '^[a-z0-9.+-]+/[a-z0-9.+-]+$', 'The media type of the file.', 'application/json'),
  inLink('name', '^[A-Za-z0-9._-]{1,100}$', 'Its name for a browser.', 'base-gold-latest.json'),
  inLink('signature', '^[0-9a-f]{64}$', 'What the gateway signed the rest with.', '0'.repeat(64)),
];

function inLink(name: string, pattern: string, description: string, example: string): JsonObject {
  return { name, in: 'query', required: true, schema: { type: 'string', pattern }, description, example };
}

function objectOperations(): JsonObject {
  return toReads({
    id: 'getObject',
    tag: 'Subscriber files',
    summary: 'A file by the address that its redirect named',
    description: 'Of a gateway on a directory store alone; elsewhere the address leads to the object store.',
    parameters: [
      inPath('digest', schemaRef('common.sha256'), "Digest of the file's bytes.", DIGEST),
      ...LINK,
      IF_NONE_MATCH,
      RANGE,
    ],
    answers: {
      '200': {
        description: 'The file.',
        content: { 'application/json': FILES },
        headers: [...OBJECT, 'Accept-Ranges'],
      },
      '206': {
        description: 'The part that was asked for.',
        content: { 'application/json': null },
        headers: [...OBJECT, 'Content-Range', 'Accept-Ranges'],
      },
      '304': { description: 'The reader has it.', headers: OBJECT },
    },
    problems: ['link-invalid', 'range-not-satisfiable', 'rate-limited', 'store-unavailable', 'not-found'],
    problemHeaders: [...RATE, 'Vary'],
    uncounted: ['range-not-satisfiable'],
  });
}
