import { propertiesOf, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';

const { Store, Backup = Store } = await readTemplates();

const bucketOf = (name: string, template = Store) =>
  Object.values(resourcesOf(template, 'AWS::S3::Bucket')).find(
    ({ Properties }) => Properties?.['BucketName'] === name,
  );
const rule = (Id: string, rest: object): object => ({ Id, Status: 'Enabled', ...rest });
const ABORT = rule('AbortUploads', { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } });
const PRIVATE = {
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

it('the bucket of releases is private, encrypted, versioned and logged, with CORS for readers', () => {
  expect(bucketOf('example-crd-published')).toMatchObject({
    DeletionPolicy: 'RetainExceptOnCreate',
    Properties: {
      BucketName: 'example-crd-published',
      ...PRIVATE,
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: { Rules: [ABORT, versions(35)] },
      LoggingConfiguration: { DestinationBucketName: 'example-crd-logs', LogFilePrefix: 'published/' },
      CorsConfiguration: {
        CorsRules: [
          {
            AllowedOrigins: ['null', 'https://notebook.example.com'], // "null" after a redirect
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

const OWN_KEY = {
  ServerSideEncryptionConfiguration: [
    {
      BucketKeyEnabled: true,
      ServerSideEncryptionByDefault: {
        SSEAlgorithm: 'aws:kms',
        KMSMasterKeyID: { 'Fn::GetAtt': [expect.stringContaining('Accounts'), 'Arn'] },
      },
    },
  ],
};
const LOCKED = {
  ObjectLockEnabled: true,
  ObjectLockConfiguration: {
    ObjectLockEnabled: 'Enabled',
    Rule: { DefaultRetention: { Days: 30, Mode: 'COMPLIANCE' } },
  },
};

it('the bucket of accounts keeps old versions longer, locks them, has a key of its own and no CORS', () => {
  const bucket = bucketOf('example-crd-accounts');
  expect(bucket).toMatchObject({
    DeletionPolicy: 'RetainExceptOnCreate',
    Properties: {
      ...PRIVATE,
      BucketEncryption: OWN_KEY,
      ...LOCKED,
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: { Rules: [ABORT, versions(90)] },
      LoggingConfiguration: { DestinationBucketName: 'example-crd-logs', LogFilePrefix: 'accounts/' },
    },
  });
  expect(bucket?.Properties).not.toHaveProperty('CorsConfiguration');
});

it('replicates accounts with their deletions to a bucket of another region, under the key there', () => {
  expect(bucketOf('example-crd-accounts')?.Properties?.['ReplicationConfiguration']).toMatchObject({
    Rules: [
      {
        Status: 'Enabled',
        Filter: { Prefix: '' },
        DeleteMarkerReplication: { Status: 'Enabled' },
        SourceSelectionCriteria: { SseKmsEncryptedObjects: { Status: 'Enabled' } },
        Destination: {
          Bucket: 'arn:aws:s3:::example-crd-accounts-copy',
          EncryptionConfiguration: {
            ReplicaKmsKeyID: 'arn:aws:kms:eu-central-1:123456789012:alias/crd-accounts',
          },
          ReplicationTime: { Status: 'Enabled', Time: { Minutes: 15 } },
          Metrics: { Status: 'Enabled' },
        },
      },
    ],
  });
  const replica = bucketOf('example-crd-accounts-copy', Backup);
  expect(replica?.Properties).toMatchObject({
    BucketEncryption: OWN_KEY,
    ...LOCKED,
    VersioningConfiguration: { Status: 'Enabled' },
  });
  expect(replica?.Properties).not.toHaveProperty('ReplicationConfiguration');
  expect(propertiesOf(Backup, 'AWS::KMS::Alias')['AliasName']).toBe('alias/crd-accounts');
});

it('the backup has a bucket of releases, of accounts and of logs, and no other', () => {
  const names = Object.values(resourcesOf(Backup, 'AWS::S3::Bucket')).map(
    ({ Properties }) => Properties?.['BucketName'],
  );
  expect(names.sort()).toEqual(['example-crd-accounts-copy', 'example-crd-copy', 'example-crd-logs-copy']);
});

it('the buckets of the backup have the rules of the buckets that they replace', () => {
  const rulesOf = (name: string, template = Store): unknown =>
    bucketOf(name, template)?.Properties?.['LifecycleConfiguration'];
  for (const kind of ['published', 'accounts', 'logs']) {
    const copy = kind === 'published' ? 'example-crd-copy' : `example-crd-${kind}-copy`;
    expect(rulesOf(copy, Backup)).toEqual(rulesOf(`example-crd-${kind}`));
  }
});

it('the bucket of the input keeps old versions, and is created unless there is one', () => {
  const bucket = bucketOf('example-metrics');
  expect(bucket).toMatchObject({
    DeletionPolicy: 'RetainExceptOnCreate',
    Properties: {
      ...PRIVATE,
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: { Rules: [ABORT, versions(90)] },
      LoggingConfiguration: { DestinationBucketName: 'example-crd-logs', LogFilePrefix: 'input/' },
    },
  });
  expect(bucket?.Properties).not.toHaveProperty('CorsConfiguration');
});

it('only logs have a lifecycle rule that expires current objects', () => {
  for (const { Properties } of Object.values(resourcesOf(Store, 'AWS::S3::Bucket'))) {
    const { Rules } = Properties?.['LifecycleConfiguration'] as { Rules: object[] };
    const expiring = Rules.filter((each) => 'ExpirationInDays' in each || 'Transitions' in each);
    expect([Properties?.['BucketName'], expiring.length]).toEqual([
      Properties?.['BucketName'],
      Properties?.['BucketName'] === 'example-crd-logs' ? 1 : 0,
    ]);
  }
});

it('only the log service can write access logs, for these three buckets', () => {
  const policies = Object.values(resourcesOf(Store, 'AWS::S3::BucketPolicy'));
  const documents = policies.map(
    ({ Properties }) => Properties?.['PolicyDocument'] as { Statement: { Sid?: string }[] },
  );
  const writing = documents
    .flatMap(({ Statement }) => Statement)
    .filter(({ Sid }) => Sid === 'WriteAccessLogs');
  expect(writing).toEqual([
    {
      Sid: 'WriteAccessLogs',
      Effect: 'Allow',
      Principal: { Service: 'logging.s3.amazonaws.com' },
      Action: 's3:PutObject',
      Resource: ['published', 'accounts', 'input'].map((name) => `arn:aws:s3:::example-crd-logs/${name}/*`),
      Condition: {
        StringEquals: { 'aws:SourceAccount': '123456789012' },
        ArnEquals: {
          'aws:SourceArn': ['example-crd-published', 'example-crd-accounts', 'example-metrics'].map(
            (name) => `arn:aws:s3:::${name}`,
          ),
        },
      },
    },
  ]);
});
