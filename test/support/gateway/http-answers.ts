import {
  PROBLEMS,
  SESSION_REFUSALS,
  type ProblemCode,
  type ProblemDocument,
} from '../../../gateway/core/problems.js';

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
  const problem = JSON.parse(text) as ProblemDocument; // asserted by the next lines
  const { code } = problem;
  const { status: expected, title } = PROBLEMS[code];
  expect({ status, problem, ...headersOf(headers), secrets: text.match(SECRETS) }).toEqual({
    status: expected,
    problem: {
      code,
      detail: expect.stringMatching(/^\S.+$/),
      instance: headers.get('x-request-id') ?? '', // a response to invalid HTTP has no id
      status: expected,
      title,
      type: `/problems/${code}`,
      ...expectedRefusal(code, headers),
    },
    ...expectedHeaders(code),
    secrets: null,
  });
  return problem;
}

/** Returns what the problem of a token says that was sent: why it was refused. */
function expectedRefusal(code: ProblemCode, headers: Headers): AnyDocument {
  const isSent = headers.get('www-authenticate')?.includes('error=') === true;
  if (code !== 'session-invalid' || !isSent) return {};
  return { refusal: expect.stringMatching(`^(${Object.keys(SESSION_REFUSALS).join('|')})$`) as unknown };
}

/** Returns the problem code of a response. */
export async function readProblemCode(response: Response): Promise<ProblemCode> {
  return (await readProblem(response)).code;
}

const CHALLENGES: { readonly [code in ProblemCode]?: RegExp } = {
  'api-key-missing': /^Bearer realm="files"$/,
  'api-key-invalid': /^Bearer realm="files", error="invalid_token"$/,
  'session-invalid': /^Bearer realm="dashboard"(, error="invalid_token")?$/,
};

/** Keys, tokens, signatures, stack traces and places in the store. */
const SECRETS = /crd_(live|test)_|eyJ|signature=|X-Amz-|\.[jt]s:\d|s3:|file:|objects\/sha256|current\.json/;

/** Names of the headers that belong to problems. */
const NAMES = [
  'content-type',
  'cache-control',
  'location',
  'www-authenticate',
  'allow',
  'retry-after',
  'content-range',
];

const headersOf = (headers: Headers): AnyDocument =>
  Object.fromEntries(NAMES.map((name) => [name, headers.get(name)]));

/** Returns the headers of a problem, as a matcher where they vary. */
function expectedHeaders(code: ProblemCode): AnyDocument {
  const { status } = PROBLEMS[code];
  const mayRetry = [429, 503].includes(status) && code !== 'billing-not-configured';
  const challenge = CHALLENGES[code];
  return {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    location: null,
    'www-authenticate': challenge === undefined ? null : expect.stringMatching(challenge),
    allow: status === 405 ? expect.stringMatching(/^([A-Z]+, )+OPTIONS$/) : null,
    'retry-after': mayRetry ? expect.stringMatching(/^[1-9]\d*$/) : null,
    'content-range': status === 416 ? expect.stringMatching(/^bytes \*\/\d+$/) : null,
  };
}
