import { StoreError, type StoreErrorCode } from './object-store.js';
import { codeOf } from './system-error.js';
import type { S3Address } from './s3-address.js';

/** What a failure of S3 means to the port. */
export type S3Failure =
  | 'missing'
  | 'precondition'
  | 'race'
  | 'throttled'
  | 'denied'
  | 'unreachable'
  | 'address'
  | 'damaged'
  | 'other';

/** What the SDK says before what the system said. */
const SDK_WRAPPER = /^AWS SDK error wrapper for (?:\w*Error: )?/;

const MEANINGS: Readonly<Record<string, S3Failure>> = {
  NoSuchKey: 'missing',
  NotFound: 'missing',
  NoSuchBucket: 'address',
  PermanentRedirect: 'address',
  TemporaryRedirect: 'address',
  AuthorizationHeaderMalformed: 'address',
  IllegalLocationConstraintException: 'address',
  PreconditionFailed: 'precondition',
  ConditionalRequestConflict: 'race',
  SlowDown: 'throttled',
  ServiceUnavailable: 'throttled',
  Throttling: 'throttled',
  ThrottlingException: 'throttled',
  RequestLimitExceeded: 'throttled',
  TooManyRequests: 'throttled',
  AccessDenied: 'denied',
  AllAccessDisabled: 'denied',
  InvalidAccessKeyId: 'denied',
  SignatureDoesNotMatch: 'denied',
  ExpiredToken: 'denied',
  ExpiredTokenException: 'denied',
  InvalidIdentityToken: 'denied',
  InvalidToken: 'denied',
  RequestTimeTooSkewed: 'denied',
  CredentialsProviderError: 'denied',
  TokenProviderError: 'denied',
  InvalidObjectState: 'other',
  BadDigest: 'damaged',
  XAmzContentChecksumMismatch: 'damaged',
  XAmzContentSHA256Mismatch: 'damaged',
  InternalError: 'unreachable',
  TimeoutError: 'unreachable',
  RequestTimeout: 'unreachable',
};

/** By status alone a 404 is no S3 server's: it says of what is missing that it is NotFound, or what is not found. */
const STATUS_MEANINGS: Readonly<Record<number, S3Failure>> = {
  301: 'address',
  307: 'address',
  403: 'denied',
  409: 'race',
  412: 'precondition',
  429: 'throttled',
  500: 'unreachable',
  502: 'unreachable',
  503: 'throttled',
  504: 'unreachable',
};

const NETWORK = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
];

/** Failures of a connection that is to be secure: OpenSSL's, and those of the certificates' check. */
const SECURITY = /^EPROTO$|^CERT_|_CERT(_|$)|^UNABLE_TO_|^ERR_(SSL|TLS)_/;
const NO_REGION = /^Region (is missing|not accepted)/;
const NO_S3 = /XML parse error|Deserialization error/;
/** What Node's parser says of an answer that is no HTTP. */
const NO_HTTP = /^HPE_/;

/** The one place where S3's failures get their meaning: by code, then by status, then by the network's mark. */
export function classifyS3Error(error: unknown): S3Failure {
  const { name, code, status, message } = marksOf(error);
  const isNetwork = NETWORK.includes(code) || SECURITY.test(code) || NO_HTTP.test(code);
  const network = isNetwork ? 'unreachable' : undefined;
  const region = NO_REGION.test(message) ? 'address' : undefined;
  return MEANINGS[name] ?? MEANINGS[code] ?? network ?? region ?? STATUS_MEANINGS[status] ?? 'other';
}

/** A failure as the port's, with an operator's sentence; an error that is not S3's as it is. */
export function toS3StoreError(error: unknown, address: S3Address, key: string): unknown {
  const failure = classifyS3Error(error);
  const { status, message: said } = marksOf(error);
  const isForeign =
    failure === 'other' && status === 0 && codeOf(error) === undefined && !SDK_WRAPPER.test(said);
  if (error instanceof StoreError || isAbort(error) || isForeign) return error;
  const where = `s3://${address.bucket}/${address.prefix}${key}`;
  const message = `${where}: ${remedyFor(error, failure, address)} (${wordsOf(error)})`;
  return new StoreError(codeFor(failure), message, { cause: error });
}

/** What S3 or the system said itself, on one line. */
function wordsOf(error: unknown): string {
  const { name, code, status, message } = marksOf(error);
  const [first = ''] = message.replace(SDK_WRAPPER, '').split('\n');
  if (name === 'Unknown') return `HTTP ${status}`; // the answer to a HEAD has no body
  const mark = name === 'Error' || name === 'AggregateError' ? code : name;
  const parts = [first.startsWith(mark) ? '' : mark, first].filter((part) => part !== '');
  return parts.join(': ') || `HTTP ${status}`;
}

