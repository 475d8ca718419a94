import { PLAN_IDS } from '../../schemas/catalog.js';
import { EXIT_CODES } from '../../generator/core/generator-error.js';
import { toConfiguration } from '../../gateway/core/configuration.js';
import { propertiesOf, resourcesOf, type Resource } from '../fixtures/aws-synth.js';
import { resolve, toStatements } from '../fixtures/policy-simulator.js';
import { useTemplates } from '../fixtures/use-templates.js';

const templates = useTemplates();

type Container = {
  readonly Command: string[];
  readonly Environment?: { Name: string; Value: string }[];
  readonly Secrets?: { Name: string }[];
  readonly ReadonlyRootFilesystem: boolean;
};
type Machine = {
  readonly TimeoutSeconds: number;
  readonly States: {
    readonly Begin: { readonly Result: { readonly left: number; readonly pauseSeconds: number } };
    readonly Run: { readonly TimeoutSeconds: number };
  };
};
const SECRETS = {
  CRD_STRIPE_SECRET_KEY: 'sk_live_0123456789',
  CRD_STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
};
const alarms = (): readonly Resource[] =>
  Object.values(resourcesOf(templates().Service, 'AWS::CloudWatch::Alarm'));
const containerOf = (family: string): Container => {
  const task = propertiesOf(templates().Service, 'AWS::ECS::TaskDefinition', { Family: family });
  return (task['ContainerDefinitions'] as Container[])[0] as Container;
};

describe('the function', () => {
  const properties = () =>
    propertiesOf(templates().Service, 'AWS::Lambda::Function', { FunctionName: 'crd-gateway' });
  const variables = () => (properties()['Environment'] as { Variables: Record<string, unknown> }).Variables;

  it('has an environment that the gateway takes, once its secrets are added', () => {
    const { SECRETS: listed, ...env } = variables();
    const judged = toConfiguration({ ...(env as Record<string, string>), ...SECRETS });
    expect(judged).not.toHaveProperty('faults');
    const names = [...resolve(listed).matchAll(/"([A-Z_]+)":/g)].map(([, name]) => name);
    expect(names).toEqual(['ORIGIN_SECRET', ...Object.keys(SECRETS)]);
  });

  it('has no secret in its environment', () => {
    expect(JSON.stringify(variables())).not.toMatch(/sk_|whsec_|resolve:secretsmanager/);
  });

  it('runs on ARM, and ends before the API does', () => {
    expect(properties()).toMatchObject({ Architectures: ['arm64'], Handler: 'handler.handler', Timeout: 20 });
  });
});

describe('the tasks', () => {
  it.each(['crd-publish', 'crd-monitor', 'crd-reconcile'])('%s cannot write to their own disk', (family) => {
    expect(containerOf(family).ReadonlyRootFilesystem).toBe(true);
  });

  it('publish what lies below the prefix, tell it line by line, and never create a store', () => {
    expect(containerOf('crd-publish').Command).toEqual([
      ...['generator', 'publish', '--existing', '--quiet', '--log-json', '--report', '/dev/stdout'],
      ...['--input', 's3://example-metrics/daily/', '--store', 's3://example-crd-published'],
    ]);
  });

  it('compare what is sold by the configuration of the gateway', () => {
    const { Command, Environment = [], Secrets = [] } = containerOf('crd-reconcile');
    expect(Command).toEqual(['gateway', 'reconcile', '--apply']);
    const env = Object.fromEntries(Environment.map(({ Name, Value }) => [Name, Value]));
    expect(Secrets.map(({ Name }) => Name)).toEqual(Object.keys(SECRETS));
    expect(toConfiguration({ ...env, ...SECRETS })).not.toHaveProperty('faults');
  });

  it('are started by a machine that is made after its rights, and end before it gives up', () => {
    const machines = Object.values(resourcesOf(templates().Service, 'AWS::StepFunctions::StateMachine'));
    expect(machines.length).toBe(6);
    const policies = Object.keys(resourcesOf(templates().Service, 'AWS::IAM::Policy'));
    for (const machine of machines) {
      const { DependsOn = [], Properties } = machine as Resource & { DependsOn?: string[] };
      expect(DependsOn.some((each) => policies.includes(each))).toBe(true);
      const { TimeoutSeconds: whole, States } = JSON.parse(
        resolve(Properties?.['DefinitionString']),
      ) as Machine;
      const { left, pauseSeconds } = States.Begin.Result;
      const pauses = pauseSeconds * (2 ** left - 1);
      expect(left).toBeGreaterThanOrEqual(1);
      expect(States.Run.TimeoutSeconds * (1 + left) + pauses).toBeLessThan(whole);
    }
  });

  it('leave a dead letter in their own queue when they are given up, and fail', () => {
    for (const name of ['publish', 'monitor', 'verify', 'collect', 'copy', 'reconcile']) {
      const machine = propertiesOf(templates().Service, 'AWS::StepFunctions::StateMachine', {
        StateMachineName: `crd-${name}`,
      });
      const { States } = JSON.parse(resolve(machine['DefinitionString'])) as {
        States: Record<string, Record<string, unknown>>;
      };
      const queues = Object.entries(resourcesOf(templates().Service, 'AWS::SQS::Queue'));
      const [queue] =
        queues.find(([, { Properties }]) => Properties?.['QueueName'] === `crd-${name}-dead-letters`) ?? [];
      expect(States['LeaveDeadLetter']).toMatchObject({
        Type: 'Task',
        Resource: expect.stringMatching(/:states:::sqs:sendMessage$/),
        Parameters: { QueueUrl: `<${queue ?? ''}>`, 'MessageBody.$': '$' },
        Next: 'Failed',
      });
      expect(States['Failed']).toMatchObject({ Type: 'Fail', Cause: `crd-${name} failed` });
    }
  });

  it('are started by the clock, which leaves a dead letter too when it cannot', () => {
    const schedules = Object.values(resourcesOf(templates().Service, 'AWS::Scheduler::Schedule'));
    const clocks = schedules.map(({ Properties }) => [
      Properties?.['Name'],
      Properties?.['ScheduleExpression'],
    ]);
    expect(clocks).toEqual([
      ['crd-publish', 'cron(15 6 * * ? *)'],
      ['crd-monitor', 'cron(45 * * * ? *)'],
      ['crd-verify', 'cron(15 10 ? * SUN *)'],
      ['crd-collect', 'cron(15 14 ? * SUN *)'],
      ['crd-copy', 'cron(15 8 * * ? *)'],
      ['crd-reconcile', 'cron(17 5 * * ? *)'],
    ]);
    for (const { Properties } of schedules)
      expect(Properties?.['Target']).toHaveProperty('DeadLetterConfig.Arn');
  });

  it('have a monitor whose failing is an exit code of the generator', () => {
    expect(containerOf('crd-monitor').Command.slice(0, 4)).toEqual([
      'generator',
      'status',
      '--max-lag-days',
      '2',
    ]);
    expect(EXIT_CODES.damaged.code).toBe(8);
  });
});

