import { propertiesOf, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import { ACCOUNTS, INPUT, LOGS, PUBLISHED, SIGNER, TARGET } from '../support/aws/example-arns.js';
import { statementsOfRole, toStatements } from '../support/aws/policy-simulator.js';

const { Service } = await readTemplates();

const STORE = [
  'store.json',
  'current.json',
  'aliases.json',
  'gc.json',
  'refusal.json',
  'objects/sha256/*',
  'releases/*',
  'public/*',
];
const ACCOUNTS_KEYS = ['accounts/*', 'keys/*.json', 'usage/*.json'];
const within = (bucket: string, keys: readonly string[]): string[] => keys.map((key) => `${bucket}/${key}`);
const READ_STORE = [
  ['ListStore', ['s3:ListBucket'], [PUBLISHED], {}],
  ['ReadStore', ['s3:GetObject'], within(PUBLISHED, STORE), {}],
];
const LIST_INPUT = ['ListInput', ['s3:ListBucket'], [INPUT], { StringLike: { 's3:prefix': ['daily/*'] } }];
const USE_INPUT = [
  LIST_INPUT,
  ['ReadAndWriteInput', ['s3:GetObject', 's3:PutObject'], [`${INPUT}/daily/*`], {}],
];
const USE_ACCOUNTS = [
  ['ReadAndWriteAccounts', ['s3:GetObject', 's3:PutObject'], within(ACCOUNTS, ACCOUNTS_KEYS), {}],
  ['DetectStoreOfReleases', ['s3:GetObject'], [`${ACCOUNTS}/store.json`], {}],
  [
    'UseAccountsKey',
    ['kms:Decrypt', 'kms:GenerateDataKey'],
    ['arn:aws:kms:eu-west-1:123456789012:key/*'],
    {
      StringEquals: { 'kms:ViaService': ['s3.eu-west-1.amazonaws.com'] },
      'ForAnyValue:StringEquals': { 'kms:ResourceAliases': ['alias/crd-accounts'] },
    },
  ],
];
const PUBLISH = [
  ['ListStore', ['s3:ListBucket'], [PUBLISHED], {}],
  ['ReadAndWriteStore', ['s3:GetObject', 's3:PutObject'], within(PUBLISHED, STORE), {}],
  ['DeletePublicCopies', ['s3:DeleteObject'], [`${PUBLISHED}/public/*`], {}],
  ['ListInput', ['s3:ListBucket'], [INPUT], { StringLike: { 's3:prefix': ['daily/*'] } }],
  ['ReadInput', ['s3:GetObject'], [`${INPUT}/daily/*`], {}],
];
const RECONCILE = [['ListAccounts', ['s3:ListBucket'], [ACCOUNTS], {}], ...USE_ACCOUNTS];
const OWN = [PUBLISHED, ACCOUNTS, LOGS];
const inAccount = (service: string, resource: string): string =>
  `arn:aws:${service}:eu-west-1:123456789012:${resource}`;
const role = (name: string): string => `arn:aws:iam::123456789012:role/${name}`;

/** The files by which readers verify releases. */
const TRUST = [
  'public/.well-known/chain-reference-data/keys.jws',
  ...['timestamp.jws', 'release.jws', 'releases.json'].map((name) => `public/api/v1/${name}`),
];

/** Every statement of every role: its id, actions, resources and conditions. */
const STATEMENTS: Readonly<Record<string, readonly unknown[]>> = {
  generator: PUBLISH,
  collector: USE_INPUT,
  monitor: READ_STORE,
  gc: [
    ...READ_STORE,
    ['WriteGcLease', ['s3:PutObject'], [`${PUBLISHED}/gc.json`], {}],
    ['DeleteGarbage', ['s3:DeleteObject'], within(PUBLISHED, ['objects/sha256/*', 'releases/*']), {}],
    ...USE_INPUT,
    ['DeleteCollected', ['s3:DeleteObject'], [`${INPUT}/daily/collected/*`], {}],
  ],
  copier: [
    ...READ_STORE,
    ['ListCopy', ['s3:ListBucket'], [TARGET], {}],
    ['ReadAndWriteCopy', ['s3:GetObject', 's3:PutObject'], within(TARGET, STORE), {}],
    ['DeletePublicCopies', ['s3:DeleteObject'], [`${TARGET}/public/*`], {}],
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
    [
      'ReadReleases',
      ['s3:GetObject'],
      within(PUBLISHED, ['current.json', 'releases/*', 'objects/sha256/*', ...TRUST]),
      {},
    ],
    ...USE_ACCOUNTS,
    ['DeleteExpiredKeys', ['s3:DeleteObject'], within(ACCOUNTS, ['keys/*.json', 'usage/*.json']), {}],
    ['AssumeSigner', ['sts:AssumeRole'], [SIGNER], {}],
  ],
  reconciler: RECONCILE,
  signer: [['ReadObjects', ['s3:GetObject'], [`${PUBLISHED}/objects/sha256/*`], {}]],
  operator: [
    ...PUBLISH,
    ...RECONCILE,
    ['ListVersionsAndLogs', ['s3:ListBucket', 's3:ListBucketVersions'], OWN, {}],
    [
      'ReadVersionsAndLogs',
      ['s3:GetObject', 's3:GetObjectVersion'],
      OWN.flatMap((bucket) => within(bucket, ['*'])),
      {},
    ],
    ['ListCopy', ['s3:ListBucket'], [TARGET], {}],
    ['ReadCopy', ['s3:GetObject'], [`${TARGET}/*`], {}],
    [
      'StartTasks',
      ['ecs:RunTask'],
      [inAccount('ecs', 'task-definition/crd-*')],
      { ArnEquals: { 'ecs:cluster': [inAccount('ecs', 'cluster/crd')] } },
    ],
    ['FollowTasks', ['ecs:DescribeTasks', 'ecs:StopTask'], [inAccount('ecs', 'task/crd/*')], {}],
    ['ListTasks', ['ecs:ListTasks'], [inAccount('ecs', 'container-instance/crd/*')], {}],
    [
      'PassRolesToTasks',
      ['iam:PassRole'],
      [
        ...['generator', 'monitor', 'gc', 'collector', 'copier', 'reconciler'].map((name) =>
          role(`crd-eu-west-1-${name}`),
        ),
        role('crd-service-*'),
      ],
      { StringEquals: { 'iam:PassedToService': ['ecs-tasks.amazonaws.com'] } },
    ],
    [
      'ReadLogs',
      ['logs:FilterLogEvents', 'logs:GetLogEvents', 'logs:DescribeLogStreams'],
      [inAccount('logs', 'log-group:/crd/*'), inAccount('logs', 'log-group:/aws/events/crd/*')],
      {},
    ],
    [
      'ReadMetrics',
      ['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData', 'cloudtrail:LookupEvents'],
      ['*'],
      {},
    ],
    [
      'DisableSigningKeys',
      ['kms:GetPublicKey', 'kms:DescribeKey', 'kms:DisableKey', 'kms:EnableKey'],
      [inAccount('kms', 'key/*')],
      { 'ForAnyValue:StringLike': { 'kms:ResourceAliases': ['alias/crd-release-*'] } },
    ],
  ],
};

it.each(Object.keys(STATEMENTS))('the %s role has exactly the statements listed here', (name) => {
  const statements = statementsOfRole(Service, `crd-eu-west-1-${name}`);
  expect(statements.every(({ effect }) => effect === 'Allow')).toBe(true);
  expect(
    statements.map(({ sid, actions, resources, conditions }) => [sid, actions, resources, conditions]),
  ).toEqual(STATEMENTS[name]);
});

it('no other role has a permission for S3 or can assume a role', () => {
  const policies = Object.values(resourcesOf(Service, 'AWS::IAM::Policy'));
  const listed = new Set(Object.keys(STATEMENTS).map((name) => `crd-eu-west-1-${name}`));
  const others = policies.filter(({ Properties }) => !listed.has(String(Properties?.['PolicyName'])));
  const actions = others.flatMap(({ Properties }) =>
    toStatements(Properties?.['PolicyDocument']).flatMap((statement) => statement.actions),
  );
  expect(actions.length).toBeGreaterThan(10);
  expect(actions.filter((action) => /^(s3|sts):/.test(action))).toEqual([]);
});

const IN_ACCOUNT = { StringEquals: { 'aws:SourceAccount': ['123456789012'] } };
const TASKS = ['ecs-tasks.amazonaws.com'];
it.each([
  ...['generator', 'collector', 'monitor', 'gc', 'copier', 'reconciler'].map(
    (name) => [name, TASKS, IN_ACCOUNT] as const,
  ),
  ['gateway', ['lambda.amazonaws.com'], {}],
  ['signer', [expect.stringMatching(/^<RolesGateway.*\.Arn>$/) as string], {}],
  [
    'operator',
    [expect.stringContaining(':iam::123456789012:root') as string],
    { Bool: { 'aws:MultiFactorAuthPresent': ['true'] } },
  ],
] as const)(
  'the %s role can only be assumed by its program, or by a person with a second factor',
  (name, principals, conditions) => {
    const { AssumeRolePolicyDocument: policy } = propertiesOf(Service, 'AWS::IAM::Role', {
      RoleName: `crd-eu-west-1-${name}`,
    });
    const trusted = toStatements(policy).map((statement) => [statement.principals, statement.conditions]);
    expect(trusted).toEqual([[principals, conditions]]);
  },
);
