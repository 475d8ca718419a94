import { accountKey } from '../../../schemas/account-key.js';
import {
  ALIASES_KEY,
  GC_KEY,
  keyRecordKey,
  keyUsageKey,
  objectKey,
  POINTER_KEY,
  PUBLIC_PATHS,
  publicKey,
  REFUSAL_KEY,
  releaseKey,
  statementKey,
  STORE_KEY,
  TRUST_PATHS,
} from '../../../schemas/paths.js';

const SHA = 'a'.repeat(64);

// ARNs of the buckets in parameters.example.json, and of an object for each kind of key.
export const PUBLISHED = 'arn:aws:s3:::example-crd-published';
export const ACCOUNTS = 'arn:aws:s3:::example-crd-accounts';
export const INPUT = 'arn:aws:s3:::example-metrics';
export const TARGET = 'arn:aws:s3:::example-crd-copy';
export const REPLICA = 'arn:aws:s3:::example-crd-accounts-copy';
export const LOGS = 'arn:aws:s3:::example-crd-logs';
export const OBJECT = `${PUBLISHED}/${objectKey(SHA)}`;
export const RELEASE = `${PUBLISHED}/${releaseKey('2026-11-20.000001', SHA)}`;
export const STATEMENT = `${PUBLISHED}/${statementKey('2026-11-20.000001', SHA)}`;
export const TRUST_FILES = Object.values(TRUST_PATHS).map((path) => `${PUBLISHED}/${publicKey(path)}`);
export const POINTER = `${PUBLISHED}/${POINTER_KEY}`;
export const STORE_FILE = `${PUBLISHED}/${STORE_KEY}`;
export const GC_LEASE = `${PUBLISHED}/${GC_KEY}`;
export const STATE_FILES = [
  STORE_FILE,
  `${PUBLISHED}/${ALIASES_KEY}`,
  GC_LEASE,
  `${PUBLISHED}/${REFUSAL_KEY}`,
];
export const PUBLIC_FILE = `${PUBLISHED}/${publicKey(PUBLIC_PATHS.status)}`;
export const PAGE = `${PUBLISHED}/${publicKey('/')}`;
export const ACCOUNT = `${ACCOUNTS}/${accountKey('a@example.com')}`;
export const KEY = `${ACCOUNTS}/${keyRecordKey('abcdef')}`;
export const USAGE = `${ACCOUNTS}/${keyUsageKey('abcdef')}`;
export const METRICS = `${INPUT}/daily/bitcoin.csv`;
export const SIGNER = 'arn:aws:iam::123456789012:role/crd-eu-west-1-signer';