describe('the alarms', () => {
  it('are about everything that somebody must be told', () => {
    expect(alarms().map(({ Properties }) => Properties?.['AlarmName'])).toEqual([
      'crd-PublishFailed',
      'crd-ChainStale',
      'crd-UpkeepFailed',
      'crd-Drift',
      'crd-MonitorSilent',
      'crd-DeadLetters',
      'crd-Answers5xx',
      'crd-SigningFailures',
      'crd-WebhookFailures',
      'crd-WebhookRefusals',
      'crd-BillingAlerts',
    ]);
  });

  it('count a metric that says nothing as none, where several are added up', () => {
    const expressions = alarms().flatMap(({ Properties }) => {
      const metrics = (Properties?.['Metrics'] ?? []) as { Expression?: string }[];
      return metrics.flatMap(({ Expression = '' }) => (Expression.includes(' + ') ? [Expression] : []));
    });
    expect(expressions.length).toBe(5);
    for (const { Properties } of alarms()) {
      const metrics = (Properties?.['Metrics'] ?? []) as { MetricStat?: object }[];
      expect(metrics.filter(({ MetricStat }) => MetricStat !== undefined).length).toBeLessThanOrEqual(10); // CloudWatch's limit
    }
    for (const each of expressions) expect(each).toMatch(/^FILL\(m0, 0\)( \+ FILL\(m\d+, 0\))+$/);
  });

  it.each(['PublishFailed', 'ChainStale', 'UpkeepFailed', 'Drift'])(
    '%s is told also of a run whose end arrives late',
    (id) => {
      const alarm = alarms().find(({ Properties }) => Properties?.['AlarmName'] === `crd-${id}`);
      expect(alarm?.Properties).toMatchObject({ EvaluationPeriods: 3, DatapointsToAlarm: 1 });
    },
  );

  it('may tell: their topic takes them, and nobody else of elsewhere', () => {
    const [topic] = Object.keys(resourcesOf(templates().Service, 'AWS::SNS::Topic'));
    const policy = propertiesOf(templates().Service, 'AWS::SNS::TopicPolicy');
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

  it('tell somebody, also when all is well again, and say what to do', () => {
    const [topic] = Object.keys(resourcesOf(templates().Service, 'AWS::SNS::Topic'));
    for (const { Properties } of alarms()) {
      expect(Properties).toMatchObject({
        AlarmActions: [{ Ref: topic }],
        OKActions: [{ Ref: topic }],
        AlarmDescription: expect.stringMatching(/.{30}/),
      });
    }
    expect(propertiesOf(templates().Service, 'AWS::SNS::Subscription')).toMatchObject({
      Protocol: 'email',
      Endpoint: 'operators@example.com',
    });
  });
});

it('a dashboard shows requests, latency, failures and runs', () => {
  const body = resolve(propertiesOf(templates().Service, 'AWS::CloudWatch::Dashboard')['DashboardBody']);
  const { widgets } = JSON.parse(body) as { widgets: { properties: { title: string } }[] };
  expect(widgets.map(({ properties }) => properties.title)).toEqual([
    'Requests in five minutes',
    'Latency in ms',
    'What fails',
    'Functions at once',
    'Runs that succeeded',
    'Runs that failed',
  ]);
});

it('sells every plan that there is', () => {
  const { Environment = [] } = containerOf('crd-reconcile');
  const prices = Environment.filter(({ Name }) => Name.startsWith('CRD_STRIPE_PRICE_'));
  expect(prices.length).toBe(PLAN_IDS.length);
});
