/**
 * Every problem that the gateway can answer with (RFC 9457). The README's table, the pages under `/problems/` and the
 * tests are held to this one.
 */
export const PROBLEMS = {
  'request-malformed': {
    status: 400,
    title: 'The request is malformed',
    meaning:
      'bad JSON, a bad escape, a bad, unknown or repeated parameter, an API key in the query string, or two credentials at once',
  },
  'webhook-signature-invalid': {
    status: 400,
    title: 'The signature of the event is not valid',
    meaning: 'the event was not signed with the secret of this webhook, or not within the last five minutes',
  },
  'api-key-missing': {
    status: 401,
    title: 'An API key is needed',
    meaning: 'the file needs an API key; send it in the header X-API-Key',
  },
  'api-key-invalid': {
    status: 401,
    title: 'The API key is not valid',
    meaning:
      'the API key is malformed, unknown, revoked, of the other mode (live or test), or was sent twice',
  },
  'session-invalid': {
    status: 401,
    title: 'A dashboard session is needed',
    meaning: 'the bearer token of the dashboard is missing, expired or not valid',
  },
  'not-entitled': {
    status: 403,
    title: 'The plan does not include this file',
    meaning:
      'the subscription is active, but its plan does not include the file; the detail names the plan that does',
  },
  'subscription-inactive': {
    status: 403,
    title: 'There is no active subscription',
    meaning: 'the key or session is known, but its account has no active subscription',
  },
  'link-invalid': {
    status: 403,
    title: 'The link is not valid',
    meaning: 'a link to an object has expired or was altered; ask for the file again',
  },
  'not-found': {
    status: 404,
    title: 'There is no such file',
    meaning: 'no such path, a date that was never published, or something that is not yours',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The method is not allowed here',
    meaning: 'the path exists, but not for this method; the header Allow lists those it has',
  },
  'key-limit-reached': {
    status: 409,
    title: 'The account has its five active keys',
    meaning: 'an account may have five active keys; revoke one first',
  },
  'already-subscribed': {
    status: 409,
    title: 'The account has a subscription',
    meaning: 'the account has a subscription that is not over; change, pay or cancel it in the portal',
  },
  gone: {
    status: 410,
    title: 'The date was withdrawn',
    meaning: 'the date was published once and has been withdrawn; the manifest says why',
  },
  'payload-too-large': {
    status: 413,
    title: 'The body is too large',
    meaning: 'the body of a request may have 64 KiB',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is not JSON',
    meaning: 'send the body as application/json, in UTF-8 and without compression',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'The range lies outside the file',
    meaning: 'the range begins past the end of the file; Content-Range says how long it is',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    meaning: 'too many requests in a minute; Retry-After says how many seconds to wait',
  },
  internal: {
    status: 500,
    title: 'Something went wrong here',
    meaning: 'a fault of ours; the log has the id that `instance` names',
  },
  'store-unavailable': {
    status: 503,
    title: 'The store cannot be reached',
    meaning: 'the store of files or of accounts cannot be reached for the moment; try again',
  },
  'billing-unavailable': {
    status: 503,
    title: 'The payment service does not answer',
    meaning:
      'the payment service cannot be reached for the moment, or refuses; nobody lost access; try again',
  },
  'billing-not-configured': {
    status: 503,
    title: 'Nothing is sold here',
    meaning: 'this gateway has no payment service; its operator grants access',
  },
  'identity-unavailable': {
    status: 503,
    title: 'Sessions cannot be checked',
    meaning: 'the keys of the identity provider cannot be read for the moment, or no provider is configured',
  },
  'not-published': {
    status: 503,
    title: 'Nothing is published yet',
    meaning: 'the first release has not been published yet',
  },
} as const satisfies Record<string, ProblemTerms>;

/** What is said of a problem everywhere. */
export type ProblemTerms = { readonly status: number; readonly title: string; readonly meaning: string };

/** Stable name of a problem. */
export type ProblemCode = keyof typeof PROBLEMS;

/** The body of a problem, `application/problem+json`. */
export type ProblemDocument = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: ProblemCode;
};

/** URL path of the page about a problem, its `type`. */
export function problemPath(code: ProblemCode): string {
  return `/problems/${code}`;
}
