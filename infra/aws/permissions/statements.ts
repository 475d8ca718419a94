import { Effect, PolicyStatement, type PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import {
  ACCOUNTS_PREFIX,
  ALIASES_KEY,
  COLLECTED_PREFIX,
  GC_KEY,
  keyRecordKey,
  keyUsageKey,
  OBJECTS_PREFIX,
  POINTER_KEY,
  PUBLIC_PREFIX,
  publicKey,
  REFUSAL_KEY,
  RELEASES_PREFIX,
  STORE_KEY,
  TRUST_PATHS,
} from '../../../schemas/paths.js';
import { accountsKeyAlias, bucketArn, objectsArn, roleArn, roleNames } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';

/** All keys of a store of releases. */
const STORE_KEYS = [
  STORE_KEY,
  POINTER_KEY,
  ALIASES_KEY,
  GC_KEY,
  REFUSAL_KEY,
  `${OBJECTS_PREFIX}*`,
  `${RELEASES_PREFIX}*`,
  `${PUBLIC_PREFIX}*`,
];

/** The records of API keys in an accounts store. */
const KEY_RECORDS = [keyRecordKey('*'), keyUsageKey('*')];

/** All keys of an accounts store. */
const ACCOUNTS_KEYS = [`${ACCOUNTS_PREFIX}*`, ...KEY_RECORDS];

function allow(sid: string, props: Omit<PolicyStatementProps, 'sid' | 'effect'>): PolicyStatement {
  return new PolicyStatement({ sid, effect: Effect.ALLOW, ...props });
}

/** Permissions of publish: read the input, read and write releases, delete outdated public copies. */
export function generatorStatements({ buckets: { published }, input }: Parameters): PolicyStatement[] {
  const keys = STORE_KEYS.map((key) => objectsArn(published, key));
  return [
    allow('ListStore', { actions: ['s3:ListBucket'], resources: [bucketArn(published)] }),
    allow('ReadAndWriteStore', { actions: ['s3:GetObject', 's3:PutObject'], resources: keys }),
    allow('DeletePublicCopies', {
      actions: ['s3:DeleteObject'],
      resources: [objectsArn(published, `${PUBLIC_PREFIX}*`)],
    }),
    listInput(input),
    allow('ReadInput', {
      actions: ['s3:GetObject'],
      resources: [objectsArn(input.bucket, `${input.prefix}*`)],
    }),
  ];
}

function listInput({ bucket, prefix }: Parameters['input']): PolicyStatement {
  return allow('ListInput', {
    actions: ['s3:ListBucket'],
    resources: [bucketArn(bucket)],
    conditions: { StringLike: { 's3:prefix': `${prefix}*` } },
  });
}

/** Permissions of collect: read and write the input. The public buckets of the sources are read without credentials. */
export function collectorStatements({ input }: Parameters): PolicyStatement[] {
  return [
    listInput(input),
    allow('ReadAndWriteInput', {
      actions: ['s3:GetObject', 's3:PutObject'],
      resources: [objectsArn(input.bucket, `${input.prefix}*`)],
    }),
  ];
}

/** Permissions of `status` and `verify`: read the store. */
export function monitorStatements({ buckets: { published } }: Parameters): PolicyStatement[] {
  return [
    allow('ListStore', { actions: ['s3:ListBucket'], resources: [bucketArn(published)] }),
    allow('ReadStore', {
      actions: ['s3:GetObject'],
      resources: STORE_KEYS.map((key) => objectsArn(published, key)),
    }),
  ];
}

/**
 * Permissions of garbage collection: read the store, write its own lease, delete objects and release records. If metrics are
 * collected, also read and write the input, and delete the files of earlier collections.
 */
export function gcStatements(parameters: Parameters): PolicyStatement[] {
  const { collect, input } = parameters;
  const { published } = parameters.buckets;
  return [
    ...monitorStatements(parameters),
    allow('WriteGcLease', {
      actions: ['s3:PutObject'],
      resources: [objectsArn(published, GC_KEY)],
    }),
    allow('DeleteGarbage', {
      actions: ['s3:DeleteObject'],
      resources: [OBJECTS_PREFIX, RELEASES_PREFIX].map((prefix) => objectsArn(published, `${prefix}*`)),
    }),
    ...(collect === undefined
      ? []
      : [
          ...collectorStatements(parameters),
          allow('DeleteCollected', {
            actions: ['s3:DeleteObject'],
            resources: [objectsArn(input.bucket, `${input.prefix}${COLLECTED_PREFIX}*`)],
          }),
        ]),
  ];
}

/** Permissions of the daily copy: read the store, read and write the copy, delete outdated public files in the copy. */
export function copierStatements(parameters: Parameters, target: string): PolicyStatement[] {
  const keys = STORE_KEYS.map((key) => objectsArn(target, key));
  return [
    ...monitorStatements(parameters),
    allow('ListCopy', { actions: ['s3:ListBucket'], resources: [bucketArn(target)] }),
    allow('ReadAndWriteCopy', { actions: ['s3:GetObject', 's3:PutObject'], resources: keys }),
    allow('DeletePublicCopies', {
      actions: ['s3:DeleteObject'],
      resources: [objectsArn(target, `${PUBLIC_PREFIX}*`)],
    }),
  ];
}

/** Permissions of the reconciliation with Stripe: read and write accounts. */
export function reconcilerStatements(parameters: Parameters): PolicyStatement[] {
  return [
    allow('ListAccounts', {
      actions: ['s3:ListBucket'],
      resources: [bucketArn(parameters.buckets.accounts)],
    }),
    ...accountsStatements(parameters),
  ];
}

function accountsStatements(parameters: Parameters): PolicyStatement[] {
  const { account, region, buckets } = parameters;
  const { accounts } = buckets;
  return [
    allow('ReadAndWriteAccounts', {
      actions: ['s3:GetObject', 's3:PutObject'],
      resources: ACCOUNTS_KEYS.map((key) => objectsArn(accounts, key)),
    }),
    // Programs check for store.json so that they can reject a release store as the accounts store.
    allow('DetectStoreOfReleases', {
      actions: ['s3:GetObject'],
      resources: [objectsArn(accounts, STORE_KEY)],
    }),
    allow('UseAccountsKey', {
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: [`arn:aws:kms:${region}:${account}:key/*`],
      conditions: {
        StringEquals: { 'kms:ViaService': `s3.${region}.amazonaws.com` },
        'ForAnyValue:StringEquals': { 'kms:ResourceAliases': accountsKeyAlias(parameters) },
      },
    }),
  ];
}

/**
 * Permissions of the gateway: read releases, read and write accounts, delete the records of expired keys, assume the
 * signer's role.
 */
export function gatewayStatements(parameters: Parameters): PolicyStatement[] {
  const { published, accounts } = parameters.buckets;
  const released = [POINTER_KEY, `${RELEASES_PREFIX}*`, `${OBJECTS_PREFIX}*`];
  const trust = Object.values(TRUST_PATHS).map(publicKey); // no release lists them
  return [
    allow('ListStores', { actions: ['s3:ListBucket'], resources: [published, accounts].map(bucketArn) }),
    allow('ReadReleases', {
      actions: ['s3:GetObject'],
      resources: [...released, ...trust].map((key) => objectsArn(published, key)),
    }),
    ...accountsStatements(parameters),
    allow('DeleteExpiredKeys', {
      actions: ['s3:DeleteObject'],
      resources: KEY_RECORDS.map((key) => objectsArn(accounts, key)),
    }),
    allow('AssumeSigner', {
      actions: ['sts:AssumeRole'],
      resources: [roleArn(parameters, roleNames(parameters).signer)],
    }),
  ];
}

/** Permissions of a signed URL: read objects. */
export function signerStatements({ buckets: { published } }: Parameters): PolicyStatement[] {
  return [
    allow('ReadObjects', {
      actions: ['s3:GetObject'],
      resources: [objectsArn(published, `${OBJECTS_PREFIX}*`)],
    }),
  ];
}
