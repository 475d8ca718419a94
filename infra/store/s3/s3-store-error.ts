import { StoreError } from '../object-store.js';
import { codeOf } from '../system-error.js';
import type { S3Address } from '../../../schemas/store-address.js';
import {
  classifyS3Error,
  isAbort,
  isHttpParserError,
  isRegionInvalid,
  isTlsError,
  readS3Error,
  type S3Failure,
} from './s3-errors.js';

/** A problem and its remedy. */
type Advice = readonly [problem: string, remedy: string];

/** Prefix that the SDK puts before the message of an error that is no `Error` here: one of another realm, such as a VM context. */
const SDK_WRAPPER = /^AWS SDK error wrapper for (?:\w*Error: )?/;
const NOT_S3 = /XML parse error|Deserialization error/;

const BY_NAME: Readonly<Record<string, Advice>> = {
  ExpiredToken: ['the credentials have expired', 'Renew them and run again.'],
  ExpiredTokenException: ['the credentials have expired', 'Renew them and run again.'],
  InvalidIdentityToken: ["the role's identity token is not valid", "Check the role's identity provider."],
  InvalidToken: ['the session token is not valid', 'Renew the credentials and run again.'],
  InvalidAccessKeyId: ['S3 does not know the access key', 'Check the credentials.'],
  SignatureDoesNotMatch: ['the secret key does not match the access key', 'Check the credentials.'],
  RequestTimeTooSkewed: [
    "this machine's clock is wrong by more than 15 minutes",
    'Set the clock and run again.',
  ],
  CredentialsProviderError: [
    'no credentials were found',
    'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role for this machine.',
  ],
  TokenProviderError: ['the single sign-on session has ended', 'Sign in again and run again.'],
  InvalidObjectState: [
    'the object is archived',
    'Restore it, and remove the lifecycle rule that archives objects of the store.',
  ],
  NotImplemented: [
    'the server does not support a feature that the store needs, most likely conditional writes',
    'Use another S3 server.',
  ],
};

const BY_FAILURE: { readonly [failure in S3Failure]?: Advice } = {
  denied: ['access denied', 'Grant the permissions listed in RUNBOOK.md of the program.'],
  damaged: ['the bytes were damaged in transit', 'Run again.'],
  conflict: ['other writers keep changing this key', 'Run again.'],
  // An absent object is no failure. Some servers answer so to a list or a write if the bucket is absent.
  missing: ['not found', 'Create the bucket or correct the address.'],
};

const UNKNOWN: Advice = ['S3 rejected the request', 'Fix the cause and run again.'];

/** Converts an S3 failure to a StoreError with the key's address and a remedy. Returns any other error unchanged. */
export function toS3StoreError(error: unknown, address: S3Address, key: string): unknown {
  const failure = classifyS3Error(error);
  const { status, message: original } = readS3Error(error);
  const isNotOfS3 =
    failure === 'other' && status === 0 && codeOf(error) === undefined && !SDK_WRAPPER.test(original);
  if (error instanceof StoreError || isAbort(error) || isNotOfS3) return error;
  const [problem, remedy] = adviseOn(error, failure, address);
  const where = `s3://${address.bucket}/${address.prefix}${key}`;
  const message = `${where}: ${problem} (${toCause(error)}). ${remedy}`;
  return new StoreError(failure === 'wrong-address' ? 'address' : 'unavailable', message, { cause: error });
}

/** Returns the message of S3 or of the system on one line. */
function toCause(error: unknown): string {
  const { name, code, status, message } = readS3Error(error);
  const [first = ''] = message.replace(SDK_WRAPPER, '').replace(/\.$/, '').split('\n');
  if (name === 'Unknown') return `HTTP ${status}`; // the response to a HEAD request has no body
  const label = name === 'Error' || name === 'AggregateError' ? code : name;
  const parts = [first.startsWith(label) ? '' : label, first].filter((part) => part !== '');
  return parts.join(': ') || `HTTP ${status}`;
}

function adviseOn(error: unknown, failure: S3Failure, address: S3Address): Advice {
  const { name, message } = readS3Error(error);
  const server = address.endpoint ?? 'S3';
  if (isTlsError(error)) {
    return [
      `the TLS connection to ${server} failed`,
      'Check that the server speaks https, and its certificate.',
    ];
  }
  if (isHttpParserError(error)) {
    return [`${server} did not answer with valid HTTP`, 'Check the endpoint, and any proxy before it.'];
  }
  if (failure === 'unreachable') {
    return [
      `${server} cannot be reached or does not answer`,
      'Check the network and the endpoint, and run again.',
    ];
  }
  if (failure === 'throttled')
    return [`${server} throttles requests, even after retries`, 'Run again later.'];
  if (NOT_S3.test(message)) return [`${server} is not an S3 server`, 'Check the endpoint.'];
  if (failure === 'wrong-address') return adviseOnAddress(error, address);
  // Known errors of the network were handled above. An error of a file is one of its credentials: the SDK ignores
  // those of its configuration.
  if (codeOf(error) !== undefined) return ['the credentials cannot be read', 'Fix the cause and run again.'];
  return BY_NAME[name] ?? BY_FAILURE[failure] ?? UNKNOWN;
}

function adviseOnAddress(error: unknown, { bucket, region: configured }: S3Address): Advice {
  const { name, region } = readS3Error(error);
  if (name === 'NoSuchBucket') {
    return [`bucket ${bucket} does not exist`, 'Create it or correct the address.'];
  }
  const remedy = `Add ?region=${region || 'REGION'} to the address or set AWS_REGION.`;
  if (isRegionInvalid(error)) return ['no valid region is set', remedy];
  const actual = region === '' ? 'another region' : `region ${region}`;
  return [`the bucket is in ${actual}, not in ${configured ?? 'the configured one'}`, remedy];
}
