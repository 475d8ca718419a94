import { problemPath } from '../paths.js';
import { PROBLEMS, SESSION_REFUSALS, type ProblemCode } from '../problems.js';
import { schemaRef, type JsonObject } from './components.js';
import { toHeaders, type HeaderName } from './headers.js';

/** The problem of methods that are not described. No operation lists it. */
export const UNDESCRIBED: ProblemCode = 'method-not-allowed';

/** An example of each other problem, by component name. */
export const PROBLEM_EXAMPLES: Readonly<Record<string, unknown>> = Object.fromEntries(
  (Object.keys(PROBLEMS) as ProblemCode[]) // Object.keys loses the key type
    .filter((code) => code !== UNDESCRIBED)
    .map((code) => [nameOf(code), exampleOf(code)]),
);

/** Headers that only some problems have. */
const OWN_HEADERS: { readonly [code in ProblemCode]?: HeaderName } = {
  'api-key-missing': 'WWW-Authenticate',
  'api-key-invalid': 'WWW-Authenticate',
  'session-invalid': 'WWW-Authenticate',
  'range-not-satisfiable': 'Content-Range',
};

/** Headers of an operation's problems, and the problems that are found before requests are counted. */
type ProblemHeaders = {
  readonly headers: readonly HeaderName[];
  readonly uncounted: readonly ProblemCode[];
};

/** Returns one response for each status of these problems, with an example of each problem. */
export function toProblemAnswers(
  codes: readonly ProblemCode[],
  { headers, uncounted }: ProblemHeaders,
): Record<string, JsonObject> {
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => PROBLEMS[code].status === status);
      const isCounted = own.some((code) => !uncounted.includes(code));
      const counted = headers.filter((name) => isCounted || !name.startsWith('RateLimit'));
      return [String(status), toProblemAnswer(own, counted)];
    }),
  );
}

function toProblemAnswer(codes: readonly ProblemCode[], headers: readonly HeaderName[]): JsonObject {
  const isRetried = codes.some((code) => [429, 503].includes(PROBLEMS[code].status));
  const own = codes.flatMap((code) => OWN_HEADERS[code] ?? []);
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].meaning}`).join('\n'),
    headers: toHeaders(['Cache-Control', ...headers, ...own, ...(isRetried ? ['Retry-After' as const] : [])]),
    content: {
      'application/problem+json': {
        schema: schemaRef('problem'),
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${nameOf(code)}` }]),
        ),
      },
    },
  };
}

function nameOf(code: ProblemCode): string {
  return `problem.${code}`;
}

function exampleOf(code: ProblemCode): JsonObject {
  const { status, title, meaning } = PROBLEMS[code];
  const instance = '0f0e6c9e-5c1b-4a44-9d57-2f6a7e1c8b30';
  const example = { type: problemPath(code), title, status, detail: meaning, instance, code };
  if (code !== 'session-invalid') return example;
  const refusal = 'expired';
  return {
    ...example,
    detail: `The session token was refused (${refusal}). ${SESSION_REFUSALS[refusal].advice}`,
    refusal,
  };
}
