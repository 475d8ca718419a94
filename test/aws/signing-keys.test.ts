import { propertiesOf, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import { isAllowed, toStatements, type Call } from '../support/aws/policy-simulator.js';

const { Service } = await readTemplates();

const GENERATOR = 'arn:aws:iam::123456789012:role/crd-eu-west-1-generator';
const ACCOUNT = 'arn:aws:iam::123456789012:root';
const [[keyId, key] = ['', undefined]] = Object.entries(resourcesOf(Service, 'AWS::KMS::Key'));
const [generatorId] =
  Object.entries(resourcesOf(Service, 'AWS::IAM::Role')).find(
    ([, { Properties }]) => Properties?.['RoleName'] === 'crd-eu-west-1-generator',
  ) ?? [];
const statements = toStatements(key?.Properties?.['KeyPolicy']).map((each) => ({
  ...each,
  principals:
    each.principals?.map((name) => (name === `<${generatorId ?? ''}.Arn>` ? GENERATOR : name)) ?? [],
}));

const DIGEST = { 'kms:SigningAlgorithm': 'ECDSA_SHA_256', 'kms:MessageType': 'DIGEST' };
/** All permissions that an IAM policy of the caller can have. They count only for what the key delegates to the account. */
const can = (caller: string, action: string, context: Call['context'] = {}): boolean =>
  isAllowed(
    statements.filter(({ principals }) => principals.some((each) => ['*', ACCOUNT, caller].includes(each))),
    { action, resource: keyId, context: { 'aws:PrincipalArn': caller, ...context } },
  );

it('the key is an elliptic curve that only signs, and outlives the stack', () => {
  expect(key).toMatchObject({
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
    Properties: { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY', PendingWindowInDays: 30 },
  });
  expect(key?.Properties).not.toHaveProperty('EnableKeyRotation'); // KMS does not rotate asymmetric keys
  expect(propertiesOf(Service, 'AWS::KMS::Alias')).toEqual({
    AliasName: 'alias/crd-release-k2026',
    TargetKeyId: { 'Fn::GetAtt': [keyId, 'Arn'] },
  });
});

it('the publish signs digests with one algorithm, and reads the public key', () => {
  expect(can(GENERATOR, 'kms:Sign', DIGEST)).toBe(true);
  expect(can(GENERATOR, 'kms:GetPublicKey')).toBe(true);
  expect(can(GENERATOR, 'kms:Sign', { ...DIGEST, 'kms:MessageType': 'RAW' })).toBe(false);
  expect(can(GENERATOR, 'kms:Sign', { ...DIGEST, 'kms:SigningAlgorithm': 'ECDSA_SHA_384' })).toBe(false);
  expect(can(GENERATOR, 'kms:Sign')).toBe(false);
});

const OTHERS = [
  ...['gateway', 'monitor', 'gc', 'copier', 'reconciler', 'signer', 'generator-2'].map(
    (name) => `arn:aws:iam::123456789012:role/crd-eu-west-1-${name}`,
  ),
  'arn:aws:iam::123456789012:role/admin',
  'arn:aws:iam::123456789012:user/alice',
  ACCOUNT,
];

it.each(OTHERS)('%s cannot sign, even with an IAM policy or a grant', (caller) => {
  expect(can(caller, 'kms:Sign', DIGEST)).toBe(false);
  const granted = {
    sid: 'Grant',
    effect: 'Allow',
    actions: ['kms:*'],
    resources: ['*'],
    conditions: {},
  } as const;
  const call = { action: 'kms:Sign', resource: keyId, context: { 'aws:PrincipalArn': caller, ...DIGEST } };
  expect(isAllowed([granted, ...statements.filter(({ principals }) => principals.includes('*'))], call)).toBe(
    false,
  );
});

it('administrators can change, disable and delete a key, and can grant nobody its use', () => {
  const admin = 'arn:aws:iam::123456789012:role/admin';
  for (const action of [
    'DescribeKey',
    'GetKeyPolicy',
    'GetPublicKey',
    'ListGrants',
    'PutKeyPolicy',
    'DisableKey',
    'EnableKey',
    'ScheduleKeyDeletion',
    'CancelKeyDeletion',
    'TagResource',
    'UpdateAlias',
    'RevokeGrant',
  ])
    expect([action, can(admin, `kms:${action}`)]).toEqual([action, true]);
  for (const action of ['CreateGrant', 'Verify', 'ReplicateKey', 'ImportKeyMaterial'])
    expect([action, can(admin, `kms:${action}`)]).toEqual([action, false]);
});

it('no policy of a role permits to sign, to change a policy or to delete a key', () => {
  const policies = Object.values(resourcesOf(Service, 'AWS::IAM::Policy'));
  const actions = policies.flatMap(({ Properties }) =>
    toStatements(Properties?.['PolicyDocument']).flatMap((statement) => statement.actions),
  );
  const forAccounts = ['kms:Decrypt', 'kms:GenerateDataKey'];
  const ofOperator = ['kms:GetPublicKey', 'kms:DescribeKey', 'kms:DisableKey', 'kms:EnableKey'];
  const used = new Set(actions.filter((action) => action.startsWith('kms:')));
  expect(used).toEqual(new Set([...forAccounts, ...ofOperator]));
});

it('only the publish gets the key', () => {
  const tasks = Object.values(resourcesOf(Service, 'AWS::ECS::TaskDefinition')).map(
    ({ Properties = {} }) => Properties,
  );
  const named = tasks.filter((task) => JSON.stringify(task).includes('CRD_SIGNING_KEY'));
  expect(named.map(({ Family }) => Family)).toEqual(['crd-publish']);
  const [container] = named[0]?.['ContainerDefinitions'] as { Environment: object[] }[];
  expect(container?.Environment).toContainEqual({
    Name: 'CRD_SIGNING_KEY',
    Value: { 'Fn::Join': ['', ['kms:', { 'Fn::GetAtt': [keyId, 'Arn'] }]] },
  });
});
