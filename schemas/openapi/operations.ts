import type { ProblemCode } from '../problems.js';
import { schemaRef, type JsonObject } from './components.js';
import { EXAMPLES } from './examples.js';
import { toHeaders, type HeaderName } from './headers.js';
import { toProblemAnswers } from './problem-answers.js';

export type { HeaderName } from './headers.js';

/** Text or a document that no schema of ours describes, by an example of it. */
export type TextContent = { readonly example: string | JsonObject };

/** Content by its media type: the name of a schema, text, several schemas, or `null` for bytes of any form. */
export type Content = Readonly<Record<string, string | readonly string[] | TextContent | null>>;

/** One answer of an operation. */
export type AnswerTerms = {
  readonly description: string;
  readonly content?: Content;
  readonly headers?: readonly HeaderName[];
};

/** The answers of an operation but for its problems, by their statuses. */
export type Answers = Readonly<Record<string, AnswerTerms>>;

/** What is said of an operation. `problems` are those of its own; 'internal' and 'request-malformed' are everybody's. */
export type OperationTerms = {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly JsonObject[];
  readonly body?: JsonObject;
  readonly security?: readonly JsonObject[];
  readonly answers: Answers;
  readonly problems: readonly ProblemCode[];
  /** Headers of each of the problems, */
  readonly problemHeaders?: readonly HeaderName[];
  /** but for those of the limit where none was looked at. */
  readonly uncounted?: readonly ProblemCode[];
};

const EVERYWHERE: readonly ProblemCode[] = ['request-malformed', 'internal'];

/** An operation as OpenAPI writes it. */
export function toOperation(terms: OperationTerms): JsonObject {
  const { id, tag, summary, description, parameters = [], body, security = [], answers } = terms;
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
      ...toProblemAnswers([...EVERYWHERE, ...terms.problems], {
        headers: terms.problemHeaders ?? [],
        uncounted: terms.uncounted ?? [],
      }),
    },
  };
}

/**
 * GET and the HEAD that goes with it, which has the same answers without their content where nothing else is said, and
 * none about parts (RFC 9110 §14.2). What is wrong with a request without a body is seen before a limit is looked at.
 */
export function toReads(said: OperationTerms, headAnswers: Answers = said.answers): JsonObject {
  const uncounted: readonly ProblemCode[] = [...(said.uncounted ?? []), 'request-malformed'];
  const terms = { ...said, uncounted };
  const head = toOperation({
    ...terms,
    id: `${terms.id}Head`,
    summary: `${terms.summary} (headers alone)`,
    parameters: (terms.parameters ?? []).filter(({ name }) => name !== 'Range'),
    answers: Object.fromEntries(Object.entries(headAnswers).filter(([status]) => status !== '206')),
    problems: terms.problems.filter((code) => code !== 'range-not-satisfiable'),
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
  return Object.fromEntries(Object.entries(content).map(([type, each]) => [type, toMedia(each)]));
}

function toMedia(content: Content[string]): JsonObject {
  if (content === null) return {};
  if (typeof content === 'string') return { schema: schemaRef(content), ...examplesOf([content]) };
  if (isList(content)) return { schema: { anyOf: content.map(schemaRef) }, ...examplesOf(content) };
  return { schema: { type: typeof content.example }, example: content.example };
}

function isList(content: readonly string[] | TextContent): content is readonly string[] {
  return Array.isArray(content);
}

/** References to the examples of these schemas that there are. */
function examplesOf(schemas: readonly string[]): JsonObject {
  const names = schemas.filter((name) => name in EXAMPLES);
  const examples = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]));
  return names.length === 0 ? {} : { examples };
}
