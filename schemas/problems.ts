/**
 * Every problem that the gateway can answer with (RFC 9457). The pages about problems, the reference and OpenAPI are
 * made from this table.
 */
export const PROBLEMS = {
  'request-malformed': {
    status: 400,
    title: 'Malformed request',
    meaning: 'The JSON, the encoding, a parameter or the credentials of the request are not valid.',
    remedy: 'Correct the part of the request that the detail names, and send it again.',
  },
  'webhook-signature-invalid': {
    status: 400,
    title: 'Invalid webhook signature',
    meaning: 'The event was not signed with the secret of this webhook within the last five minutes.',
    remedy:
      'Check that the gateway has the signing secret of this webhook at Stripe, and send the event again.',
  },
  'api-key-missing': {
    status: 401,
    title: 'API key required',
    meaning: 'An API key is required, in the header Authorization (as a bearer token) or X-API-Key.',
    remedy: 'Create a key on the account page, and send it in the header Authorization, as a bearer token.',
  },
  'api-key-invalid': {
    status: 401,
    title: 'Invalid API key',
    meaning:
      'The API key is malformed, unknown, revoked, for the other mode (live or test), or in a repeated header.',
    remedy:
      'Send a key exactly as it was shown when you created it, or create a new one on the account page.',
  },
  'session-invalid': {
    status: 401,
    title: 'Sign-in required',
    meaning: 'The bearer token is missing, expired or not valid. Sign in on the account page again.',
    remedy:
      'Open the account page and sign in again. If that does not help, the operator of the service has to act: `refusal` says why the token was refused.',
  },
  'not-entitled': {
    status: 403,
    title: 'File not included in the plan',
    meaning: 'The active plan does not include this file. `detail` names a plan that does.',
    remedy: 'Open the account page to see what your plan includes, or to change it.',
  },
  'subscription-inactive': {
    status: 403,
    title: 'No active subscription',
    meaning: 'The key or session is valid, but its account has no active subscription.',
    remedy: 'Open the account page to start a subscription.',
  },
  'link-invalid': {
    status: 403,
    title: 'Invalid link',
    meaning: 'The link has expired or was altered. Request the file again to get a new link.',
    remedy: 'Request the file at its own address again, and follow the new link before it expires.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    meaning: 'The path does not exist, the date was never published, or the resource is not yours.',
    remedy: 'Check the spelling of the address, or look for the file in the documentation.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    meaning: 'This path does not support the method. The Allow header lists the supported methods.',
    remedy: 'Send the request with a method that the Allow header lists.',
  },
  'key-limit-reached': {
    status: 409,
    title: 'Too many active keys',
    meaning: 'An account can have five active keys. Revoke one before you create another.',
    remedy: 'Revoke a key that you no longer use on the account page, and create the new one.',
  },
  'already-subscribed': {
    status: 409,
    title: 'Already subscribed',
    meaning: 'The account already has a subscription. Change, pay or cancel it in the billing portal.',
    remedy: 'Open the billing portal from the account page.',
  },
  gone: {
    status: 410,
    title: 'Date withdrawn',
    meaning: 'The date was published and later withdrawn. The manifest gives the reason.',
    remedy: 'Read the reason in the manifest, and use another date.',
  },
  'payload-too-large': {
    status: 413,
    title: 'Request body too large',
    meaning: 'The request body is larger than 64 KiB, or an event of Stripe is larger than 1 MiB.',
    remedy: 'Send a smaller body. No request of the API needs more than 64 KiB.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'Send the body as application/json in UTF-8, without compression.',
    remedy: 'Set Content-Type to application/json, and send the body without compression.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'Range not satisfiable',
    meaning: 'The range starts past the end of the file. Content-Range gives the length of the file.',
    remedy: 'Request the file without a range, or with one that starts inside the file.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    meaning:
      'Too many requests within one minute, or too many new keys within a day. Wait as many seconds as Retry-After says.',
    remedy: 'Wait, and then send fewer requests per minute.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'The gateway failed to handle the request. Its log contains the id in `instance`.',
    remedy: 'Try again. If it fails again, send the request id to the operator.',
  },
  'store-unavailable': {
    status: 503,
    title: 'Store unavailable',
    meaning: 'The store of files or accounts is temporarily unreachable. Try again.',
    remedy: 'Wait ten seconds, and try again.',
  },
  'billing-unavailable': {
    status: 503,
    title: 'Payment service unavailable',
    meaning: 'The payment service is unreachable or refused the request. Access is not affected. Try again.',
    remedy: 'Wait a minute, and try again.',
  },
  'billing-not-configured': {
    status: 503,
    title: 'Payments not configured',
    meaning: 'This gateway has no payment service. Its operator grants access.',
    remedy: 'Ask the operator of this gateway for access.',
  },
  'identity-unavailable': {
    status: 503,
    title: 'Sessions cannot be verified',
    meaning: 'The keys of the identity provider cannot be read, or no provider is configured. Try again.',
    remedy: 'Wait a minute, and sign in again. API keys keep working.',
  },
  'not-published': {
    status: 503,
    title: 'Nothing published yet',
    meaning: 'No release has been published yet. Try again later.',
    remedy: 'Try again after the first release.',
  },
} as const satisfies Record<string, Problem>;

