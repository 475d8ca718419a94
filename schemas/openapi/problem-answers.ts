import { problemPath, PROBLEMS, type ProblemCode } from '../problems.js';
import { schemaRef, type JsonObject } from './components.js';
import { toHeaders, type HeaderName } from './headers.js';

/** The problem of methods that are not described, and so of no operation. */
export const UNDESCRIBED: ProblemCode = 'method-not-allowed';

/** An example of each other problem, by its name in the list of components. */
export const PROBLEM_EXAMPLES: Readonly<Record<string, unknown>> = Object.fromEntries(
  (Object.keys(PROBLEMS) as ProblemCode[]) // keys of a closed literal
    .filter((code) => code !== UNDESCRIBED)
    .map((code) => [nameOf(code), exampleOf(code)]),
);

/** The headers that a problem may have beside those of every answer. */
const OWN_HEADERS: { readonly [code in ProblemCode]?: HeaderName } = {
  'api-key-missing': 'WWW-Authenticate',
  'api-key-invalid': 'WWW-Authenticate',
  'session-invalid': 'WWW-Authenticate',
  'range-not-satisfiable': 'Content-Range',
};

/** The headers of the problems of an operation, and the problems that are met before a limit is looked at. */
export type ProblemHeaders = {
  readonly headers: readonly HeaderName[];
  readonly uncounted: readonly ProblemCode[];
};

/** One answer for each status of these problems, with an example of each. */
export function toProblemAnswers(
  codes: readonly ProblemCode[],
  { headers, uncounted }: ProblemHeaders,
): Record<string, JsonObject> {
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => PROBLEMS[code].status === status);
      const isCounted = own.some((code) => !uncounted.includes(code));
      const its = headers.filter((name) => isCounted || !name.startsWith('RateLimit'));
      return [String(status), toProblemAnswer(own, its)];
    }),
  );
}

function toProblemAnswer(codes: readonly ProblemCode[], headers: readonly HeaderName[]): JsonObject {
  const isRetried = codes.some((code) => [429, 503].includes(PROBLEMS[code].status));
  const own = codes.flatMap((code) => OWN_HEADERS[code] ?? []);
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].meaning}.`).join('\n'),
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
  return { type: problemPath(code), title, status, detail: meaning, instance, code };
}
