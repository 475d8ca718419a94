import { AccountPrincipal, Policy, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { bucketArn, objectsArn, roleArn, roleNames } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import { acknowledgeWildcards } from './acknowledge-wildcards.js';
import { generatorStatements, reconcilerStatements } from './statements.js';

/** Creates the role that a person takes, with a second factor, to run the commands of the runbooks. */
export function createOperator(scope: Construct, parameters: Parameters): void {
  const roleName = roleNames(parameters).operator;
  const role = new Role(scope, 'Operator', {
    roleName,
    description: 'Runs the commands of the runbooks, with a second factor',
    assumedBy: new AccountPrincipal(parameters.account).withConditions({
      Bool: { 'aws:MultiFactorAuthPresent': 'true' },
    }),
  });
  const statements = operatorStatements(parameters);
  const policy = new Policy(scope, 'OperatorPolicy', { policyName: roleName, roles: [role], statements });
  acknowledgeWildcards(
    policy,
    statements,
    'Runs, tasks, logs and keys have names that begin with the name of the deployment. Lists of alarms and metrics have no resource.',
  );
}

/**
 * Permissions of an operator: what the publish and the reconciliation may do with the stores, read older versions, start and
 * stop tasks, read logs, and disable a signing key. The role itself may not sign, read secrets, delete accounts or versions, or
 * change the stacks. But it can start tasks whose roles may sign, and whose environment contains Stripe's secrets.
 */
function operatorStatements(parameters: Parameters): PolicyStatement[] {
  const { buckets, backup } = parameters;
  return [
    ...generatorStatements(parameters),
    ...reconcilerStatements(parameters),
    new PolicyStatement({
      sid: 'ListVersionsAndLogs',
      actions: ['s3:ListBucket', 's3:ListBucketVersions'],
      resources: Object.values(buckets).map(bucketArn),
    }),
    new PolicyStatement({
      sid: 'ReadVersionsAndLogs',
      actions: ['s3:GetObject', 's3:GetObjectVersion'],
      resources: Object.values(buckets).map((bucket) => objectsArn(bucket, '*')),
    }),
    ...(backup === undefined ? [] : readCopy(backup.bucket)),
    ...runStatements(parameters),
    ...watchStatements(parameters),
  ];
}

function readCopy(bucket: string): PolicyStatement[] {
  return [
    new PolicyStatement({ sid: 'ListCopy', actions: ['s3:ListBucket'], resources: [bucketArn(bucket)] }),
    new PolicyStatement({ sid: 'ReadCopy', actions: ['s3:GetObject'], resources: [objectsArn(bucket, '*')] }),
  ];
}

function runStatements(parameters: Parameters): PolicyStatement[] {
  const { name, account, region } = parameters;
  const { generator, collector, monitor, gc, copier, reconciler } = roleNames(parameters);
  const optional = [
    ...(parameters.collect === undefined ? [] : [collector]),
    ...(parameters.backup === undefined ? [] : [copier]),
    ...(parameters.selling === undefined ? [] : [reconciler]),
  ];
  const inEcs = `arn:aws:ecs:${region}:${account}`;
  return [
    new PolicyStatement({
      sid: 'StartTasks',
      actions: ['ecs:RunTask'],
      resources: [`${inEcs}:task-definition/${name}-*`],
      conditions: { ArnEquals: { 'ecs:cluster': `${inEcs}:cluster/${name}` } },
    }),
    new PolicyStatement({
      sid: 'FollowTasks',
      actions: ['ecs:DescribeTasks', 'ecs:StopTask'],
      resources: [`${inEcs}:task/${name}/*`],
    }),
    new PolicyStatement({
      sid: 'ListTasks',
      actions: ['ecs:ListTasks'],
      resources: [`${inEcs}:container-instance/${name}/*`],
    }),
    new PolicyStatement({
      sid: 'PassRolesToTasks',
      actions: ['iam:PassRole'],
      resources: [
        ...[generator, monitor, gc, ...optional].map((role) => roleArn(parameters, role)),
        roleArn(parameters, `${name}-service-*`), // the execution roles of the tasks, which CloudFormation names
      ],
      conditions: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
    }),
  ];
}

function watchStatements({ name, account, region }: Parameters): PolicyStatement[] {
  return [
    new PolicyStatement({
      sid: 'ReadLogs',
      actions: ['logs:FilterLogEvents', 'logs:GetLogEvents', 'logs:DescribeLogStreams'],
      resources: [`/${name}/*`, `/aws/events/${name}/*`].map(
        (group) => `arn:aws:logs:${region}:${account}:log-group:${group}`,
      ),
    }),
    new PolicyStatement({
      sid: 'ReadMetrics',
      actions: ['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData', 'cloudtrail:LookupEvents'],
      resources: ['*'],
    }),
    new PolicyStatement({
      sid: 'DisableSigningKeys',
      actions: ['kms:GetPublicKey', 'kms:DescribeKey', 'kms:DisableKey', 'kms:EnableKey'],
      resources: [`arn:aws:kms:${region}:${account}:key/*`],
      conditions: { 'ForAnyValue:StringLike': { 'kms:ResourceAliases': `alias/${name}-release-*` } },
    }),
  ];
}
