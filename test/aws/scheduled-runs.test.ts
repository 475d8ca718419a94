import { PLAN_IDS } from '../../schemas/catalog.js';
import { toConfiguration } from '../../gateway/core/configuration/configuration.js';
import { readParameters } from '../../infra/aws/settings/parameters.js';
import { parsePolicy } from '../../generator/collect/policy.js';
import { EXAMPLE_PARAMETERS, propertiesOf, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import { isAllowed, toStatements } from '../support/aws/policy-simulator.js';
import { runProgram } from '../support/process/run-program.js';
import { createTemporaryFolder } from '../support/process/temporary-folder.js';

const { Service } = await readTemplates();

type Container = {
  readonly Command: string[];
  readonly Environment?: { Name: string; Value: string }[];
  readonly Secrets?: { Name: string }[];
  readonly MountPoints?: { ContainerPath: string; ReadOnly: boolean }[];
  readonly ReadonlyRootFilesystem: boolean;
};
const SECRETS = {
  CRD_STRIPE_SECRET_KEY: 'sk_live_0123456789',
  CRD_STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
};
const containerOf = (family: string): Container => {
  const task = propertiesOf(Service, 'AWS::ECS::TaskDefinition', { Family: family });
  return (task['ContainerDefinitions'] as Container[])[0] as Container;
};
const variablesOf = (family: string): Record<string, string> =>
  Object.fromEntries((containerOf(family).Environment ?? []).map(({ Name, Value }) => [Name, Value]));

const SCHEDULES = {
  'crd-collect': 'cron(5 * * * ? *)',
  'crd-publish': 'cron(35 * * * ? *)',
  'crd-monitor': 'cron(50 * * * ? *)',
  'crd-verify': 'cron(10 10 ? * SUN *)',
  'crd-gc': 'cron(10 14 ? * SUN *)',
  'crd-gcinput': 'cron(10 20 1 * ? *)',
  'crd-copy': 'cron(10 8 * * ? *)',
  'crd-reconcile': 'cron(17 5 * * ? *)',
};
const NAMES = Object.keys(SCHEDULES);
const LIMIT = ['timeout', '--kill-after=30s', '55m'];

it('every run starts its task from a schedule, the three main ones every hour', () => {
  const schedules = Object.values(resourcesOf(Service, 'AWS::Scheduler::Schedule')).map(
    ({ Properties = {} }) => Properties,
  );
  expect(Object.fromEntries(schedules.map((each) => [each['Name'], each['ScheduleExpression']]))).toEqual(
    SCHEDULES,
  );
  for (const { Name, GroupName, Target } of schedules) {
    const { EcsParameters, RetryPolicy } = Target as {
      EcsParameters: Record<string, object>;
      RetryPolicy: object;
    };
    const definition = (EcsParameters['TaskDefinitionArn'] as { Ref?: string } | undefined)?.Ref ?? '';
    expect(Service.Resources[definition]?.Properties?.['Family']).toBe(Name);
    expect([GroupName, RetryPolicy]).toEqual([
      'crd',
      { MaximumEventAgeInSeconds: 1800, MaximumRetryAttempts: 3 },
    ]);
  }
});

it.each(NAMES)('%s has a time limit shorter than an hour and a read-only root file system', (name) => {
  const { Command, ReadonlyRootFilesystem } = containerOf(name);
  expect(Command.slice(0, LIMIT.length)).toEqual(LIMIT);
  expect(ReadonlyRootFilesystem).toBe(true);
});

it('publish reads what was collected, needs all chains, logs as JSON, and never creates a store', () => {
  expect(containerOf('crd-publish').Command.slice(LIMIT.length)).toEqual([
    'generator',
    'publish',
    '--existing',
    '--require-all',
    '--quiet',
    '--log-json',
    '--report',
    '/dev/stdout',
    '--input',
    's3://example-metrics/daily/',
    '--accept-collected',
    '--store',
    's3://example-crd-published',
  ]);
});

it('publish, verify and copy trust the root key of the readers, whoever writes to the store', () => {
  const trust = readParameters(EXAMPLE_PARAMETERS).signing?.trust ?? '';
  expect(variablesOf('crd-publish')['CRD_SIGNING_TRUST']).toBe(trust);
  for (const family of ['crd-verify', 'crd-copy'])
    expect(containerOf(family).Command.join(' ')).toContain(` --trust ${trust} `);
});

it('collect gets its policy in a file, and keeps raw data in the only folder that it may write', async () => {
  const { Command, MountPoints } = containerOf('crd-collect');
  expect(MountPoints).toEqual([expect.objectContaining({ ContainerPath: '/scratch', ReadOnly: false })]);
  const [shell, ...args] = Command.slice(LIMIT.length);
  const folder = await createTemporaryFolder();
  try {
    const inFolder = args.map((each) => each.replaceAll('/scratch', folder.path));
    const file = `${folder.path}/policy.json`;
    // `cat` stands for the program, and shows the policy.
    const command = inFolder.map((each) => (each === 'generator' ? 'echo' : each));
    const env = { PATH: process.env['PATH'] ?? '', ...variablesOf('crd-collect') };
    const { stdout } = await runProgram(shell ?? '', command, env);
    expect(stdout).toBe(
      `collect --policy ${file} --cache ${folder.path} --into s3://example-metrics/daily/ --quiet --log-json --report /dev/stdout\n`,
    );
    const { stdout: policy } = await runProgram('cat', [file], env);
    expect(parsePolicy(file, policy)).toMatchObject({ chains: { base: { source: 'growthepie' } } });
  } finally {
    await folder.dispose();
  }
});

it('the time limit ends a program that ignores signals, with an exit code that is a failure', async () => {
  const [program = '', ...args] = LIMIT.map((each) => each.replace('55m', '0.2s').replace('30s', '0.2s'));
  const env = { PATH: process.env['PATH'] ?? '' };
  const stopped = await runProgram(program, [...args, 'sleep', '60'], env);
  expect(stopped.code).toBe(124);
  const deaf = "trap '' TERM; while :; do sleep 0.1; done";
  await expect(runProgram(program, [...args, 'sh', '-c', deaf], env)).rejects.toThrow('killed by a signal'); // 137 in a container
});

it('reconcile runs with a valid configuration of the gateway, including its secrets and a price of each plan', () => {
  const { Command, Secrets = [] } = containerOf('crd-reconcile');
  expect(Command.slice(LIMIT.length)).toEqual(['gateway', 'reconcile', '--apply']);
  const env = variablesOf('crd-reconcile');
  expect(Secrets.map(({ Name }) => Name)).toEqual(Object.keys(SECRETS));
  expect(toConfiguration({ ...env, ...SECRETS })).not.toHaveProperty('faults');
  const prices = Object.keys(env).filter((name) => name.startsWith('CRD_STRIPE_PRICE_'));
  expect(prices.length).toBe(PLAN_IDS.length);
});

it('the schedules may start these tasks with their roles, and nothing else', () => {
  const role = Object.entries(resourcesOf(Service, 'AWS::IAM::Role')).find(
    ([, { Properties }]) => Properties?.['RoleName'] === 'crd-eu-west-1-scheduler',
  );
  const [id = '', resource] = role ?? [];
  expect(toStatements(resource?.Properties?.['AssumeRolePolicyDocument'])).toMatchObject([
    {
      principals: ['scheduler.amazonaws.com'],
      conditions: { StringEquals: { 'aws:SourceAccount': ['123456789012'] } },
    },
  ]);
  const statements = Object.values(resourcesOf(Service, 'AWS::IAM::Policy'))
    .filter(({ Properties }) => JSON.stringify(Properties?.['Roles']).includes(id))
    .flatMap(({ Properties }) => toStatements(Properties?.['PolicyDocument']));
  const tasks = Object.keys(resourcesOf(Service, 'AWS::ECS::TaskDefinition'));
  expect(tasks.length).toBe(NAMES.length);
  for (const task of tasks)
    expect(isAllowed(statements, { action: 'ecs:RunTask', resource: `<${task}>` })).toBe(true);
  const pass = (service: string) => ({
    action: 'iam:PassRole',
    resource: statements.find(({ actions }) => actions.includes('iam:PassRole'))?.resources[0] ?? '',
    context: { 'iam:PassedToService': service },
  });
  expect(isAllowed(statements, pass('ecs-tasks.amazonaws.com'))).toBe(true);
  expect(isAllowed(statements, pass('lambda.amazonaws.com'))).toBe(false);
  expect([...new Set(statements.flatMap(({ actions }) => actions))].sort()).toEqual([
    'ecs:RunTask',
    'iam:PassRole',
  ]);
  expect(statements.flatMap(({ resources }) => resources).filter((each) => each.includes('*'))).toEqual([]);
});
