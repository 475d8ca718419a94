import { propertiesOf, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import { resolve, toStatements } from '../support/aws/policy-simulator.js';

const { Service } = await readTemplates();
const alarms = Object.values(resourcesOf(Service, 'AWS::CloudWatch::Alarm'));

it('there is an alarm for every failure that an operator must know about', () => {
  expect(alarms.map(({ Properties }) => Properties?.['AlarmName'])).toEqual([
    'crd-PublishFailed',
    'crd-ChainStale',
    'crd-UpkeepFailed',
    'crd-Drift',
    'crd-MonitorSilent',
    'crd-DeadLetters',
    'crd-Answers5xx',
    'crd-FilesUnavailable',
    'crd-WebhookFailures',
    'crd-WebhookRefusals',
    'crd-BillingAlerts',
    'crd-SigningWatchFailed',
    'crd-SigningSilent',
    'crd-OriginRefused',
    'crd-RequestVolume',
    'crd-AccountsReplicaLate',
  ]);
});

it('a sum of metrics counts a missing data point as 0, and no alarm has too many metrics', () => {
  const expressions = alarms.flatMap(({ Properties }) => {
    const metrics = (Properties?.['Metrics'] ?? []) as { Expression?: string }[];
    return metrics.flatMap(({ Expression = '' }) => (Expression.includes(' + ') ? [Expression] : []));
  });
  expect(expressions.length).toBe(6); // the four alarms on failed runs, DeadLetters, and SigningWatchFailed
  for (const { Properties } of alarms) {
    const metrics = (Properties?.['Metrics'] ?? []) as { MetricStat?: object }[];
    expect(metrics.filter(({ MetricStat }) => MetricStat !== undefined).length).toBeLessThanOrEqual(10); // CloudWatch's limit
  }
  for (const each of expressions) expect(each).toMatch(/^FILL\(m0, 0\)( \+ FILL\(m\d+, 0\))+$/);
});

it.each(['PublishFailed', 'ChainStale', 'UpkeepFailed', 'Drift'])(
  '%s considers data points that arrive late',
  (id) => {
    const alarm = alarms.find(({ Properties }) => Properties?.['AlarmName'] === `crd-${id}`);
    expect(alarm?.Properties).toMatchObject({ EvaluationPeriods: 3, DatapointsToAlarm: 1 });
  },
);

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

it('alarms and their recovery are sent to the operator, with a description', () => {
  const [topic] = Object.keys(resourcesOf(Service, 'AWS::SNS::Topic'));
  for (const { Properties } of alarms) {
    expect(Properties).toMatchObject({
      AlarmActions: [{ Ref: topic }],
      OKActions: [{ Ref: topic }],
      AlarmDescription: expect.stringMatching(/.{30}/),
    });
  }
  expect(propertiesOf(Service, 'AWS::SNS::Subscription')).toMatchObject({
    Protocol: 'email',
    Endpoint: 'operators@example.com',
  });
});

it('a dashboard shows requests, latency, failures and runs', () => {
  const body = resolve(propertiesOf(Service, 'AWS::CloudWatch::Dashboard')['DashboardBody']);
  const { widgets } = JSON.parse(body) as { widgets: { properties: { title: string } }[] };
  expect(widgets.map(({ properties }) => properties.title)).toEqual([
    'Requests in five minutes',
    'Latency in ms',
    'Failures',
    'Concurrent executions',
    'Successful runs',
    'Failed runs',
  ]);
});
