import { accountKey, keyRecordKey, keyUsageKey } from '../../gateway/core/account-keys.js';
import {
  ALIASES_KEY,
  COLLECTION_KEY,
  objectKey,
  POINTER_KEY,
  publicKey,
  PUBLIC_PATHS,
  releaseKey,
  STORE_KEY,
} from '../../schemas/paths.js';
import { propertiesOf } from '../fixtures/aws-synth.js';
import {
  isAllowed,
  statementsOfBuckets,
  statementsOfRole,
  toStatements,
  type Call,
} from '../fixtures/policy-simulator.js';
import { useTemplates } from '../fixtures/use-templates.js';

const templates = useTemplates();

const SHA = 'a'.repeat(64);
const PUBLISHED = 'arn:aws:s3:::example-crd-published';
const ACCOUNTS = 'arn:aws:s3:::example-crd-accounts';
const INPUT = 'arn:aws:s3:::example-metrics';
const OBJECT = `${PUBLISHED}/${objectKey(SHA)}`;
const RELEASE = `${PUBLISHED}/${releaseKey('2026-11-20.000001', SHA)}`;
const POINTER = `${PUBLISHED}/${POINTER_KEY}`;
const MARKS = [STORE_KEY, ALIASES_KEY, COLLECTION_KEY].map((key) => `${PUBLISHED}/${key}`);
const COPY = `${PUBLISHED}/${publicKey(PUBLIC_PATHS.status)}`;
const PAGE = `${PUBLISHED}/${publicKey('/')}`;
const ACCOUNT = `${ACCOUNTS}/${accountKey('a@example.com')}`;
const KEY = `${ACCOUNTS}/${keyRecordKey('abcdef')}`;
const USAGE = `${ACCOUNTS}/${keyUsageKey('abcdef')}`;
const METRICS = `${INPUT}/daily/bitcoin.csv`;
const SIGNER = 'arn:aws:iam::123456789012:role/crd-signer';
const DAILY = { 's3:prefix': 'daily/' };

const get = (resource: string): Call => ({ action: 's3:GetObject', resource });
const put = (resource: string): Call => ({ action: 's3:PutObject', resource });
const remove = (resource: string): Call => ({ action: 's3:DeleteObject', resource });
const list = (resource: string, context: Call['context'] = {}): Call => ({
  action: 's3:ListBucket',
  resource,
  context,
});
const become = (resource: string): Call => ({ action: 'sts:AssumeRole', resource });

type Rights = { readonly role: string; readonly allowed: readonly Call[]; readonly denied: readonly Call[] };

/** What nobody of ours may. */
const NEVER: readonly Call[] = [
  ...[PUBLISHED, ACCOUNTS].flatMap((resource) =>
    ['s3:PutBucketPolicy', 's3:DeleteBucket', 's3:PutLifecycleConfiguration', 's3:PutBucketVersioning'].map(
      (action) => ({ action, resource }),
    ),
  ),
  ...[OBJECT, ACCOUNT].flatMap((resource) =>
    ['s3:DeleteObjectVersion', 's3:PutObjectAcl', 's3:GetObjectVersion'].map((action) => ({
      action,
      resource,
    })),
  ),
  remove(OBJECT),
  remove(RELEASE),
  remove(POINTER),
  remove(ACCOUNT),
  remove(KEY),
  put(METRICS),
  get(`${INPUT}/private/payroll.csv`),
  get('arn:aws:s3:::somebody-elses/objects/sha256/x'),
  become('arn:aws:iam::123456789012:role/admin'),
  { action: 'iam:PassRole', resource: SIGNER },
];

const RIGHTS: readonly Rights[] = [
  {
    role: 'crd-generator',
    allowed: [
      list(PUBLISHED),
      ...[OBJECT, RELEASE, POINTER, ...MARKS, COPY, PAGE].flatMap((resource) => [
        get(resource),
        put(resource),
      ]),
      remove(COPY),
      remove(PAGE),
      list(INPUT, DAILY),
      get(METRICS),
    ],
    denied: [
      ...NEVER,
      ...[ACCOUNT, KEY, USAGE].flatMap((resource) => [get(resource), put(resource)]),
      list(ACCOUNTS),
      list(INPUT),
      list(INPUT, { 's3:prefix': 'private/' }),
      put(`${PUBLISHED}/elsewhere`),
      get(`${PUBLISHED}/objects/md5/${SHA}`),
      remove(`${PUBLISHED}/publicly`),
      become(SIGNER),
    ],
  },
  {
    role: 'crd-monitor',
    allowed: [list(PUBLISHED), ...[OBJECT, RELEASE, POINTER, ...MARKS, COPY, PAGE].map(get)],
    denied: [
      ...NEVER,
      ...[OBJECT, RELEASE, POINTER, ...MARKS, COPY].flatMap((resource) => [put(resource), remove(resource)]),
      ...[ACCOUNT, KEY, USAGE, METRICS].map(get),
      list(ACCOUNTS),
      list(INPUT, DAILY),
      become(SIGNER),
    ],
  },
  {
    role: 'crd-gateway',
    allowed: [
      list(PUBLISHED),
      list(ACCOUNTS),
      ...[OBJECT, RELEASE, POINTER].map(get),
      ...[ACCOUNT, KEY, USAGE].flatMap((resource) => [get(resource), put(resource)]),
      get(`${ACCOUNTS}/${STORE_KEY}`),
      become(SIGNER),
    ],
    denied: [
      ...NEVER,
      ...[OBJECT, RELEASE, POINTER, ...MARKS, COPY].map(put),
      ...[COPY, ...MARKS].map(get),
      put(`${ACCOUNTS}/${STORE_KEY}`),
      put(`${ACCOUNTS}/elsewhere/x.json`),
      put(`${ACCOUNTS}/keys/abcdef.txt`),
      remove(COPY),
      list(INPUT, DAILY),
      get(METRICS),
    ],
  },
  {
    role: 'crd-signer',
    allowed: [get(OBJECT)],
    denied: [
      ...NEVER,
      ...[RELEASE, POINTER, ...MARKS, COPY, PAGE, ACCOUNT, KEY, USAGE, METRICS].map(get),
      ...[OBJECT, POINTER, ACCOUNT].map(put),
      list(PUBLISHED),
      list(ACCOUNTS),
      become(SIGNER),
    ],
  },
];

