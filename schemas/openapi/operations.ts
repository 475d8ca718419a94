import type { ProblemCode } from '../problems.js';
import { schemaRef, type JsonObject } from './components.js';
import { EXAMPLES } from './examples.js';
import { toHeaders, type HeaderName } from './headers.js';
import { toProblemAnswers } from './problem-answers.js';

export type { HeaderName } from './headers.js';

/** Text or a document that no schema describes, by example; the text can have a payload that one describes. */
type TextContent = {
  readonly example: string | JsonObject;
  readonly payload?: { readonly schema: string; readonly example: JsonObject };
};

/** Content by media type: a schema name, several schema names, text, or `null` for any bytes. */
export type Content = Readonly<Record<string, string | readonly string[] | TextContent | null>>;

type AnswerOptions = {
  readonly description: string;
  readonly content?: Content;
  readonly headers?: readonly HeaderName[];
};

/** The responses of an operation, without its problems, by status. */
export type Answers = Readonly<Record<string, AnswerOptions>>;

/** Options for `toOperation`. The problems 'internal' and 'request-malformed' are added to every operation. */
export type OperationOptions = {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly JsonObject[];
  readonly body?: JsonObject;
  readonly security?: readonly JsonObject[];
  readonly answers: Answers;
  readonly problems: readonly ProblemCode[];
  /** Headers of every problem response ... */
  readonly problemHeaders?: readonly HeaderName[];
  /** ... except that these problems have no rate limit headers, because they are found before requests are counted. */
  readonly uncounted?: readonly ProblemCode[];
};

const COMMON_PROBLEMS: readonly ProblemCode[] = ['request-malformed', 'internal'];

/** Returns an OpenAPI operation. */
export function toOperation(options: OperationOptions): JsonObject {
  const { id, tag, summary, description, parameters = [], body, security = [], answers } = options;
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
      ...toProblemAnswers([...COMMON_PROBLEMS, ...options.problems], {
        headers: options.problemHeaders ?? [],
        uncounted: options.uncounted ?? [],
      }),
    },
  };
}

/**
 * Returns a GET operation and its HEAD. HEAD has the same responses without content unless `headAnswers` is set, and
 * no ranges (RFC 9110 §14.2). Only GET has the description. A malformed request without a body is rejected before it is counted.
 */
export function toReads(options: OperationOptions, headAnswers: Answers = options.answers): JsonObject {
  const uncounted: readonly ProblemCode[] = [...(options.uncounted ?? []), 'request-malformed'];
  const get = { ...options, uncounted };
  const { description: _ofBoth, ...shared } = get;
  const head = toOperation({
    ...shared,
    id: `${get.id}Head`,
    summary: 'Headers only',
    parameters: (get.parameters ?? []).filter(({ name }) => name !== 'Range'),
    answers: Object.fromEntries(Object.entries(headAnswers).filter(([status]) => status !== '206')),
    problems: get.problems.filter((code) => code !== 'range-not-satisfiable'),
  });
  return { get: toOperation(get), head: { ...head, responses: withoutContent(head['responses']) } };
}

/** Returns the responses of HEAD. Of problems they have only the codes: the responses of GET explain them. */
function withoutContent(responses: unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(responses as Record<string, JsonObject>).map(
      ([status, { content: _content, description, ...rest }]) => [
        status,
        { description: String(description).replace(/^(`[a-z-]+`): .*$/gm, '$1'), ...rest },
      ],
    ),
  );
}

function toAnswer({ description, content, headers = [] }: AnswerOptions): JsonObject {
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
  return { schema: toTextSchema(content), example: content.example };
}

function toTextSchema({ example, payload }: TextContent): JsonObject {
  if (payload === undefined) return { type: typeof example };
  return {
    type: typeof example,
    contentSchema: { ...schemaRef(payload.schema), examples: [payload.example] },
  };
}

function isList(content: readonly string[] | TextContent): content is readonly string[] {
  return Array.isArray(content);
}

/** Returns references to the examples of these schemas. */
function examplesOf(schemas: readonly string[]): JsonObject {
  const names = schemas.filter((name) => name in EXAMPLES);
  const examples = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]));
  return names.length === 0 ? {} : { examples };
}
