import { STORE_KEY } from '../../schemas/paths.js';
import { propertiesOf, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import {
  ACCOUNT,
  ACCOUNTS,
  GC_LEASE,
  INPUT,
  KEY,
  LOGS,
  METRICS,
  OBJECT,
  PAGE,
  POINTER,
  PUBLIC_FILE,
  PUBLISHED,
  RELEASE,
  REPLICA,
  SIGNER,
  STATE_FILES,
  STATEMENT,
  STORE_FILE,
  TARGET,
  TRUST_FILES,
  USAGE,
} from '../support/aws/example-arns.js';
import { isAllowed, statementsOfRole, toStatements, type Call } from '../support/aws/policy-simulator.js';

const { Service, Store } = await readTemplates();

const DAILY = { 's3:prefix': 'daily/' };
const inTarget = (resource: string): string => resource.replace(PUBLISHED, TARGET);

const get = (resource: string): Call => ({ action: 's3:GetObject', resource });
const put = (resource: string): Call => ({ action: 's3:PutObject', resource });
const getAndPut = (resource: string): Call[] => [get(resource), put(resource)];
const remove = (resource: string): Call => ({ action: 's3:DeleteObject', resource });
const list = (resource: string, context: Call['context'] = {}): Call => ({
  action: 's3:ListBucket',
  resource,
  context,
});
const use = (action: string, resource: string, context: Call['context'] = {}): Call => ({
  action,
  resource,
  context,
});
const inAccount = (service: string, resource: string): string =>
  `arn:aws:${service}:eu-west-1:123456789012:${resource}`;
const KMS_KEY = inAccount('kms', 'key/0');
/** A call to KMS that S3 makes for a request, with the key of the alias. */
const throughS3 = (action: string, alias = 'alias/crd-accounts'): Call =>
  use(action, KMS_KEY, { 'kms:ViaService': 's3.eu-west-1.amazonaws.com', 'kms:ResourceAliases': alias });
const USE_ACCOUNTS_KEY = [throughS3('kms:Decrypt'), throughS3('kms:GenerateDataKey')];
const RELEASE_KEY = { 'kms:ResourceAliases': 'alias/crd-release-k2026' };
const assume = (resource: string): Call => ({ action: 'sts:AssumeRole', resource });

type Permissions = { readonly allowed: readonly Call[]; readonly denied: readonly Call[] };

const TO_TASKS = { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' };
const RECORDS = [ACCOUNT, KEY, USAGE];

/** Calls that no role may make, except garbage collection, and the gateway for the records of expired keys. */
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
  ...[OBJECT, RELEASE, STATEMENT, POINTER, ACCOUNT, KEY].map(remove),
  get(`${INPUT}/private/payroll.csv`),
  get('arn:aws:s3:::somebody-elses/objects/sha256/x'),
  assume('arn:aws:iam::123456789012:role/admin'),
  { action: 'iam:PassRole', resource: SIGNER },
  use('kms:Decrypt', KMS_KEY, { 'kms:ResourceAliases': 'alias/crd-accounts' }), // not through S3
  throughS3('kms:Decrypt', 'alias/other'),
  use('kms:Sign', KMS_KEY, RELEASE_KEY),
];

const COLLECTED = `${INPUT}/daily/collected/${'a'.repeat(64)}`;

const PERMISSIONS: Readonly<Record<string, Permissions>> = {
  collector: {
    allowed: [list(INPUT, DAILY), ...[METRICS, COLLECTED].flatMap(getAndPut)],
    denied: [
      ...NEVER,
      list(INPUT),
      list(PUBLISHED),
      list(ACCOUNTS),
      ...[OBJECT, RELEASE, POINTER, ...STATE_FILES, PUBLIC_FILE, ...RECORDS].flatMap(getAndPut),
      ...[METRICS, COLLECTED].map(remove),
      assume(SIGNER),
    ],
  },
  generator: {
    allowed: [
      list(PUBLISHED),
      ...[OBJECT, RELEASE, STATEMENT, POINTER, ...STATE_FILES, PUBLIC_FILE, PAGE, ...TRUST_FILES].flatMap(
        getAndPut,
      ),
      remove(PUBLIC_FILE),
      remove(PAGE),
      list(INPUT, DAILY),
      get(METRICS),
    ],
    denied: [
      ...NEVER,
      ...RECORDS.flatMap(getAndPut),
      list(ACCOUNTS),
      ...USE_ACCOUNTS_KEY,
      list(INPUT),
      put(METRICS),
      list(INPUT, { 's3:prefix': 'private/' }),
      put(`${PUBLISHED}/elsewhere`),
      get(`${PUBLISHED}/objects/md5/${'a'.repeat(64)}`),
      remove(`${PUBLISHED}/publicly`),
      assume(SIGNER),
    ],
  },
  monitor: {
    allowed: [
      list(PUBLISHED),
      ...[OBJECT, RELEASE, STATEMENT, POINTER, ...STATE_FILES, PUBLIC_FILE, PAGE, ...TRUST_FILES].map(get),
    ],
    denied: [
      ...NEVER,
      ...[OBJECT, RELEASE, POINTER, ...STATE_FILES, PUBLIC_FILE].flatMap((resource) => [
        put(resource),
        remove(resource),
      ]),
      ...[...RECORDS, METRICS].map(get),
      put(METRICS),
      list(ACCOUNTS),
      list(INPUT, DAILY),
      assume(SIGNER),
    ],
  },
  gc: {
    allowed: [
      list(PUBLISHED),
      ...[OBJECT, RELEASE, STATEMENT, POINTER, ...STATE_FILES, PUBLIC_FILE].map(get),
      put(GC_LEASE),
      ...[OBJECT, RELEASE, STATEMENT, COLLECTED].map(remove),
      list(INPUT, DAILY),
      ...getAndPut(COLLECTED),
    ],
    denied: [
      ...NEVER.filter(
        ({ action, resource }) =>
          action !== 's3:DeleteObject' || ![OBJECT, RELEASE, STATEMENT].includes(resource),
      ),
      ...[OBJECT, RELEASE, STATEMENT, POINTER, PUBLIC_FILE, STORE_FILE].map(put),
      ...[PUBLIC_FILE, ...STATE_FILES, ...TRUST_FILES, METRICS].map(remove),
      ...RECORDS.map(get),
      assume(SIGNER),
    ],
  },
  copier: {
    allowed: [
      list(PUBLISHED),
      list(TARGET),
      get(OBJECT),
      ...[OBJECT, RELEASE, STATEMENT, POINTER, ...STATE_FILES, PUBLIC_FILE, ...TRUST_FILES]
        .map(inTarget)
        .flatMap(getAndPut),
      remove(inTarget(PUBLIC_FILE)),
    ],
    denied: [
      ...NEVER,
      ...[OBJECT, RELEASE, POINTER, ...STATE_FILES, PUBLIC_FILE].map(put),
      ...[OBJECT, RELEASE, POINTER].map(inTarget).map(remove),
      ...[...RECORDS, METRICS].map(get),
      put(METRICS),
      assume(SIGNER),
    ],
  },
  reconciler: {
    allowed: [
      list(ACCOUNTS),
      ...RECORDS.flatMap(getAndPut),
      get(`${ACCOUNTS}/${STORE_KEY}`),
      ...USE_ACCOUNTS_KEY,
    ],
    denied: [
      ...NEVER,
      ...[OBJECT, RELEASE, POINTER, PUBLIC_FILE, METRICS].map(get),
      put(METRICS),
      list(PUBLISHED),
      put(`${ACCOUNTS}/${STORE_KEY}`),
      assume(SIGNER),
    ],
  },
  gateway: {
    allowed: [
      list(PUBLISHED),
      list(ACCOUNTS),
      ...[OBJECT, RELEASE, STATEMENT, POINTER, ...TRUST_FILES].map(get),
      ...RECORDS.flatMap(getAndPut),
      get(`${ACCOUNTS}/${STORE_KEY}`),
      remove(KEY),
      remove(USAGE),
      assume(SIGNER),
      ...USE_ACCOUNTS_KEY,
    ],
    denied: [
      ...NEVER.filter(({ action, resource }) => action !== 's3:DeleteObject' || resource !== KEY),
      ...[OBJECT, RELEASE, POINTER, ...STATE_FILES, PUBLIC_FILE, ...TRUST_FILES].map(put),
      ...[PUBLIC_FILE, ...STATE_FILES].map(get),
      put(`${ACCOUNTS}/${STORE_KEY}`),
      put(`${ACCOUNTS}/elsewhere/x.json`),
      put(`${ACCOUNTS}/keys/abcdef.txt`),
      remove(PUBLIC_FILE),
      list(INPUT, DAILY),
      ...getAndPut(METRICS),
    ],
  },
  signer: {
    allowed: [get(OBJECT)],
    denied: [
      ...NEVER,
      ...[RELEASE, POINTER, ...STATE_FILES, PUBLIC_FILE, PAGE, ...RECORDS, METRICS].map(get),
      ...[OBJECT, POINTER, ACCOUNT, METRICS].map(put),
      list(PUBLISHED),
      list(ACCOUNTS),
      assume(SIGNER),
    ],
  },
  operator: {
    allowed: [
      ...[PUBLISHED, ACCOUNTS, LOGS, TARGET].map((bucket) => list(bucket)),
      ...[OBJECT, RELEASE, STATEMENT, POINTER, ...STATE_FILES, PUBLIC_FILE, PAGE, ...TRUST_FILES].flatMap(
        getAndPut,
      ),
      remove(PUBLIC_FILE), // a rollback
      ...RECORDS.flatMap(getAndPut),
      ...USE_ACCOUNTS_KEY,
      ...[OBJECT, ACCOUNT].map((object) => use('s3:GetObjectVersion', object)),
      list(INPUT, DAILY),
      get(METRICS),
      get(inTarget(OBJECT)),
      get(`${LOGS}/accounts/log`),
      use('ecs:RunTask', inAccount('ecs', 'task-definition/crd-publish:7'), {
        'ecs:cluster': inAccount('ecs', 'cluster/crd'),
      }),
      use('ecs:StopTask', inAccount('ecs', 'task/crd/0')),
      use('iam:PassRole', 'arn:aws:iam::123456789012:role/crd-eu-west-1-generator', TO_TASKS),
      use('logs:FilterLogEvents', inAccount('logs', 'log-group:/crd/tasks')),
      ...['kms:GetPublicKey', 'kms:DisableKey', 'kms:EnableKey'].map((action) =>
        use(action, KMS_KEY, RELEASE_KEY),
      ),
    ],
    denied: [
      ...NEVER.filter(({ action }) => action !== 's3:GetObjectVersion'),
      ...RECORDS.map(remove),
      put(`${LOGS}/accounts/log`),
      put(inTarget(OBJECT)),
      ...[REPLICA, `${REPLICA}/accounts/x.json`].flatMap((bucket) => [list(bucket), get(bucket)]),
      get(`${INPUT}/private/payroll.csv`),
      use('kms:ScheduleKeyDeletion', KMS_KEY, RELEASE_KEY),
      use('kms:DisableKey', KMS_KEY, { 'kms:ResourceAliases': 'alias/crd-accounts' }),
      use('kms:PutKeyPolicy', KMS_KEY, RELEASE_KEY),
      use('ecs:RunTask', inAccount('ecs', 'task-definition/other:1'), {
        'ecs:cluster': inAccount('ecs', 'cluster/crd'),
      }),
      use('iam:PassRole', 'arn:aws:iam::123456789012:role/admin', TO_TASKS),
      use('iam:PassRole', 'arn:aws:iam::123456789012:role/crd-eu-west-1-generator', {
        'iam:PassedToService': 'lambda.amazonaws.com',
      }),
      use('logs:FilterLogEvents', inAccount('logs', 'log-group:/other')),
      use('lambda:UpdateFunctionCode', inAccount('lambda', 'function:crd-gateway')),
      use('cloudformation:UpdateStack', inAccount('cloudformation', 'stack/crd-service/0')),
      assume(SIGNER),
    ],
  },
};

/** Actions for which AWS knows no resource. */
const LISTS = ['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData', 'cloudtrail:LookupEvents'];

const toRole = (name: string): string => `crd-eu-west-1-${name}`;

describe.each(Object.entries(PERMISSIONS))('the %s role', (name, { allowed, denied }) => {
  const statements = statementsOfRole(Service, toRole(name));

  it('allows the calls of its program', () => {
    expect(allowed.filter((call) => !isAllowed(statements, call))).toEqual([]);
  });

  it('denies other calls', () => {
    expect(denied.filter((call) => isAllowed(statements, call))).toEqual([]);
  });

  it('has no wildcard for all actions or all resources', () => {
    for (const { actions, resources } of statements) {
      expect(actions.filter((each) => each.includes('*'))).toEqual([]);
      const isOpen = (each: string): boolean => /^\*$|:::\*|^arn:aws:s3:::[^/]*\*/.test(each);
      expect(resources.some(isOpen) && !actions.every((each) => LISTS.includes(each))).toBe(false);
    }
  });
});

describe('the replicator', () => {
  const statements = statementsOfRole(Store, toRole('replicator'));
  const can = (call: Call): boolean => isAllowed(statements, call);
  const replica = `${REPLICA}/accounts/x.json`;
  const encrypt = (service: string, alias: string): Call =>
    use('kms:Encrypt', 'arn:aws:kms:eu-central-1:123456789012:key/0', {
      'kms:ViaService': service,
      'kms:ResourceAliases': alias,
    });

  it('can only be assumed by S3', () => {
    const { AssumeRolePolicyDocument } = propertiesOf(Store, 'AWS::IAM::Role', {
      RoleName: toRole('replicator'),
    });
    expect(toStatements(AssumeRolePolicyDocument).map(({ principals }) => principals)).toEqual([
      ['s3.amazonaws.com'],
    ]);
  });

  it('copies every version and deletion of an account into the replica', () => {
    expect(can(use('s3:GetObjectVersionForReplication', ACCOUNT))).toBe(true);
    expect(can(use('s3:ReplicateObject', replica))).toBe(true);
    expect(can(use('s3:ReplicateDelete', replica))).toBe(true);
    expect(can(encrypt('s3.eu-central-1.amazonaws.com', 'alias/crd-accounts'))).toBe(true);
  });

  it('cannot write to the accounts, read releases, or use another key', () => {
    expect(can(use('s3:ReplicateObject', ACCOUNT))).toBe(false);
    expect([put(ACCOUNT), put(replica), get(OBJECT), remove(replica)].filter(can)).toEqual([]);
    expect(can(encrypt('s3.eu-central-1.amazonaws.com', 'alias/other'))).toBe(false);
    expect(can(encrypt('s3.eu-west-1.amazonaws.com', 'alias/crd-accounts'))).toBe(false);
  });
});

it('only the gateway role can read the secrets', () => {
  const secrets = Object.keys(resourcesOf(Service, 'AWS::SecretsManager::Secret'));
  expect(secrets).toHaveLength(3);
  for (const secret of secrets) {
    const call = { action: 'secretsmanager:GetSecretValue', resource: `<${secret}>` };
    const readers = Object.keys(PERMISSIONS).filter((name) =>
      isAllowed(statementsOfRole(Service, toRole(name)), call),
    );
    expect(readers).toEqual(['gateway']);
  }
});