/**
 * Status and texts of a problem. `meaning` is the detail of an answer that has nothing more specific to say, and `remedy`
 * what to do first.
 */
type Problem = {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
};

/** Stable name of a problem. */
export type ProblemCode = keyof typeof PROBLEMS;

/** Who can do something about a refused session token, as a sentence. */
const ADVICE = {
  person: 'Sign in again.',
  operator:
    'If the account page sent it, signing in again does not help: the operator of this service must correct its configuration.',
} as const;

/**
 * Why a session token was refused, by code, and who can do something about it. The caller and the operator's log get the code:
 * it says nothing about other tokens, and no code has a part that a client chose. The list in PROVIDERS.md is generated from
 * this table.
 */
export const SESSION_REFUSALS = {
  'api-key': {
    meaning: 'The token is an API key.',
    advice: 'It is an API key, and this path needs a session: sign in on the account page.',
  },
  'no-jwt': {
    meaning: 'The token is not a JWT. The access tokens of some providers are opaque.',
    advice: ADVICE.operator,
  },
  'too-long': { meaning: 'The token is longer than 16 KiB.', advice: ADVICE.operator },
  algorithm: {
    meaning: 'The token is signed with an algorithm that is not accepted.',
    advice: ADVICE.operator,
  },
  key: { meaning: 'No key in CRD_JWKS is the one that signed the token.', advice: ADVICE.person },
  signature: { meaning: 'The signature is wrong.', advice: ADVICE.person },
  issuer: { meaning: 'The issuer (iss) is not CRD_JWT_ISSUER.', advice: ADVICE.operator },
  audience: { meaning: 'The audience (aud) does not contain CRD_JWT_AUDIENCE.', advice: ADVICE.operator },
  type: {
    meaning: 'The type (typ) is not CRD_JWT_TYPE or, if that is not set, neither JWT nor absent.',
    advice: ADVICE.operator,
  },
  expired: { meaning: 'The token has expired.', advice: ADVICE.person },
  'not-yet-valid': {
    meaning: 'The token is not valid yet: compare the clocks of the provider and of the gateway.',
    advice: ADVICE.operator,
  },
  claims: {
    meaning: 'A claim is missing or has a wrong form: tokens need iss, aud, sub and exp.',
    advice: ADVICE.operator,
  },
  events: { meaning: 'The token reports events, as logout tokens do.', advice: ADVICE.person },
  subject: {
    meaning: 'The subject (sub) is no account id: at most 255 bytes of printable characters.',
    advice: ADVICE.operator,
  },
  invalid: {
    meaning: 'The token is damaged, or has an extension that must be understood.',
    advice: ADVICE.person,
  },
} as const;

export type SessionRefusal = keyof typeof SESSION_REFUSALS;

/** The body of a problem, `application/problem+json`. */
export type ProblemDocument = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: ProblemCode;
  /** Of `session-invalid`, if a token was sent: why it was refused. */
  readonly refusal?: SessionRefusal;
};
