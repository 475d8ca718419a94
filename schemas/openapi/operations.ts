import { problemPath, PROBLEMS, type ProblemCode } from '../problems.js';
import { schemaRef, type JsonObject } from './components.js';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

/** Every header of an answer that a client may want, by its name. */
export const HEADERS = {
  'Accept-Ranges': { description: 'That parts can be asked for.', schema: { const: 'bytes' } },
  'Cache-Control': { description: 'How long a cache may keep it.', schema: text },
  'Content-Disposition': { description: 'The name under which a browser keeps it.', schema: text },
  'Content-Range': { description: 'Which part it is.', schema: text },
  ETag: { description: 'Digest of the bytes, for If-None-Match.', schema: text },
  Location: { description: 'Where the file is.', schema: text },
  RateLimit: { description: 'What is left of the limit, and for how long.', schema: text },
  'RateLimit-Policy': { description: 'The limit that the request counted for.', schema: text },
  'Repr-Digest': { description: 'Digest of the bytes (RFC 9530).', schema: text },
  'Retry-After': { description: 'Seconds after which to ask again.', schema: count },
  'X-Content-SHA256': { description: 'Digest of the bytes, in hexadecimal.', schema: text },
  'X-Published-Revision': { description: 'The revision that published the bytes.', schema: text },
  'X-Request-Id': { description: 'The id of the request, also in the log.', schema: text },
  'X-Url-Expires-In': { description: 'Seconds for which the address is good.', schema: count },
} as const satisfies Record<string, JsonObject>;

/** Name of a header of an answer. */
export type HeaderName = keyof typeof HEADERS;

/** Content by its media type: the name of a schema, a schema, or `null` for bytes of any form. */
export type Content = Readonly<Record<string, string | JsonObject | null>>;

/** One answer of an operation. */
export type AnswerTerms = {
  readonly description: string;
  readonly content?: Content;
  readonly headers?: readonly HeaderName[];
};

/** What is said of an operation. `problems` are those of its own; 'internal' and 'method-not-allowed' are everybody's. */
export type OperationTerms = {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly JsonObject[];
  readonly body?: JsonObject;
  readonly security?: readonly JsonObject[];
  readonly answers: Readonly<Record<string, AnswerTerms>>;
  readonly problems: readonly ProblemCode[];
};

const EVERYWHERE: readonly ProblemCode[] = ['request-malformed', 'internal'];

/** An operation as OpenAPI writes it. */
export function toOperation(terms: OperationTerms): JsonObject {
  const { id, tag, summary, description, parameters = [], body, security = [], answers, problems } = terms;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    parameters,
    ...(body === undefined ? {} : { requestBody: body }),
    security,
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, toAnswer(answer)])),
      ...toProblemAnswers([...EVERYWHERE, ...problems]),
    },
  };
}

/** GET and the HEAD that goes with it, which has the same answers without their content. */
export function toReads(terms: OperationTerms): JsonObject {
  const head = toOperation({
    ...terms,
    id: `${terms.id}Head`,
    summary: `${terms.summary} (headers alone)`,
  });
  return { get: toOperation(terms), head: { ...head, responses: withoutContent(head['responses']) } };
}

function withoutContent(responses: unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(responses as Record<string, JsonObject>).map(
      ([status, { content: _content, ...rest }]) => [status, rest],
    ),
  );
}

function toAnswer({ description, content, headers = [] }: AnswerTerms): JsonObject {
  return {
    description,
    headers: toHeaders(headers),
    ...(content === undefined ? {} : { content: toContent(content) }),
  };
}

function toContent(content: Content): JsonObject {
  return Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [
      type,
      { schema: typeof schema === 'string' ? schemaRef(schema) : (schema ?? {}) },
    ]),
  );
}

function toHeaders(names: readonly HeaderName[]): JsonObject {
  const all = new Set<HeaderName>(['X-Request-Id', ...names]);
  return Object.fromEntries([...all].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** One answer for each status of these problems, with an example of each problem. */
function toProblemAnswers(codes: readonly ProblemCode[]): JsonObject {
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => PROBLEMS[code].status === status);
      return [String(status), toProblemAnswer(own)];
    }),
  );
}

function toProblemAnswer(codes: readonly ProblemCode[]): JsonObject {
  const retry = codes.some((code) => [429, 503].includes(PROBLEMS[code].status));
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].meaning}.`).join('\n'),
    headers: toHeaders([
      'Cache-Control',
      'RateLimit',
      'RateLimit-Policy',
      ...(codes.includes('range-not-satisfiable') ? ['Content-Range' as const] : []),
      ...(retry ? ['Retry-After' as const] : []),
    ]),
    content: {
      'application/problem+json': {
        schema: schemaRef('problem'),
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

function exampleOf(code: ProblemCode): JsonObject {
  const { status, title, meaning } = PROBLEMS[code];
  return { type: problemPath(code), title, status, detail: meaning, instance: '0f0e6c9e', code };
}
