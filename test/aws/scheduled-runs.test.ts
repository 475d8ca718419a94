import { PLAN_IDS } from '../../schemas/catalog.js';
import { toConfiguration } from '../../gateway/core/configuration/configuration.js';
import { propertiesOf, readTemplates, resourcesOf, type Resource } from '../support/aws/aws-synth.js';
import { resolve } from '../support/aws/policy-simulator.js';

const { Service } = await readTemplates();

type Container = {
  readonly Command: string[];
  readonly Environment?: { Name: string; Value: string }[];
  readonly Secrets?: { Name: string }[];
  readonly ReadonlyRootFilesystem: boolean;
};
type Machine = {
  readonly TimeoutSeconds: number;
  readonly States: {
    readonly Begin: { readonly Result: { readonly left: number; readonly delaySeconds: number } };
    readonly Run: { readonly TimeoutSeconds: number };
  };
};
const SECRETS = {
  CRD_STRIPE_SECRET_KEY: 'sk_live_0123456789',
  CRD_STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
};
const containerOf = (family: string): Container => {
  const task = propertiesOf(Service, 'AWS::ECS::TaskDefinition', { Family: family });
  return (task['ContainerDefinitions'] as Container[])[0] as Container;
};

it.each(['publish', 'monitor', 'verify', 'gc', 'copy', 'reconcile'])(
  '%s has a read-only root file system',
  (name) => {
    expect(containerOf(`crd-${name}`).ReadonlyRootFilesystem).toBe(true);
  },
);

it('publish reads the input below its prefix, needs all chains, logs as JSON, and never creates a store', () => {
  expect(containerOf('crd-publish').Command).toEqual([
    ...['generator', 'publish', '--existing', '--require-all', '--quiet'],
    ...['--log-json', '--report', '/dev/stdout'],
    ...['--input', 's3://example-metrics/daily/', '--store', 's3://example-crd-published'],
  ]);
});

it('reconcile runs with a valid configuration of the gateway, including its secrets', () => {
  const { Command, Environment = [], Secrets = [] } = containerOf('crd-reconcile');
  expect(Command).toEqual(['gateway', 'reconcile', '--apply']);
  const env = Object.fromEntries(Environment.map(({ Name, Value }) => [Name, Value]));
  expect(Secrets.map(({ Name }) => Name)).toEqual(Object.keys(SECRETS));
  expect(toConfiguration({ ...env, ...SECRETS })).not.toHaveProperty('faults');
});

it('a state machine is created after its permissions, and its timeout is longer than all retries', () => {
  const machines = Object.values(resourcesOf(Service, 'AWS::StepFunctions::StateMachine')).filter(
    ({ Properties }) => Properties?.['StateMachineName'] !== 'crd-signing-watch', // not a run
  );
  expect(machines.length).toBe(6);
  const policies = Object.keys(resourcesOf(Service, 'AWS::IAM::Policy'));
  for (const machine of machines) {
    const { DependsOn = [], Properties } = machine as Resource & { DependsOn?: string[] };
    expect(DependsOn.some((each) => policies.includes(each))).toBe(true);
    const { TimeoutSeconds, States } = JSON.parse(resolve(Properties?.['DefinitionString'])) as Machine;
    const { left: retriesLeft, delaySeconds } = States.Begin.Result;
    const delays = delaySeconds * (2 ** retriesLeft - 1);
    expect(retriesLeft).toBeGreaterThanOrEqual(1);
    expect(States.Run.TimeoutSeconds * (1 + retriesLeft) + delays).toBeLessThan(TimeoutSeconds);
  }
});

it('a failed run sends a dead letter to its own queue', () => {
  for (const name of ['publish', 'monitor', 'verify', 'gc', 'copy', 'reconcile']) {
    const machine = propertiesOf(Service, 'AWS::StepFunctions::StateMachine', {
      StateMachineName: `crd-${name}`,
    });
    const { States } = JSON.parse(resolve(machine['DefinitionString'])) as {
      States: Record<string, Record<string, unknown>>;
    };
    const queues = Object.entries(resourcesOf(Service, 'AWS::SQS::Queue'));
    const [queue] =
      queues.find(([, { Properties }]) => Properties?.['QueueName'] === `crd-${name}-dead-letters`) ?? [];
    expect(States['SendDeadLetter']).toMatchObject({
      Type: 'Task',
      Resource: expect.stringMatching(/:states:::sqs:sendMessage$/),
      Parameters: { QueueUrl: `<${queue ?? ''}>`, 'MessageBody.$': '$' },
      Next: 'Failed',
    });
    expect(States['Failed']).toMatchObject({ Type: 'Fail', Cause: `crd-${name} failed` });
  }
});

it('every run has a schedule, and a schedule that cannot start its run sends a dead letter', () => {
  const schedules = Object.values(resourcesOf(Service, 'AWS::Scheduler::Schedule'));
  const times = schedules.map(({ Properties }) => [Properties?.['Name'], Properties?.['ScheduleExpression']]);
  expect(times).toEqual([
    ['crd-publish', 'cron(15 6 * * ? *)'],
    ['crd-monitor', 'cron(45 * * * ? *)'],
    ['crd-verify', 'cron(15 10 ? * SUN *)'],
    ['crd-gc', 'cron(15 14 ? * SUN *)'],
    ['crd-copy', 'cron(15 8 * * ? *)'],
    ['crd-reconcile', 'cron(17 5 * * ? *)'],
  ]);
  for (const { Properties } of schedules)
    expect(Properties?.['Target']).toHaveProperty('DeadLetterConfig.Arn');
});

it('the monitor allows a lag of two days', () => {
  expect(containerOf('crd-monitor').Command.slice(0, 4)).toEqual([
    'generator',
    'status',
    '--max-lag-days',
    '2',
  ]);
});

it('a waiting refusal fails the publish, and not the monitor, which would report it every hour', () => {
  const codesOf = (name: string): string[] => {
    const { DefinitionString } = propertiesOf(Service, 'AWS::StepFunctions::StateMachine', {
      StateMachineName: name,
    });
    const { States } = JSON.parse(resolve(DefinitionString)) as {
      States: { Ending: { Choices: readonly { readonly Next: string }[] } };
    };
    const success = JSON.stringify(States.Ending.Choices.find(({ Next }) => Next === 'Success'));
    return [...new Set(success.match(/(?<="NumericEquals":)\d+/g))].sort();
  };
  // The exit codes that count as success: 0 done, 5 refused, 9 held.
  expect([codesOf('crd-publish'), codesOf('crd-monitor')]).toEqual([
    ['0', '9'],
    ['0', '5', '9'],
  ]);
});

it('reconcile has one price variable per plan', () => {
  const { Environment = [] } = containerOf('crd-reconcile');
  const prices = Environment.filter(({ Name }) => Name.startsWith('CRD_STRIPE_PRICE_'));
  expect(prices.length).toBe(PLAN_IDS.length);
});
