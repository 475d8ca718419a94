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
import { bucketArn, objectsArn, TRAIL_PREFIX, trailArn } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import { AccountsBucket } from './accounts-bucket.js';

/** Incomplete uploads are removed after this time. */
const UPLOAD_TIMEOUT = Duration.days(7);
/** Replaced and deleted objects can be restored for this time. */
const INPUT_RETENTION = Duration.days(90);
const RELEASES_RETENTION = Duration.days(35);
const ACCOUNTS_RETENTION = Duration.days(90);
const ACCESS_LOG_RETENTION = Duration.days(90);
/** Time for which browsers cache the response to a preflight request. */
const CORS_SECONDS = 3600;

/** Properties of every bucket: private, encrypted, and retained when the stack is deleted. */
const PRIVATE = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  encryption: BucketEncryption.S3_MANAGED,
  enforceSSL: true,
  removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
} satisfies BucketProps;

/** The buckets of releases, accounts and metrics, and one for their access logs. In another region, the buckets of the backup. */
export class StorePart extends Construct {
  constructor(scope: Construct, parameters: Parameters) {
    super(scope, 'Store');
    const { account, buckets, corsOrigins } = parameters;
    const logs = new Bucket(this, 'Logs', {
      ...PRIVATE,
      bucketName: buckets.logs,
      lifecycleRules: [
        { id: 'AbortUploads', abortIncompleteMultipartUploadAfter: UPLOAD_TIMEOUT },
        { id: 'ExpireLogs', expiration: ACCESS_LOG_RETENTION },
      ],
    });
    Validations.of(logs).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'An access log of the log bucket would need another bucket without one.',
    });
    const published = new Bucket(this, 'Published', {
      ...PRIVATE,
      bucketName: buckets.published,
      versioned: true,
      lifecycleRules: versionRules(RELEASES_RETENTION),
      serverAccessLogsBucket: Bucket.fromBucketName(this, 'LogsOfPublished', buckets.logs),
      serverAccessLogsPrefix: 'published/',
      cors: [
        {
          // After the gateway's redirect to a signed URL, browsers send the origin "null".
          allowedOrigins: [...new Set(['null', ...corsOrigins])],
          allowedMethods: [HttpMethods.GET, HttpMethods.HEAD],
          allowedHeaders: ['range', 'if-range', 'if-none-match', 'if-modified-since'],
          exposedHeaders: ['ETag', 'Content-Range', 'Accept-Ranges', 'Content-Length', 'Content-Disposition'],
          maxAge: CORS_SECONDS,
        },
      ],
    });
    const { bucket: accounts } = new AccountsBucket(this, 'Accounts', parameters, {
      ...PRIVATE,
      lifecycleRules: versionRules(ACCOUNTS_RETENTION),
      serverAccessLogsBucket: Bucket.fromBucketName(this, 'LogsOfAccounts', buckets.logs),
      serverAccessLogsPrefix: 'accounts/',
    });
    const input = this.createInput(parameters);
    for (const bucket of [published, accounts, ...input]) {
      bucket.node.addDependency(logs);
      Validations.of(bucket).acknowledge({
        id: 'Annotation::@aws-cdk/aws-s3:accessLogsPolicyNotAdded',
        reason: 'The policy of the log bucket is added below for all buckets.',
      });
    }
    const logged = { published: buckets.published, accounts: buckets.accounts };
    logs.addToResourcePolicy(
      allowAccessLogs(account, buckets.logs, {
        ...logged,
        ...(input.length === 0 ? {} : { input: parameters.input.bucket }),
      }),
    );
    if (parameters.signing?.trail === 'create')
      allowTrail(parameters).forEach((each) => logs.addToResourcePolicy(each));
    published.addToResourcePolicy(allowCloudFront(account, buckets.published));
  }

  /** Creates the bucket of the input, unless there is one already. */
  private createInput({ buckets, input }: Parameters): Bucket[] {
    if (input.existing === true) return [];
    return [
      new Bucket(this, 'Input', {
        ...PRIVATE,
        bucketName: input.bucket,
        versioned: true,
        lifecycleRules: versionRules(INPUT_RETENTION),
        serverAccessLogsBucket: Bucket.fromBucketName(this, 'LogsOfInput', buckets.logs),
        serverAccessLogsPrefix: 'input/',
      }),
    ];
  }
}

function versionRules(retention: Duration) {
  return [
    { id: 'AbortUploads', abortIncompleteMultipartUploadAfter: UPLOAD_TIMEOUT },
    { id: 'ExpireOldVersions', noncurrentVersionExpiration: retention, expiredObjectDeleteMarker: true },
  ];
}

/** Allows the buckets to write their access logs, each below its prefix. */
function allowAccessLogs(
  account: string,
  logs: string,
  buckets: Readonly<Record<string, string>>,
): PolicyStatement {
  return new PolicyStatement({
    sid: 'WriteAccessLogs',
    effect: Effect.ALLOW,
    principals: [new ServicePrincipal('logging.s3.amazonaws.com')],
    actions: ['s3:PutObject'],
    resources: Object.keys(buckets).map((prefix) => objectsArn(logs, `${prefix}/*`)),
    conditions: {
      StringEquals: { 'aws:SourceAccount': account },
      ArnEquals: { 'aws:SourceArn': Object.values(buckets).map(bucketArn) },
    },
  });
}

/** Allows the trail of the signing keys to write its log: the stack of the trail is deployed later. */
function allowTrail(parameters: Parameters): PolicyStatement[] {
  const { account, buckets } = parameters;
  const common = {
    effect: Effect.ALLOW,
    principals: [new ServicePrincipal('cloudtrail.amazonaws.com')],
  };
  const source = { 'aws:SourceArn': trailArn(parameters) };
  return [
    new PolicyStatement({
      ...common,
      sid: 'CheckTrail',
      actions: ['s3:GetBucketAcl'],
      resources: [bucketArn(buckets.logs)],
      conditions: { StringEquals: source },
    }),
    new PolicyStatement({
      ...common,
      sid: 'WriteTrail',
      actions: ['s3:PutObject'],
      resources: [objectsArn(buckets.logs, `${TRAIL_PREFIX}/AWSLogs/${account}/*`)],
      conditions: { StringEquals: { ...source, 's3:x-amz-acl': 'bucket-owner-full-control' } },
    }),
  ];
}

/** Allows every distribution of the account to read public copies: the delivery stack is deployed later. */
function allowCloudFront(account: string, bucket: string): PolicyStatement {
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
