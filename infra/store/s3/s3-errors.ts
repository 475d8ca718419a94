/** Classes of S3 failures that the store handles differently. */
export type S3Failure =
  /** The object does not exist. */
  | 'missing'
  /** The condition of a write does not hold. */
  | 'precondition'
  /** A concurrent write to the same key: the request can be sent again. */
  | 'conflict'
  /** S3 limits the request rate. */
  | 'throttled'
  /** Credentials or permissions are missing or wrong. */
  | 'denied'
  /** No response, or one that S3 sends while it is unavailable. */
  | 'unreachable'
  /** No such bucket, one in another region, or no valid region. */
  | 'wrong-address'
  /** The bytes did not match their checksum. */
  | 'damaged'
  | 'other';

const BY_NAME: Readonly<Record<string, S3Failure>> = {
  NoSuchKey: 'missing',
  NotFound: 'missing',
  NoSuchBucket: 'wrong-address',
  PermanentRedirect: 'wrong-address',
  TemporaryRedirect: 'wrong-address',
  AuthorizationHeaderMalformed: 'wrong-address',
  IllegalLocationConstraintException: 'wrong-address',
  PreconditionFailed: 'precondition',
  ConditionalRequestConflict: 'conflict',
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
  InvalidObjectState: 'other', // 403, but not a permission problem: the object is archived
  BadDigest: 'damaged',
  XAmzContentChecksumMismatch: 'damaged',
  XAmzContentSHA256Mismatch: 'damaged',
  InternalError: 'unreachable',
  TimeoutError: 'unreachable',
  RequestTimeout: 'unreachable',
};

/** A 404 is not listed: an S3 server names the error, so a 404 without a known name comes from another server. */
const BY_STATUS: Readonly<Record<number, S3Failure>> = {
  301: 'wrong-address',
  307: 'wrong-address',
  403: 'denied',
  409: 'conflict',
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

/** Error codes of OpenSSL and of the certificate check. */
const TLS = /^EPROTO$|^CERT_|_CERT(_|$)|^UNABLE_TO_|^ERR_(SSL|TLS)_/;
/** Error codes of Node's HTTP parser. */
const HTTP_PARSER = /^HPE_/;
const INVALID_REGION = /^Region (is missing|not accepted)/;

/** Classifies an S3 failure by its name or code, then by the network's error code, then by a missing or malformed region, then by the HTTP status. */
export function classifyS3Error(error: unknown): S3Failure {
  const { name, code, status } = readS3Error(error);
  const isNetwork = NETWORK.includes(code) || isTlsError(error) || isHttpParserError(error);
  const network = isNetwork ? 'unreachable' : undefined;
  const region = isRegionInvalid(error) ? 'wrong-address' : undefined;
  return BY_NAME[name] ?? BY_NAME[code] ?? network ?? region ?? BY_STATUS[status] ?? 'other';
}

export function isTlsError(error: unknown): boolean {
  return TLS.test(readS3Error(error).code);
}

export function isHttpParserError(error: unknown): boolean {
  return HTTP_PARSER.test(readS3Error(error).code);
}

export function isRegionInvalid(error: unknown): boolean {
  return INVALID_REGION.test(readS3Error(error).message);
}

/** Returns true for a 3xx or 4xx response that the SDK cannot name, such as most responses to a HEAD request. */
export function isUnnamedError(error: unknown): boolean {
  const { name, status } = readS3Error(error);
  return name === 'Unknown' && status >= 300 && status < 500;
}

/** Returns the number of times that the failed request was sent. */
export function attemptsOf(error: unknown): number {
  return readS3Error(error).attempts;
}

export function isAbort(error: unknown): boolean {
  return readS3Error(error).name === 'AbortError';
}

type S3ErrorDetails = {
  readonly name: string;
  readonly code: string;
  readonly status: number;
  readonly attempts: number;
  readonly message: string;
  /** Region of the bucket according to S3; empty if S3 did not send it. */
  readonly region: string;
};

/** Reads the properties of an SDK error. Does not check its class, because the error may come from another realm, such as Jest's VM context. */
export function readS3Error(error: unknown): S3ErrorDetails {
  const none = { name: '', code: '', status: 0, attempts: 1, message: '', region: '' };
  if (typeof error !== 'object' || error === null) return none;
  const details = error as {
    name?: unknown;
    code?: unknown;
    Code?: unknown;
    message?: unknown;
    Region?: unknown;
    $metadata?: { httpStatusCode?: number; attempts?: number };
    $response?: { headers?: Record<string, string> };
  };
  return {
    name: textOf(details.name),
    code: textOf(details.code ?? details.Code),
    status: details.$metadata?.httpStatusCode ?? 0,
    attempts: details.$metadata?.attempts ?? 1,
    message: textOf(details.message),
    region: details.$response?.headers?.['x-amz-bucket-region'] ?? textOf(details.Region),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
