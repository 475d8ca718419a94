import { readTemplates } from '../support/aws/aws-synth.js';
import {
  ACCOUNT,
  OBJECT,
  PAGE,
  POINTER,
  PUBLIC_FILE,
  PUBLISHED,
  RELEASE,
} from '../support/aws/example-arns.js';
import { isAllowed, statementsOfBuckets, type Call } from '../support/aws/policy-simulator.js';

const { Backup, Store } = await readTemplates();
const statements = statementsOfBuckets(Store);
const denials = statements.filter(({ effect }) => effect === 'Deny');

describe('CloudFront', () => {
  const ours = { 'aws:SourceArn': 'arn:aws:cloudfront::123456789012:distribution/E1' };
  const applicable = statements.filter(
    ({ effect, principals = [] }) =>
      effect === 'Deny' || principals.some((each) => each === '*' || each === 'cloudfront.amazonaws.com'),
  );
  const can = (resource: string, context: Call['context'] = ours, action = 's3:GetObject'): boolean =>
    isAllowed(applicable, { action, resource, context });

  it.each([PUBLIC_FILE, PAGE])('can read %s', (file) => {
    expect(can(file)).toBe(true);
  });

  it.each([OBJECT, RELEASE, POINTER, ACCOUNT])('cannot read %s', (file) => {
    expect(can(file)).toBe(false);
  });

  it.each([
    ['without its ARN', {}],
    ['from another account', { 'aws:SourceArn': 'arn:aws:cloudfront::999999999999:distribution/E1' }],
    ['without TLS', { ...ours, 'aws:SecureTransport': 'false' }],
  ])('cannot read a public copy %s', (_name, context) => {
    expect(can(PUBLIC_FILE, context)).toBe(false);
  });

  it('can neither write nor list', () => {
    expect(can(PUBLIC_FILE, ours, 's3:PutObject')).toBe(false);
    expect(can(PUBLISHED, ours, 's3:ListBucket')).toBe(false);
  });
});

it('only CloudFront, the access log and the trail have permissions', () => {
  const allowed = statements.filter(({ effect }) => effect === 'Allow');
  expect(
    allowed.map(({ sid, principals, actions, resources }) => [sid, principals, actions, resources]),
  ).toEqual([
    [
      'WriteAccessLogs',
      ['logging.s3.amazonaws.com'],
      ['s3:PutObject'],
      ['published', 'accounts', 'input'].map((name) => `arn:aws:s3:::example-crd-logs/${name}/*`),
    ],
    ['CheckTrail', ['cloudtrail.amazonaws.com'], ['s3:GetBucketAcl'], ['arn:aws:s3:::example-crd-logs']],
    [
      'WriteTrail',
      ['cloudtrail.amazonaws.com'],
      ['s3:PutObject'],
      ['arn:aws:s3:::example-crd-logs/trail/AWSLogs/123456789012/*'],
    ],
    ['ReadPublicCopies', ['cloudfront.amazonaws.com'], ['s3:GetObject'], [`${PUBLISHED}/public/*`]],
  ]);
});

it('the logs of the backup also allow the trail of signing keys, for the loss of a region', () => {
  if (Backup === undefined) throw new Error('the example has no backup');
  const trail = statementsOfBuckets(Backup).filter(({ principals = [] }) =>
    principals.includes('cloudtrail.amazonaws.com'),
  );
  expect(trail.map(({ sid }) => sid)).toEqual(['CheckTrail', 'WriteTrail']);
  for (const { conditions } of trail) expect(JSON.stringify(conditions)).toContain(':eu-central-1:');
});

it('every bucket denies requests without TLS', () => {
  const everything = {
    sid: 'all',
    effect: 'Allow',
    actions: ['*'],
    resources: ['*'],
    conditions: {},
  } as const;
  const targets = denials.flatMap(({ resources }) => resources);
  expect(targets.length).toBe(8); // four buckets and their objects
  for (const resource of targets) {
    for (const action of ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:ListBucket']) {
      const call = { action, resource: resource.replace('*', 'key') };
      const insecure = { ...call, context: { 'aws:SecureTransport': 'false' } };
      expect(isAllowed([everything, ...denials], call)).toBe(true);
      expect(isAllowed([everything, ...denials], insecure)).toBe(false);
    }
  }
});
