import { readFile } from 'node:fs/promises';
import { propertiesOf, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import { resolve, toStatements } from '../support/aws/policy-simulator.js';

const { Service } = await readTemplates();
const alarms = Object.values(resourcesOf(Service, 'AWS::CloudWatch::Alarm'));

it('there is an alarm for every failure that an operator must know about', () => {
  expect(alarms.map(({ Properties }) => Properties?.['AlarmName'])).toEqual(
    [
      'PublishFailing',
      'MonitorFailing',
      'PublishRefused',
      'StoreDamaged',
      'ReleaseOld',
      'StaleBitcoin',
      'StaleEthereum',
      'StaleArbitrum',
      'StaleBase',
      'KeysExpire',
      'CollectFailing',
      'SourceLateOrRevised',
      'ScheduleFailed',
      'Answers5xx',
      'FilesUnavailable',
      'WebhookFailures',
      'WebhookRefusals',
      'BillingAlerts',
      'SigningSilent',
      'MailsFailed',
      'OriginRefused',
      'RequestVolume',
      'AccountsReplicaLate',
    ].map((name) => `crd-${name}`),
  );
});

it('the README says what to do about each alarm', async () => {
  const readme = await readFile(new URL('../../infra/aws/README.md', import.meta.url), 'utf8');
  for (const { Properties } of alarms) {
    const name = String(Properties?.['AlarmName']).replace(/^crd-/, '');
    expect(readme).toMatch(
      name.startsWith('Stale') ? /^- `StaleCHAIN`: /m : new RegExp(`^- \`${name}\`: `, 'm'),
    );
  }
});

it('no alarm has more metrics or periods than CloudWatch accepts', () => {
  for (const { Properties = {} } of alarms) {
    const metrics = (Properties['Metrics'] ?? []) as { MetricStat?: { Period: number } }[];
    const stats = metrics.flatMap(({ MetricStat }) => MetricStat ?? []);
    expect(stats.length).toBeLessThanOrEqual(10);
    const period = Number(Properties['Period'] ?? stats[0]?.Period);
    const days = (period * Number(Properties['EvaluationPeriods'])) / 86_400;
    expect(days).toBeLessThanOrEqual(period < 3600 ? 1 : 7);
  }
});

it('an alarm about a lasting state mails its end too, one about a single event does not', () => {
  const events = alarms.filter(({ Properties }) => Properties?.['OKActions'] === undefined);
  expect(events.map(({ Properties }) => Properties?.['AlarmName'])).toEqual(
    ['SourceLateOrRevised', 'ScheduleFailed', 'BillingAlerts', 'MailsFailed'].map((name) => `crd-${name}`),
  );
});

it('the topic accepts alarms of this account, and denies requests without TLS', () => {
  const [topic] = Object.keys(resourcesOf(Service, 'AWS::SNS::Topic'));
  const policy = propertiesOf(Service, 'AWS::SNS::TopicPolicy');
  expect(policy['Topics']).toEqual([{ Ref: topic }]);
  const arn = `<${topic ?? ''}>`;
  const topicArns = toStatements(policy['PolicyDocument']).map(({ resources }) => resources);
  expect(topicArns.flat().every((each) => each === arn)).toBe(true);
  expect(
    toStatements(policy['PolicyDocument']).map(({ effect, principals, actions, conditions }) => [
      effect,
      principals,
      actions,
      conditions,
    ]),
  ).toEqual([
    ['Deny', ['*'], ['sns:Publish'], { Bool: { 'aws:SecureTransport': ['false'] } }],
    [
      'Allow',
      ['cloudwatch.amazonaws.com'],
      ['sns:Publish'],
      { StringEquals: { 'aws:SourceAccount': ['123456789012'] } },
    ],
  ]);
});

it('alarms are sent to the operator, with a description', () => {
  const [topic] = Object.keys(resourcesOf(Service, 'AWS::SNS::Topic'));
  for (const { Properties } of alarms) {
    expect(Properties).toMatchObject({
      AlarmActions: [{ Ref: topic }],
      AlarmDescription: expect.stringMatching(/.{30}/),
    });
  }
  expect(propertiesOf(Service, 'AWS::SNS::Subscription')).toMatchObject({
    Protocol: 'email',
    Endpoint: 'operators@example.com',
  });
});

it('EventBridge sends mails with a role that can do nothing else', () => {
  const rules = Object.values(resourcesOf(Service, 'AWS::Events::Rule')).map(
    ({ Properties = {} }) => Properties,
  );
  const mailing = rules.filter(({ Name }) => Name !== 'crd-signatures');
  expect(mailing.length).toBe(4);
  const [topic = ''] = Object.keys(resourcesOf(Service, 'AWS::SNS::Topic'));
  const roles = mailing.flatMap(({ Targets }) =>
    (Targets as { Arn: unknown; RoleArn: unknown }[]).map(({ Arn, RoleArn }) => [
      resolve(Arn),
      resolve(RoleArn),
    ]),
  );
  const [, role = ''] = roles[0] ?? [];
  expect(roles).toEqual(Array(4).fill([`<${topic}>`, role]));
  const id = role.slice(1, -'.Arn>'.length);
  const policies = Object.values(resourcesOf(Service, 'AWS::IAM::Policy')).filter(({ Properties }) =>
    JSON.stringify(Properties?.['Roles']).includes(id),
  );
  expect(policies.flatMap(({ Properties }) => toStatements(Properties?.['PolicyDocument']))).toMatchObject([
    { actions: ['sns:Publish'], resources: [`<${topic}>`] },
  ]);
});

it('a dashboard shows requests, latency, failures and runs', () => {
  const body = resolve(propertiesOf(Service, 'AWS::CloudWatch::Dashboard')['DashboardBody']);
  const { widgets } = JSON.parse(body) as { widgets: { properties: { title: string } }[] };
  expect(widgets.map(({ properties }) => properties.title)).toEqual([
    'Requests in five minutes',
    'Latency in ms',
    'Failures',
    'Concurrent executions',
    'Ages in days',
    'Ends of hourly runs',
  ]);
});
