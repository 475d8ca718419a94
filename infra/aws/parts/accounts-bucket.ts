import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Policy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  Bucket,
  BucketEncryption,
  type CfnBucket,
  ObjectLockRetention,
  type BucketProps,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledgeWildcards } from '../permissions/acknowledge-wildcards.js';
import { replicatorStatements } from '../permissions/replicator.js';
import { accountsKeyAlias, bucketArn, roleNames } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';

/** Nobody can delete a version of an account for this time, not even the root user of the AWS account. */
const LOCK = ObjectLockRetention.compliance(Duration.days(30));
/** The longest that AWS allows: until then, a deletion of the key can be cancelled. */
const KEY_DELETION_DELAY = Duration.days(30);
/** AWS replicates nearly all objects within this time, and counts those that take longer. */
const REPLICATION_MINUTES = 15;

/** Id of the rule that replicates the accounts; a dimension of its metrics. */
export const REPLICATION_RULE = 'Accounts';

/** The bucket of accounts with a key of its own, locked versions, and a replica in another region if there is a backup. */
export class AccountsBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, parameters: Parameters, props: BucketProps) {
    super(scope, id);
    const encryptionKey = new Key(this, 'Key', {
      description: `Encrypts the accounts of ${parameters.name}`,
      alias: accountsKeyAlias(parameters),
      enableKeyRotation: true,
      pendingWindow: KEY_DELETION_DELAY,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.bucket = new Bucket(this, 'Bucket', {
      ...props,
      bucketName: parameters.buckets.accounts,
      encryption: BucketEncryption.KMS,
      encryptionKey,
      bucketKeyEnabled: true, // otherwise each request costs a call to KMS
      versioned: true,
      objectLockDefaultRetention: LOCK,
    });
    const { backup } = parameters;
    if (backup !== undefined) this.replicate(parameters, backup, encryptionKey.keyArn);
  }

  private replicate(parameters: Parameters, target: NonNullable<Parameters['backup']>, keyArn: string): void {
    const { account } = parameters;
    const roleName = roleNames(parameters).replicator;
    const role = new Role(this, 'Replicator', {
      roleName,
      assumedBy: new ServicePrincipal('s3.amazonaws.com'), // nobody can pass it the role without iam:PassRole
    });
    const statements = replicatorStatements(parameters, target, keyArn);
    const policy = new Policy(this, 'ReplicatorPolicy', { policyName: roleName, roles: [role], statements });
    acknowledgeWildcards(
      policy,
      statements,
      'All objects are replicated. The keys are limited by their alias.',
    );
    const resource = this.bucket.node.defaultChild as CfnBucket; // a bucket of the CDK has this one
    const limit = { minutes: REPLICATION_MINUTES };
    resource.replicationConfiguration = {
      role: role.roleArn,
      rules: [
        {
          id: REPLICATION_RULE,
          status: 'Enabled',
          priority: 1,
          filter: { prefix: '' },
          deleteMarkerReplication: { status: 'Enabled' },
          sourceSelectionCriteria: { sseKmsEncryptedObjects: { status: 'Enabled' } },
          destination: {
            bucket: bucketArn(target.accounts),
            encryptionConfiguration: {
              replicaKmsKeyId: `arn:aws:kms:${target.region}:${account}:${accountsKeyAlias(parameters)}`,
            },
            replicationTime: { status: 'Enabled', time: limit },
            metrics: { status: 'Enabled', eventThreshold: limit },
          },
        },
      ],
    };
    resource.node.addDependency(policy);
  }
}
