import { STORE_KEY } from '../../schemas/paths.js';
import { readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import {
  ACCOUNT,
  ACCOUNTS,
  GC_LEASE,
  INPUT,
  KEY,
  METRICS,
  OBJECT,
  PAGE,
  POINTER,
  PUBLIC_FILE,
  PUBLISHED,
  RELEASE,
  SIGNER,
  STATE_FILES,
  STATEMENT,
  STORE_FILE,
  TARGET,
  TRUST_FILES,
  USAGE,
} from '../support/aws/example-arns.js';
import { isAllowed, statementsOfRole, type Call } from '../support/aws/policy-simulator.js';

const { Service } = await readTemplates();

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
const assume = (resource: string): Call => ({ action: 'sts:AssumeRole', resource });

type Permissions = { readonly allowed: readonly Call[]; readonly denied: readonly Call[] };

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
    allowed: [list(ACCOUNTS), ...RECORDS.flatMap(getAndPut), get(`${ACCOUNTS}/${STORE_KEY}`)],
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
};

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
      expect(resources.filter((each) => /^\*$|:::\*|^arn:aws:s3:::[^/]*\*/.test(each))).toEqual([]);
    }
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
