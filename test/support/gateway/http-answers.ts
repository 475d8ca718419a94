import { PROBLEMS, type ProblemCode, type ProblemDocument } from '../../../gateway/core/problems.js';

/** A parsed JSON object. */
export type AnyDocument = Readonly<Record<string, unknown>>;

/** Parses the body of a response as a JSON object. */
export async function readDocument(response: Response): Promise<AnyDocument> {
  return (await response.json()) as AnyDocument; // tests assert its members
}

/** Returns the problem of a response, after asserting everything that all problems have in common. */
export async function readProblem(response: Response): Promise<ProblemDocument> {
  const { status, headers } = response;
  const text = await response.text();
  expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
    'application/problem+json',
    'no-store',
  ]);
  const problem = JSON.parse(text) as ProblemDocument; // asserted by the next lines
  const { code, instance } = problem;
  expect(Object.keys(problem).sort()).toEqual(['code', 'detail', 'instance', 'status', 'title', 'type']);
  expect(Object.keys(PROBLEMS)).toContain(code);
  expect([status, problem.status, problem.title]).toEqual([
    PROBLEMS[code].status,
    PROBLEMS[code].status,
    PROBLEMS[code].title,
  ]);
  expect(problem.type).toBe(`/problems/${code}`);
  expect(problem.detail).toMatch(/^\S.+$/);
  expect(instance).toBe(headers.get('x-request-id') ?? ''); // a response to invalid HTTP has no id
  expect(headers.get('location')).toBeNull();
  // No key, token, signature, stack trace or place in the store.
  expect(text).not.toMatch(
    /crd_(live|test)_|eyJ|signature=|X-Amz-|\.[jt]s:\d|s3:|file:|objects\/sha256|current\.json/,
  );
  expectHeadersOf(code, headers);
  return problem;
}

/** Returns the problem code of a response. */
export async function readProblemCode(response: Response): Promise<ProblemCode> {
  return (await readProblem(response)).code;
}

const CHALLENGES: { readonly [code in ProblemCode]?: RegExp } = {
  'api-key-missing': /^ApiKey$/,
  'api-key-invalid': /^ApiKey$/,
  'session-invalid': /^Bearer realm="dashboard"(, error="invalid_token")?$/,
};

/** Asserts the headers that belong to a status. */
function expectHeadersOf(code: ProblemCode, headers: Headers): void {
  const { status } = PROBLEMS[code];
  expect(headers.get('www-authenticate') ?? '').toMatch(CHALLENGES[code] ?? /^$/);
  expect(headers.get('allow') ?? '').toMatch(status === 405 ? /^([A-Z]+, )+OPTIONS$/ : /^$/);
  expect(headers.get('retry-after') ?? '').toMatch(
    [429, 503].includes(status) && code !== 'billing-not-configured' ? /^[1-9]\d*$/ : /^$/,
  );
  expect(headers.get('content-range') ?? '').toMatch(status === 416 ? /^bytes \*\/\d+$/ : /^$/);
}
