import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  HttpMethods,
  ObjectOwnership,
  type BucketProps,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { PUBLIC_PREFIX } from '../../../schemas/paths.js';
import { bucketArn, objectsArn } from '../names.js';
import type { Parameters } from '../parameters.js';

/** How long an upload may be left half done. */
const ABORT_AFTER = Duration.days(7);
/** How long what was replaced or deleted can be brought back. */
const OLD_RELEASES_DAYS = Duration.days(35);
const OLD_ACCOUNTS_DAYS = Duration.days(90);
const ACCESS_LOG_DAYS = Duration.days(90);
/** How long a browser may remember what the bucket permits. */
const CORS_SECONDS = 3600;

/** What every bucket has: nobody but its owner, encrypted, and kept when the stack is deleted. */
const GUARDED = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  encryption: BucketEncryption.S3_MANAGED,
  enforceSSL: true,
  removalPolicy: RemovalPolicy.RETAIN,
} satisfies BucketProps;

/** The buckets: releases, accounts, and who asked for what of both. */
export class StorePart extends Construct {
  constructor(scope: Construct, parameters: Parameters) {
    super(scope, 'Store');
    const { account, buckets, corsOrigins } = parameters;
    const logs = new Bucket(this, 'Logs', {
      ...GUARDED,
      bucketName: buckets.logs,
      lifecycleRules: [
        { id: 'AbortUploads', abortIncompleteMultipartUploadAfter: ABORT_AFTER },
        { id: 'ExpireLogs', expiration: ACCESS_LOG_DAYS },
      ],
    });
    Validations.of(logs).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'A log of the access to logs would be one more such bucket, and so on.',
    });
    const published = new Bucket(this, 'Published', {
      ...GUARDED,
      bucketName: buckets.published,
      versioned: true,
      lifecycleRules: keepVersions(OLD_RELEASES_DAYS),
      serverAccessLogsBucket: Bucket.fromBucketName(this, 'LogsOfPublished', buckets.logs),
      serverAccessLogsPrefix: 'published/',
      cors: [
        {
          // A page that follows a signed URL is of no origin by then: browsers say "null".
          allowedOrigins: [...new Set(['null', ...corsOrigins])],
          allowedMethods: [HttpMethods.GET, HttpMethods.HEAD],
          allowedHeaders: ['range', 'if-range', 'if-none-match', 'if-modified-since'],
          exposedHeaders: ['ETag', 'Content-Range', 'Accept-Ranges', 'Content-Length', 'Content-Disposition'],
          maxAge: CORS_SECONDS,
        },
      ],
    });
    const accounts = new Bucket(this, 'Accounts', {
      ...GUARDED,
      bucketName: buckets.accounts,
      versioned: true,
      lifecycleRules: keepVersions(OLD_ACCOUNTS_DAYS),
      serverAccessLogsBucket: Bucket.fromBucketName(this, 'LogsOfAccounts', buckets.logs),
      serverAccessLogsPrefix: 'accounts/',
    });
    for (const bucket of [published, accounts]) {
      bucket.node.addDependency(logs);
      Validations.of(bucket).acknowledge({
        id: 'Annotation::@aws-cdk/aws-s3:accessLogsPolicyNotAdded',
        reason: 'The policy of the bucket of logs is said below, once for both.',
      });
    }
    logs.addToResourcePolicy(takeAccessLogs(account, buckets));
    published.addToResourcePolicy(readPublicCopies(account, buckets.published));
  }
}

function keepVersions(days: Duration) {
  return [
    { id: 'AbortUploads', abortIncompleteMultipartUploadAfter: ABORT_AFTER },
    { id: 'ExpireOldVersions', noncurrentVersionExpiration: days, expiredObjectDeleteMarker: true },
  ];
}

function takeAccessLogs(
  account: string,
  { published, accounts, logs }: Parameters['buckets'],
): PolicyStatement {
  return new PolicyStatement({
    sid: 'TakeAccessLogs',
    effect: Effect.ALLOW,
    principals: [new ServicePrincipal('logging.s3.amazonaws.com')],
    actions: ['s3:PutObject'],
    resources: [objectsArn(logs, 'published/*'), objectsArn(logs, 'accounts/*')],
    conditions: {
      StringEquals: { 'aws:SourceAccount': account },
      ArnEquals: { 'aws:SourceArn': [bucketArn(published), bucketArn(accounts)] },
    },
  });
}

/** Any distribution of the account may read what is public anyway: which one it is, its own stack knows later. */
function readPublicCopies(account: string, bucket: string): PolicyStatement {
  return new PolicyStatement({
    sid: 'ReadPublicCopies',
    effect: Effect.ALLOW,
    principals: [new ServicePrincipal('cloudfront.amazonaws.com')],
    actions: ['s3:GetObject'],
    resources: [objectsArn(bucket, `${PUBLIC_PREFIX}*`)],
    conditions: {
      ArnLike: { 'aws:SourceArn': `arn:aws:cloudfront::${account}:distribution/*` },
    },
  });
}
