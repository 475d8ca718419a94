import { readFile } from 'node:fs/promises';
import { propertiesOf, readTemplates } from '../support/aws/aws-synth.js';
import { matchesPattern, type Pattern } from '../support/aws/event-pattern.js';
import { resolve } from '../support/aws/policy-simulator.js';

const { Service } = await readTemplates();

type Event = { readonly [name: string]: unknown; readonly detail: Readonly<Record<string, unknown>> };
const SIGNED = JSON.parse(await readFile(new URL('events/kms-sign.json', import.meta.url), 'utf8')) as Event;
const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const OTHER_KEY = KEY.replace('1234abcd', '99999999');
const TRAIL = 'crd-eu-west-1-signing';
const SCHEDULER = 'arn:aws:iam::123456789012:role/crd-eu-west-1-scheduler';

/** Returns the pattern of a rule, in which the ARN of the key is `KEY`. */
function patternOf(rule: string): Pattern {
  const pattern = propertiesOf(Service, 'AWS::Events::Rule', { Name: rule })['EventPattern'];
  const text = JSON.stringify(pattern, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && Object.keys(value).some((each) => each.startsWith('Fn::'))
      ? resolve(value)
          .replace(/<SigningKeysKeyk2026\w+\.Arn>/, KEY)
          .replace(/<RunsSchedulesRole\w+\.Arn>/, SCHEDULER)
      : value,
  );
  return JSON.parse(text) as Pattern;
}

const RULES = ['crd-signatures', 'crd-key-uses', 'crd-manual-publish', 'crd-trail-changes'] as const;
const PATTERNS = RULES.map((rule) => [rule, patternOf(rule)] as const);

/** Returns the rules that match an event: the signature of the publish with other members. */
function rulesFor(detail: Readonly<Record<string, unknown>>, envelope: object = {}): string[] {
  const event = { ...SIGNED, ...envelope, detail: { ...SIGNED.detail, ...detail } };
  return PATTERNS.filter(([, pattern]) => matchesPattern(pattern, event)).map(([rule]) => rule);
}

const ofKey = (ARN: string) => ({ resources: [{ accountId: '123456789012', type: 'AWS::KMS::Key', ARN }] });
const byRole = (name: string) => ({
  userIdentity: {
    type: 'AssumedRole',
    arn: `arn:aws:sts::123456789012:assumed-role/${name}/someone`,
    sessionContext: { sessionIssuer: { type: 'Role', arn: `arn:aws:iam::123456789012:role/${name}` } },
  },
});
const ALICE = {
  userIdentity: { type: 'IAMUser', arn: 'arn:aws:iam::123456789012:user/alice', userName: 'alice' },
};
const ROOT = { userIdentity: { type: 'Root', arn: 'arn:aws:iam::123456789012:root' } };
const DENIED = {
  errorCode: 'AccessDenied',
  errorMessage: `User: x is not authorized to perform: kms:Sign on resource: ${KEY} with an explicit deny`,
};

it('a signature of publish is kept, and not mailed', () => {
  expect(rulesFor({})).toEqual(['crd-signatures']);
  const [target] = propertiesOf(Service, 'AWS::Events::Rule', { Name: 'crd-signatures' })['Targets'] as [
    object,
  ];
  expect(JSON.stringify(target)).toMatch(/log-group:.*SignaturesLog/);
});

describe('a task that can sign', () => {
  const started = (requestParameters: object, caller: object, eventName = 'RunTask'): string[] =>
    rulesFor(
      { eventSource: 'ecs.amazonaws.com', eventName, requestParameters, ...caller },
      { source: 'aws.ecs' },
    );
  const byScheduler = byRole('crd-eu-west-1-scheduler');
  const ARN = 'arn:aws:ecs:eu-west-1:123456789012:task-definition/crd-publish:7';
  const CLUSTER = 'arn:aws:ecs:eu-west-1:123456789012:cluster/crd';

  it.each<[string, object]>([
    ['as crd-publish in any cluster', { taskDefinition: 'crd-publish' }],
    ['as crd-publish:7', { taskDefinition: 'crd-publish:7', cluster: 'other' }],
    ['by its ARN', { taskDefinition: ARN }],
    [
      'with the role of publish for another task',
      {
        taskDefinition: 'crd-monitor',
        cluster: 'crd',
        overrides: { taskRoleArn: 'crd-eu-west-1-generator' },
      },
    ],
    ['as any task in the cluster', { taskDefinition: 'mine', cluster: CLUSTER }],
  ])('is reported if a person starts it %s', (_how, request) => {
    for (const caller of [byRole('admin'), ALICE, ROOT]) {
      expect(started(request, caller)).toEqual(['crd-manual-publish']);
      expect(started(request, caller, 'StartTask')).toEqual(['crd-manual-publish']);
    }
  });

  it('is not reported if its schedule starts it, and tasks of others are not either', () => {
    expect(started({ taskDefinition: ARN, cluster: CLUSTER }, byScheduler)).toEqual([]);
    expect(started({ taskDefinition: 'other', cluster: 'other' }, byRole('admin'))).toEqual([]);
  });
});

