import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { accountsKeyAlias, bucketArn, objectsArn } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';

/**
 * Permissions of the replication of accounts: read all versions, write them to the replica, and use the keys of both.
 * `keyArn` is the ARN of the key of the accounts.
 */
export function replicatorStatements(
  parameters: Parameters,
  target: NonNullable<Parameters['backup']>,
  keyArn: string,
): PolicyStatement[] {
  const { account, region, buckets } = parameters;
  return [
    new PolicyStatement({
      sid: 'ReadReplication',
      actions: ['s3:GetReplicationConfiguration', 's3:ListBucket'],
      resources: [bucketArn(buckets.accounts)],
    }),
    new PolicyStatement({
      sid: 'ReadVersions',
      actions: [
        's3:GetObjectVersionForReplication',
        's3:GetObjectVersionAcl',
        's3:GetObjectVersionTagging',
        's3:GetObjectRetention',
        's3:GetObjectLegalHold',
      ],
      resources: [objectsArn(buckets.accounts, '*')],
    }),
    new PolicyStatement({
      sid: 'WriteReplica',
      actions: ['s3:ReplicateObject', 's3:ReplicateDelete', 's3:ReplicateTags'],
      resources: [objectsArn(target.accounts, '*')],
    }),
    new PolicyStatement({
      sid: 'Decrypt',
      actions: ['kms:Decrypt'],
      resources: [keyArn],
      conditions: { StringEquals: { 'kms:ViaService': `s3.${region}.amazonaws.com` } },
    }),
    new PolicyStatement({
      sid: 'EncryptReplica',
      actions: ['kms:Encrypt', 'kms:GenerateDataKey'],
      resources: [`arn:aws:kms:${target.region}:${account}:key/*`],
      conditions: {
        StringEquals: { 'kms:ViaService': `s3.${target.region}.amazonaws.com` },
        'ForAnyValue:StringEquals': { 'kms:ResourceAliases': accountsKeyAlias(parameters) },
      },
    }),
  ];
}