/** Whether a server refused a request without a word of why, as it must when that was a HEAD. */
export function isUnexplained(error: unknown): boolean {
  const { name, status } = marksOf(error);
  return name === 'Unknown' && status >= 300 && status < 500;
}

/** Number of times that the failed request was sent. */
export function attemptsOf(error: unknown): number {
  return marksOf(error).attempts;
}

/** Whether the operation was given up because its signal was aborted. */
export function isAbort(error: unknown): boolean {
  return marksOf(error).name === 'AbortError';
}

function codeFor(failure: S3Failure): StoreErrorCode {
  return failure === 'address' ? 'address' : 'unavailable';
}

function remedyFor(error: unknown, failure: S3Failure, address: S3Address): string {
  const { name, code, message } = marksOf(error);
  const server = address.endpoint ?? 'S3';
  if (SECURITY.test(code)) {
    return `the secure connection to ${server} fails; check whether it speaks https, and its certificate`;
  }
  if (NO_HTTP.test(code))
    return `what answers at ${server} is no S3 server, or a proxy garbles it; check the endpoint`;
  if (failure === 'unreachable') {
    return `${server} cannot be reached or does not answer; check the network and the endpoint, and run again`;
  }
  if (failure === 'throttled') return `${server} asks for fewer requests, also after pauses; run again later`;
  if (NO_S3.test(message)) return `what answers at ${server} is no S3 server; check the endpoint`;
  if (failure === 'address') return addressRemedyFor(error, address);
  if (codeOf(error) !== undefined) return 'the credentials cannot be read; mend that and run again';
  return SENTENCES[name] ?? FAILURE_SENTENCES[failure] ?? 'S3 refused the request; mend that and run again';
}

function addressRemedyFor(error: unknown, { bucket, region }: S3Address): string {
  const { name, message, region: right } = marksOf(error);
  if (name === 'NoSuchBucket') return `there is no bucket ${bucket}; create it, or correct the address`;
  if (NO_REGION.test(message))
    return 'no region is set; add ?region=REGION to the address, or set AWS_REGION';
  const place = right === '' ? 'another region' : `region ${right}`;
  return `the bucket lies in ${place}, not in ${region ?? 'the configured one'}; add ?region=${right || 'REGION'} to the address, or set AWS_REGION`;
}

const SENTENCES: Readonly<Record<string, string>> = {
  ExpiredToken: 'the credentials have expired; renew them and run again',
  ExpiredTokenException: 'the credentials have expired; renew them and run again',
  InvalidIdentityToken: "the role's identity token is not valid; check the provider of the role",
  InvalidToken: 'the session token is not valid; renew the credentials and run again',
  InvalidAccessKeyId: 'S3 does not know the access key; check the credentials in force',
  SignatureDoesNotMatch: 'the secret key does not fit the access key; check the credentials in force',
  RequestTimeTooSkewed: "this machine's clock is wrong by more than 15 minutes; set it and run again",
  CredentialsProviderError:
    'there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role for this machine',
  TokenProviderError: 'the single sign-on session is over; sign in again and run again',
  InvalidObjectState:
    'the object lies in an archive; restore it, and let no lifecycle rule archive what the store holds',
  NotImplemented: 'this server lacks what a store needs, conditional writes above all; use another S3 server',
};

const FAILURE_SENTENCES: { readonly [failure in S3Failure]?: string } = {
  denied: 'these credentials may not do that; give them the rights that infra/README.md lists',
  damaged: 'the bytes were damaged on the way; run again',
  race: 'other writers keep changing this key; run again',
  missing: 'is not there; create the bucket, or correct the address',
};

type Marks = {
  readonly name: string;
  readonly code: string;
  readonly status: number;
  readonly attempts: number;
  readonly message: string;
  /** Where S3 says that the bucket lies; empty where it does not. */
  readonly region: string;
};

/** What an error of the SDK is recognised by; by its marks, not its class, for it may come from another realm. */
function marksOf(error: unknown): Marks {
  const none = { name: '', code: '', status: 0, attempts: 1, message: '', region: '' };
  if (typeof error !== 'object' || error === null) return none;
  const marks = error as {
    name?: unknown;
    code?: unknown;
    Code?: unknown;
    message?: unknown;
    Region?: unknown;
    $metadata?: { httpStatusCode?: number; attempts?: number };
    $response?: { headers?: Record<string, string> };
  };
  return {
    name: textOf(marks.name),
    code: textOf(marks.code ?? marks.Code),
    status: marks.$metadata?.httpStatusCode ?? 0,
    attempts: marks.$metadata?.attempts ?? 1,
    message: textOf(marks.message),
    region: marks.$response?.headers?.['x-amz-bucket-region'] ?? textOf(marks.Region),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