it.each([
  ['an administrator', byRole('admin')],
  ['another task', byRole('crd-eu-west-1-gc')],
  ['a role whose name begins alike', byRole('crd-eu-west-1-generator-2')],
  ['a user', ALICE],
  ['the root user', ROOT],
])('a signature by %s is reported, whether it was denied or not', (_name, caller) => {
  expect(rulesFor(caller)).toEqual(['crd-key-uses']);
  expect(rulesFor({ ...caller, ...DENIED })).toEqual(['crd-key-uses']);
});

it('a denied signature is reported if its event names the key only in its message', () => {
  expect(rulesFor({ ...ALICE, ...DENIED, requestParameters: null, resources: undefined })).toEqual([
    'crd-key-uses',
  ]);
});

it('a refused signature of the publish is reported', () => {
  expect(rulesFor({ errorCode: 'DisabledException', errorMessage: `${KEY} is disabled.` })).toEqual([
    'crd-key-uses',
  ]);
});

it.each([
  'ScheduleKeyDeletion',
  'CancelKeyDeletion',
  'DisableKey',
  'EnableKey',
  'PutKeyPolicy',
  'CreateGrant',
])('%s is reported', (eventName) => {
  expect(rulesFor({ eventName, readOnly: false, ...byRole('admin') })).toEqual(['crd-key-uses']);
});

it.each(['StopLogging', 'DeleteTrail', 'UpdateTrail', 'PutEventSelectors'])(
  '%s of our trail is reported',
  (eventName) => {
    const source = { eventSource: 'cloudtrail.amazonaws.com', eventName, ...byRole('admin') };
    const envelope = { source: 'aws.cloudtrail' };
    const member = eventName === 'PutEventSelectors' ? 'trailName' : 'name';
    const rulesOf = (name: string): string[] =>
      rulesFor({ ...source, requestParameters: { [member]: name } }, envelope);
    expect(rulesOf(TRAIL)).toEqual(['crd-trail-changes']);
    expect(rulesOf(`arn:aws:cloudtrail:eu-west-1:123456789012:trail/${TRAIL}`)).toEqual([
      'crd-trail-changes',
    ]);
    expect(rulesOf('audit')).toEqual([]);
  },
);

it.each([
  ['a signature with another key', ofKey(OTHER_KEY)],
  ['a change of another key', { eventName: 'DisableKey', ...ofKey(OTHER_KEY) }],
  [
    'a refused signature with another key',
    { ...DENIED, ...ofKey(OTHER_KEY), errorMessage: `no ${OTHER_KEY}` },
  ],
  ['a read of the public key', { eventName: 'GetPublicKey' }],
  ['a description of the key', { eventName: 'DescribeKey', ...byRole('admin') }],
  ['a new tag of the key', { eventName: 'TagResource', ...byRole('admin') }],
])('%s is not reported', (_name, detail) => {
  expect(rulesFor(detail)).toEqual([]);
});

it('the rules receive calls that only read, as a signature is one', () => {
  for (const rule of RULES) {
    expect(propertiesOf(Service, 'AWS::Events::Rule', { Name: rule })).toMatchObject({
      State: 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS',
    });
  }
});

it('the trail records reads and writes, also of KMS', () => {
  expect(propertiesOf(Service, 'AWS::CloudTrail::Trail')).toMatchObject({
    TrailName: TRAIL,
    IsLogging: true,
    EnableLogFileValidation: true,
    EventSelectors: [
      {
        ReadWriteType: 'All',
        IncludeManagementEvents: true,
        ExcludeManagementEventSources: ['rdsdata.amazonaws.com'],
      },
    ],
  });
});
