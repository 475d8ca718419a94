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
import { propertiesOf, resourcesOf } from '../fixtures/aws-synth.js';
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
const SIGNER = 'arn:aws:iam::123456789012:role/crd-eu-west-1-signer';
const TARGET = 'arn:aws:s3:::example-crd-copy';
const inTarget = (resource: string): string => resource.replace(PUBLISHED, TARGET);
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
    role: 'crd-eu-west-1-generator',
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
    role: 'crd-eu-west-1-monitor',
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
    role: 'crd-eu-west-1-collector',
    allowed: [
      list(PUBLISHED),
      ...[OBJECT, RELEASE, POINTER, ...MARKS, COPY].map(get),
      put(`${PUBLISHED}/${COLLECTION_KEY}`),
      remove(OBJECT),
      remove(RELEASE),
    ],
    denied: [
      ...NEVER.filter(
        ({ action, resource }) => action !== 's3:DeleteObject' || ![OBJECT, RELEASE].includes(resource),
      ),
      ...[OBJECT, RELEASE, POINTER, COPY, `${PUBLISHED}/${STORE_KEY}`].map(put),
      ...[COPY, ...MARKS].map(remove),
      ...[ACCOUNT, KEY, USAGE, METRICS].map(get),
      become(SIGNER),
    ],
  },
  {
    role: 'crd-eu-west-1-copier',
    allowed: [
      list(PUBLISHED),
      list(TARGET),
      get(OBJECT),
      ...[OBJECT, RELEASE, POINTER, ...MARKS, COPY]
        .map(inTarget)
        .flatMap((resource) => [get(resource), put(resource)]),
      remove(inTarget(COPY)),
    ],
    denied: [
      ...NEVER,
      ...[OBJECT, RELEASE, POINTER, ...MARKS, COPY].map(put),
      ...[OBJECT, RELEASE, POINTER].map(inTarget).map(remove),
      ...[ACCOUNT, KEY, USAGE, METRICS].map(get),
      become(SIGNER),
    ],
  },
  {
    role: 'crd-eu-west-1-reconciler',
    allowed: [
      list(ACCOUNTS),
      ...[ACCOUNT, KEY, USAGE].flatMap((resource) => [get(resource), put(resource)]),
      get(`${ACCOUNTS}/${STORE_KEY}`),
    ],
    denied: [
      ...NEVER,
      ...[OBJECT, RELEASE, POINTER, COPY, METRICS].map(get),
      list(PUBLISHED),
      put(`${ACCOUNTS}/${STORE_KEY}`),
      become(SIGNER),
    ],
  },
  {
    role: 'crd-eu-west-1-gateway',
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
    role: 'crd-eu-west-1-signer',
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
  expect(whom('crd-eu-west-1-generator')).toEqual([[['ecs-tasks.amazonaws.com'], inAccount]]);
  for (const name of ['monitor', 'collector', 'copier', 'reconciler'])
    expect(whom(`crd-eu-west-1-${name}`)).toEqual([[['ecs-tasks.amazonaws.com'], inAccount]]);
  expect(whom('crd-eu-west-1-gateway')).toEqual([[['lambda.amazonaws.com'], {}]]);
  expect(whom('crd-eu-west-1-signer')).toEqual([[[expect.stringMatching(/^<RolesGateway.*\.Arn>$/)], {}]]);
});

it('each secret is read by the gateway alone of the programs', () => {
  const secrets = Object.keys(resourcesOf(templates().Service, 'AWS::SecretsManager::Secret'));
  expect(secrets).toHaveLength(3);
  for (const secret of secrets) {
    const call = { action: 'secretsmanager:GetSecretValue', resource: `<${secret}>` };
    const readers = RIGHTS.filter(({ role }) => isAllowed(statementsOfRole(templates().Service, role), call));
    expect(readers.map(({ role }) => role)).toEqual(['crd-eu-west-1-gateway']);
  }
});