describe.each(RIGHTS)('$role', ({ role, allowed, denied }) => {
  const statements = () => statementsOfRole(templates().Service, role);

  it('may do what it is for', () => {
    expect(allowed.filter((call) => !isAllowed(statements(), call))).toEqual([]);
  });

  it('may do nothing else', () => {
    expect(denied.filter((call) => isAllowed(statements(), call))).toEqual([]);
  });

  it('has no right of all actions, or on all resources', () => {
    for (const { actions, resources } of statements()) {
      expect(actions.filter((each) => each.includes('*'))).toEqual([]);
      expect(resources.filter((each) => /^\*$|:::\*|^arn:aws:s3:::[^/]*\*/.test(each))).toEqual([]);
    }
  });
});

it('the gateway alone may become the signer, programs alone the others', () => {
  const trusted = (name: string) =>
    toStatements(
      propertiesOf(templates().Service, 'AWS::IAM::Role', { RoleName: name })['AssumeRolePolicyDocument'],
    );
  const inAccount = { StringEquals: { 'aws:SourceAccount': ['123456789012'] } };
  const whom = (name: string) => trusted(name).map(({ principals, conditions }) => [principals, conditions]);
  expect(whom('crd-generator')).toEqual([[['ecs-tasks.amazonaws.com'], inAccount]]);
  expect(whom('crd-monitor')).toEqual([[['ecs-tasks.amazonaws.com'], inAccount]]);
  expect(whom('crd-gateway')).toEqual([
    [['lambda.amazonaws.com'], {}],
    [['ecs-tasks.amazonaws.com'], inAccount],
  ]);
  expect(whom('crd-signer')).toEqual([[[expect.stringMatching(/^<RolesGateway.*\.Arn>$/)], {}]]);
});

it('a secret is read by the gateway alone', () => {
  const secret =
    Object.keys(templates().Service.Resources).find((id) => id.startsWith('SecretsOrigin')) ?? '';
  const call = { action: 'secretsmanager:GetSecretValue', resource: `<${secret}>` };
  const readers = RIGHTS.filter(({ role }) => isAllowed(statementsOfRole(templates().Service, role), call));
  expect(readers.map(({ role }) => role)).toEqual(['crd-gateway']);
});

describe('the policy of the bucket of releases', () => {
  const statements = () => statementsOfBuckets(templates().Store);
  const DISTRIBUTION = 'arn:aws:cloudfront::123456789012:distribution/E1';
  const ofUs = { 'aws:SourceAccount': '123456789012', 'aws:SourceArn': DISTRIBUTION };
  const byCloudFront = () =>
    statements().filter(
      ({ effect, principals }) => effect === 'Deny' || principals?.includes('cloudfront.amazonaws.com'),
    );

  it('lets CloudFront read public copies, and nothing else', () => {
    const can = (resource: string, context: Call['context'] = ofUs, action = 's3:GetObject'): boolean =>
      isAllowed(byCloudFront(), { action, resource, context });
    expect([can(COPY), can(PAGE)]).toEqual([true, true]);
    expect([OBJECT, RELEASE, POINTER, ACCOUNT].map((key) => can(key))).toEqual([false, false, false, false]);
    expect(can(COPY, { ...ofUs, 'aws:SourceAccount': '999999999999' })).toBe(false);
    expect(can(COPY, { ...ofUs, 'aws:SourceArn': 'arn:aws:cloudfront::999999999999:distribution/E1' })).toBe(
      false,
    );
    expect(can(COPY, ofUs, 's3:PutObject')).toBe(false);
    expect(can(PUBLISHED, ofUs, 's3:ListBucket')).toBe(false);
    expect(can(COPY, { ...ofUs, 'aws:SecureTransport': 'false' })).toBe(false);
  });

  it('denies whatever does not come by TLS, on every bucket', () => {
    const everything = {
      sid: 'all',
      effect: 'Allow',
      actions: ['*'],
      resources: ['*'],
      conditions: {},
    } as const;
    const denied = statements().filter(({ effect }) => effect === 'Deny');
    const targets = denied.flatMap(({ resources }) => resources);
    expect(targets.length).toBe(6); // each of three buckets, and its objects
    for (const resource of targets) {
      const call = { action: 's3:GetObject', resource: resource.replace('*', 'key') };
      const insecure = { ...call, context: { 'aws:SecureTransport': 'false' } };
      expect(isAllowed([everything, ...denied], call)).toBe(true);
      expect(isAllowed([everything, ...denied], insecure)).toBe(false);
    }
  });
});
