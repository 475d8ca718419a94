import { StoreError, type StoreErrorCode } from './object-store.js';
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

const MEANINGS: Readonly<Record<string, S3Failure>> = {
  NoSuchKey: 'missing',
  NotFound: 'missing',
  NoSuchBucket: 'address',
  PermanentRedirect: 'address',
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
  InvalidToken: 'denied',
  RequestTimeTooSkewed: 'denied',
  CredentialsProviderError: 'denied',
  TokenProviderError: 'denied',
  BadDigest: 'damaged',
  XAmzContentChecksumMismatch: 'damaged',
  XAmzContentSHA256Mismatch: 'damaged',
  InternalError: 'unreachable',
  TimeoutError: 'unreachable',
  RequestTimeout: 'unreachable',
};

const STATUS_MEANINGS: Readonly<Record<number, S3Failure>> = {
  301: 'address',
  403: 'denied',
  404: 'missing',
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
];

/** The one place where S3's failures get their meaning: by code, then by status, then by the network's mark. */
export function classifyS3Error(error: unknown): S3Failure {
  const { name, code, status } = marksOf(error);
  const network = NETWORK.includes(code) ? 'unreachable' : undefined;
  return MEANINGS[name] ?? MEANINGS[code] ?? network ?? STATUS_MEANINGS[status] ?? 'other';
}

/** A failure as the port's, with an operator's sentence; an error that is not S3's as it is. */
export function toS3StoreError(error: unknown, address: S3Address, key: string): unknown {
  const failure = classifyS3Error(error);
  const { name, code, status, message } = marksOf(error);
  if (error instanceof StoreError || isAbort(error) || (failure === 'other' && status === 0)) return error;
  const said = [name === 'Error' || name === '' ? code : name, message]
    .filter((part) => part !== '')
    .join(': ');
  const where = `s3://${address.bucket}/${address.prefix}${key}`;
  return new StoreError(
    codeFor(failure),
    `${where}: ${remedyFor(error, failure, address)} (${said || status})`,
    {
      cause: error,
    },
  );
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

function remedyFor(error: unknown, failure: S3Failure, { bucket, region }: S3Address): string {
  const { name, region: right } = marksOf(error);
  if (name === 'NoSuchBucket') return `there is no bucket ${bucket}; create it, or correct the address`;
  if (failure === 'address') {
    const place = right === '' ? 'another region' : `region ${right}`;
    return `the bucket lies in ${place}, not in ${region ?? 'the configured one'}; add ?region=${right || 'REGION'} to the address, or set AWS_REGION`;
  }
  return SENTENCES[name] ?? FAILURE_SENTENCES[failure] ?? 'S3 refused the request; mend that and run again';
}

const SENTENCES: Readonly<Record<string, string>> = {
  ExpiredToken: 'the credentials have expired; renew them and run again',
  InvalidToken: 'the session token is not valid; renew the credentials and run again',
  InvalidAccessKeyId: 'S3 does not know the access key; check the credentials in force',
  SignatureDoesNotMatch: 'the secret key does not fit the access key; check the credentials in force',
  RequestTimeTooSkewed: "this machine's clock is wrong by more than 15 minutes; set it and run again",
  CredentialsProviderError:
    'there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role for this machine',
};

const FAILURE_SENTENCES: { readonly [failure in S3Failure]?: string } = {
  denied: 'these credentials may not do that; give them the rights that infra/README.md lists',
  throttled: 'S3 asks for fewer requests, also after pauses; run again later',
  unreachable: 'S3 cannot be reached or does not answer; check the network and the endpoint, and run again',
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
    $metadata?: { httpStatusCode?: number; attempts?: number };
    $response?: { headers?: Record<string, string> };
  };
  return {
    name: textOf(marks.name),
    code: textOf(marks.code ?? marks.Code),
    status: marks.$metadata?.httpStatusCode ?? 0,
    attempts: marks.$metadata?.attempts ?? 1,
    message: textOf(marks.message),
    region: marks.$response?.headers?.['x-amz-bucket-region'] ?? '',
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
