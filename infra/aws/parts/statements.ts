import { Effect, PolicyStatement, type PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import { ACCOUNTS_PREFIX, keyRecordKey, keyUsageKey } from '../../../gateway/core/account-keys.js';
import {
  ALIASES_KEY,
  COLLECTION_KEY,
  OBJECTS_PREFIX,
  POINTER_KEY,
  PUBLIC_PREFIX,
  RELEASES_PREFIX,
  STORE_KEY,
} from '../../../schemas/paths.js';
import { bucketArn, objectsArn, roleArn, roleNames } from '../names.js';
import type { Parameters } from '../parameters.js';

/** Every key of an accounts store. */
const ACCOUNTS_KEYS = [`${ACCOUNTS_PREFIX}*`, keyRecordKey('*'), keyUsageKey('*')];

type Terms = Omit<PolicyStatementProps, 'effect'>;
const allow = (sid: string, terms: Terms): PolicyStatement =>
  new PolicyStatement({ sid, effect: Effect.ALLOW, ...terms });

/** Every key of a store of releases, by the places that the layout has. */
const STORE_KEYS = [
  STORE_KEY,
  POINTER_KEY,
  ALIASES_KEY,
  COLLECTION_KEY,
  `${OBJECTS_PREFIX}*`,
  `${RELEASES_PREFIX}*`,
  `${PUBLIC_PREFIX}*`,
];

/** What the daily publication may: read the input, read and write releases, take back public copies. */
export function generatorStatements({ buckets: { published }, input }: Parameters): PolicyStatement[] {
  const keys = STORE_KEYS.map((key) => objectsArn(published, key));
  return [
    allow('ListStore', { actions: ['s3:ListBucket'], resources: [bucketArn(published)] }),
    allow('ReadAndWriteStore', { actions: ['s3:GetObject', 's3:PutObject'], resources: keys }),
    allow('TakeBackPublicCopies', {
      actions: ['s3:DeleteObject'],
      resources: [objectsArn(published, `${PUBLIC_PREFIX}*`)],
    }),
    allow('ListInput', {
      actions: ['s3:ListBucket'],
      resources: [bucketArn(input.bucket)],
      conditions: { StringLike: { 's3:prefix': `${input.prefix}*` } },
    }),
    allow('ReadInput', {
      actions: ['s3:GetObject'],
      resources: [objectsArn(input.bucket, `${input.prefix}*`)],
    }),
  ];
}

/** What who looks after the store may: read it, and nothing else. */
export function monitorStatements({ buckets: { published } }: Parameters): PolicyStatement[] {
  return [
    allow('ListStore', { actions: ['s3:ListBucket'], resources: [bucketArn(published)] }),
    allow('ReadStore', {
      actions: ['s3:GetObject'],
      resources: STORE_KEYS.map((key) => objectsArn(published, key)),
    }),
  ];
}

/** What who collects garbage may: read the store, delete objects and records, and say that it is at work. */
export function collectorStatements(parameters: Parameters): PolicyStatement[] {
  const { published } = parameters.buckets;
  return [
    ...monitorStatements(parameters),
    allow('SayThatItCollects', {
      actions: ['s3:PutObject'],
      resources: [objectsArn(published, COLLECTION_KEY)],
    }),
    allow('Collect', {
      actions: ['s3:DeleteObject'],
      resources: [OBJECTS_PREFIX, RELEASES_PREFIX].map((prefix) => objectsArn(published, `${prefix}*`)),
    }),
  ];
}

/** What who copies the store to another bucket may: read it, and write that one. */
export function copierStatements(parameters: Parameters, target: string): PolicyStatement[] {
  const keys = STORE_KEYS.map((key) => objectsArn(target, key));
  return [
    ...monitorStatements(parameters),
    allow('ListCopy', { actions: ['s3:ListBucket'], resources: [bucketArn(target)] }),
    allow('ReadAndWriteCopy', { actions: ['s3:GetObject', 's3:PutObject'], resources: keys }),
    allow('TakeBackPublicCopies', {
      actions: ['s3:DeleteObject'],
      resources: [objectsArn(target, `${PUBLIC_PREFIX}*`)],
    }),
  ];
}

/** What who compares accounts with Stripe may: read and write accounts. */
export function reconcilerStatements({ buckets: { accounts } }: Parameters): PolicyStatement[] {
  return [
    allow('ListAccounts', { actions: ['s3:ListBucket'], resources: [bucketArn(accounts)] }),
    ...accountsStatements(accounts),
  ];
}

/** Read and write accounts, once it is seen that they are in no store of releases. */
function accountsStatements(accounts: string): PolicyStatement[] {
  return [
    allow('ReadAndWriteAccounts', {
      actions: ['s3:GetObject', 's3:PutObject'],
      resources: ACCOUNTS_KEYS.map((key) => objectsArn(accounts, key)),
    }),
    allow('SeeThatAccountsAreNoReleases', {
      actions: ['s3:GetObject'],
      resources: [objectsArn(accounts, STORE_KEY)],
    }),
  ];
}

/** What the gateway may: read releases, read and write accounts, become the signer. */
export function gatewayStatements(parameters: Parameters): PolicyStatement[] {
  const { published, accounts } = parameters.buckets;
  const released = [POINTER_KEY, `${RELEASES_PREFIX}*`, `${OBJECTS_PREFIX}*`];
  return [
    allow('ListStores', { actions: ['s3:ListBucket'], resources: [published, accounts].map(bucketArn) }),
    allow('ReadReleases', {
      actions: ['s3:GetObject'],
      resources: released.map((key) => objectsArn(published, key)),
    }),
    ...accountsStatements(accounts),
    allow('BecomeSigner', {
      actions: ['sts:AssumeRole'],
      resources: [roleArn(parameters, roleNames(parameters).signer)],
    }),
  ];
}

/** What whoever follows a signed URL may: read one kind of object. */
export function signerStatements({ buckets: { published } }: Parameters): PolicyStatement[] {
  return [
    allow('ReadObjects', {
      actions: ['s3:GetObject'],
      resources: [objectsArn(published, `${OBJECTS_PREFIX}*`)],
    }),
  ];
}