/** Every right that a program has, word for word: what each may do to which keys of which bucket. */
const STORE = [
  ...['store.json', 'current.json', 'aliases.json', 'collection.json'],
  ...['objects/sha256/*', 'releases/*', 'public/*'],
];
const IN_ACCOUNTS = ['accounts/*', 'keys/*.json', 'usage/*.json'];
const of = (bucket: string, keys: readonly string[]): string[] => keys.map((key) => `${bucket}/${key}`);
const READ_STORE = [
  ['ListStore', ['s3:ListBucket'], [PUBLISHED], {}],
  ['ReadStore', ['s3:GetObject'], of(PUBLISHED, STORE), {}],
];
const ACCOUNTS_RIGHTS = [
  ['ReadAndWriteAccounts', ['s3:GetObject', 's3:PutObject'], of(ACCOUNTS, IN_ACCOUNTS), {}],
  ['SeeThatAccountsAreNoReleases', ['s3:GetObject'], [`${ACCOUNTS}/store.json`], {}],
];
const EXACTLY: Readonly<Record<string, readonly unknown[]>> = {
  generator: [
    ['ListStore', ['s3:ListBucket'], [PUBLISHED], {}],
    ['ReadAndWriteStore', ['s3:GetObject', 's3:PutObject'], of(PUBLISHED, STORE), {}],
    ['TakeBackPublicCopies', ['s3:DeleteObject'], [`${PUBLISHED}/public/*`], {}],
    ['ListInput', ['s3:ListBucket'], [INPUT], { StringLike: { 's3:prefix': ['daily/*'] } }],
    ['ReadInput', ['s3:GetObject'], [`${INPUT}/daily/*`], {}],
  ],
  monitor: READ_STORE,
  collector: [
    ...READ_STORE,
    ['SayThatItCollects', ['s3:PutObject'], [`${PUBLISHED}/collection.json`], {}],
    ['Collect', ['s3:DeleteObject'], of(PUBLISHED, ['objects/sha256/*', 'releases/*']), {}],
  ],
  copier: [
    ...READ_STORE,
    ['ListCopy', ['s3:ListBucket'], [TARGET], {}],
    ['ReadAndWriteCopy', ['s3:GetObject', 's3:PutObject'], of(TARGET, STORE), {}],
    ['TakeBackPublicCopies', ['s3:DeleteObject'], [`${TARGET}/public/*`], {}],
  ],
  gateway: [
    [
      'ReadSecrets',
      ['secretsmanager:GetSecretValue'],
      Array.from({ length: 3 }, () => expect.stringMatching(/^<Secrets\w+>$/) as string),
      {},
    ],
    [
      'WriteLog',
      ['logs:CreateLogStream', 'logs:PutLogEvents'],
      [expect.stringMatching(/^<GatewayLog\w+\.Arn>$/)],
      {},
    ],
    ['ListStores', ['s3:ListBucket'], [PUBLISHED, ACCOUNTS], {}],
    ['ReadReleases', ['s3:GetObject'], of(PUBLISHED, ['current.json', 'releases/*', 'objects/sha256/*']), {}],
    ...ACCOUNTS_RIGHTS,
    ['BecomeSigner', ['sts:AssumeRole'], [SIGNER], {}],
  ],
  reconciler: [['ListAccounts', ['s3:ListBucket'], [ACCOUNTS], {}], ...ACCOUNTS_RIGHTS],
  signer: [['ReadObjects', ['s3:GetObject'], [`${PUBLISHED}/objects/sha256/*`], {}]],
};

it.each(Object.keys(EXACTLY))('the %s has exactly the rights that are listed here', (name) => {
  const statements = statementsOfRole(templates().Service, `crd-eu-west-1-${name}`);
  expect(statements.every(({ effect }) => effect === 'Allow')).toBe(true);
  expect(
    statements.map(({ sid, actions, resources, conditions }) => [sid, actions, resources, conditions]),
  ).toEqual(EXACTLY[name]);
});

it('no other role has a right on a bucket, or may become another', () => {
  const policies = Object.values(resourcesOf(templates().Service, 'AWS::IAM::Policy'));
  const listed = new Set(Object.keys(EXACTLY).map((name) => `crd-eu-west-1-${name}`));
  const others = policies.filter(({ Properties }) => !listed.has(String(Properties?.['PolicyName'])));
  const actions = others.flatMap(({ Properties }) =>
    toStatements(Properties?.['PolicyDocument']).flatMap((statement) => statement.actions),
  );
  expect(actions.length).toBeGreaterThan(10);
  expect(actions.filter((action) => /^(s3|sts):/.test(action))).toEqual([]);
});

describe('the policy of the bucket of releases', () => {
  const statements = () => statementsOfBuckets(templates().Store);
  const DISTRIBUTION = 'arn:aws:cloudfront::123456789012:distribution/E1';
  const ofUs = { 'aws:SourceArn': DISTRIBUTION };
  const byCloudFront = () =>
    statements().filter(
      ({ effect, principals = [] }) =>
        effect === 'Deny' || principals.some((each) => each === '*' || each === 'cloudfront.amazonaws.com'),
    );

  it('lets CloudFront read public copies, and nothing else', () => {
    const can = (resource: string, context: Call['context'] = ofUs, action = 's3:GetObject'): boolean =>
      isAllowed(byCloudFront(), { action, resource, context });
    expect([can(COPY), can(PAGE)]).toEqual([true, true]);
    expect([OBJECT, RELEASE, POINTER, ACCOUNT].map((key) => can(key))).toEqual([false, false, false, false]);
    expect(can(COPY, {})).toBe(false);
    expect(can(COPY, { ...ofUs, 'aws:SourceArn': 'arn:aws:cloudfront::999999999999:distribution/E1' })).toBe(
      false,
    );
    expect(can(COPY, ofUs, 's3:PutObject')).toBe(false);
    expect(can(PUBLISHED, ofUs, 's3:ListBucket')).toBe(false);
    expect(can(COPY, { ...ofUs, 'aws:SecureTransport': 'false' })).toBe(false);
  });

  it('allows nothing besides but the log of who asked', () => {
    const allowed = statements().filter(({ effect }) => effect === 'Allow');
    const words = allowed.map(({ sid, principals, actions, resources }) => [
      sid,
      principals,
      actions,
      resources,
    ]);
    expect(words).toEqual([
      [
        'TakeAccessLogs',
        ['logging.s3.amazonaws.com'],
        ['s3:PutObject'],
        ['arn:aws:s3:::example-crd-logs/published/*', 'arn:aws:s3:::example-crd-logs/accounts/*'],
      ],
      ['ReadPublicCopies', ['cloudfront.amazonaws.com'], ['s3:GetObject'], [`${PUBLISHED}/public/*`]],
    ]);
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
