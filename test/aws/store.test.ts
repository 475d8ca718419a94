import { resourcesOf } from '../fixtures/aws-synth.js';
import { useTemplates } from '../fixtures/use-templates.js';

const templates = useTemplates();

const bucketOf = (name: string) =>
  Object.values(resourcesOf(templates().Store, 'AWS::S3::Bucket')).find(
    ({ Properties }) => Properties?.['BucketName'] === name,
  );
const rule = (Id: string, rest: object): object => ({ Id, Status: 'Enabled', ...rest });
const ABORT = rule('AbortUploads', { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } });
const GUARDED = {
  BucketEncryption: {
    ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
  },
  OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
  PublicAccessBlockConfiguration: {
    BlockPublicAcls: true,
    BlockPublicPolicy: true,
    IgnorePublicAcls: true,
    RestrictPublicBuckets: true,
  },
};
const versions = (NoncurrentDays: number): object =>
  rule('ExpireOldVersions', {
    ExpiredObjectDeleteMarker: true,
    NoncurrentVersionExpiration: { NoncurrentDays },
  });

it('releases lie in a versioned, encrypted bucket of nobody else, logged, with the CORS that readers need', () => {
  expect(bucketOf('example-crd-published')).toMatchObject({
    DeletionPolicy: 'Retain',
    Properties: {
      BucketName: 'example-crd-published',
      ...GUARDED,
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: { Rules: [ABORT, versions(35)] },
      LoggingConfiguration: { DestinationBucketName: 'example-crd-logs', LogFilePrefix: 'published/' },
      CorsConfiguration: {
        CorsRules: [
          {
            AllowedOrigins: ['null', 'https://notebook.example.com'],
            AllowedMethods: ['GET', 'HEAD'],
            AllowedHeaders: ['range', 'if-range', 'if-none-match', 'if-modified-since'],
            ExposedHeaders: [
              'ETag',
              'Content-Range',
              'Accept-Ranges',
              'Content-Length',
              'Content-Disposition',
            ],
            MaxAge: 3600,
          },
        ],
      },
    },
  });
});

it('accounts lie in another such bucket, which keeps old versions longer and lets no page read', () => {
  const bucket = bucketOf('example-crd-accounts');
  expect(bucket).toMatchObject({
    DeletionPolicy: 'Retain',
    Properties: {
      ...GUARDED,
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: { Rules: [ABORT, versions(90)] },
      LoggingConfiguration: { DestinationBucketName: 'example-crd-logs', LogFilePrefix: 'accounts/' },
    },
  });
  expect(bucket?.Properties).not.toHaveProperty('CorsConfiguration');
});

it('no rule of a lifecycle expires what is current, but for logs', () => {
  for (const { Properties } of Object.values(resourcesOf(templates().Store, 'AWS::S3::Bucket'))) {
    const { Rules } = Properties?.['LifecycleConfiguration'] as { Rules: object[] };
    const expiring = Rules.filter((each) => 'ExpirationInDays' in each || 'Transitions' in each);
    expect([Properties?.['BucketName'], expiring.length]).toEqual([
      Properties?.['BucketName'],
      Properties?.['BucketName'] === 'example-crd-logs' ? 1 : 0,
    ]);
  }
});

it('the log is written by the service of logs alone, of these two buckets', () => {
  const policies = Object.values(resourcesOf(templates().Store, 'AWS::S3::BucketPolicy'));
  const documents = policies.map(
    ({ Properties }) => Properties?.['PolicyDocument'] as { Statement: { Sid?: string }[] },
  );
  const taking = documents
    .flatMap(({ Statement }) => Statement)
    .filter(({ Sid }) => Sid === 'TakeAccessLogs');
  expect(taking).toEqual([
    {
      Sid: 'TakeAccessLogs',
      Effect: 'Allow',
      Principal: { Service: 'logging.s3.amazonaws.com' },
      Action: 's3:PutObject',
      Resource: ['arn:aws:s3:::example-crd-logs/published/*', 'arn:aws:s3:::example-crd-logs/accounts/*'],
      Condition: {
        StringEquals: { 'aws:SourceAccount': '123456789012' },
        ArnEquals: {
          'aws:SourceArn': ['arn:aws:s3:::example-crd-published', 'arn:aws:s3:::example-crd-accounts'],
        },
      },
    },
  ]);
});
