import {
  AccountPrincipal,
  ArnPrincipal,
  type IPrincipal,
  Policy,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { bucketArn, objectsArn, roleArn, roleNames } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import { acknowledgeWildcards } from './acknowledge-wildcards.js';
import {
  collectorStatements,
  copierStatements,
  gatewayStatements,
  gcStatements,
  generatorStatements,
  monitorStatements,
  reconcilerStatements,
  signerStatements,
} from './statements.js';

const WILDCARD_REASON =
  'Names below this prefix contain digests, dates and ids that are not known in advance. Keys of KMS are limited by their alias.';

/** The roles of the tasks and of the function, and one whose credentials sign URLs. */
export class RolesPart extends Construct {
  readonly generator: Role;
  /** Undefined if nothing is collected. */
  readonly collector: Role | undefined;
  readonly monitor: Role;
  readonly gc: Role;
  /** Undefined without a backup bucket. */
  readonly copier: Role | undefined;
  readonly gateway: Role;
  /** Undefined if nothing is sold. */
  readonly reconciler: Role | undefined;
  readonly signer: Role;

  constructor(scope: Construct, parameters: Parameters) {
    super(scope, 'Roles');
    const names = roleNames(parameters);
    const tasks = new ServicePrincipal('ecs-tasks.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': parameters.account } },
    });
    const functions = new ServicePrincipal('lambda.amazonaws.com'); // which names no account when it assumes a role
    this.generator = this.create('Generator', names.generator, tasks, generatorStatements(parameters));
    this.collector =
      parameters.collect && this.create('Collector', names.collector, tasks, collectorStatements(parameters));
    this.monitor = this.create('Monitor', names.monitor, tasks, monitorStatements(parameters));
    this.gc = this.create('Gc', names.gc, tasks, gcStatements(parameters));
    const target = parameters.backup?.bucket;
    this.copier =
      target === undefined
        ? undefined
        : this.create('Copier', names.copier, tasks, copierStatements(parameters, target));
    this.gateway = this.create('Gateway', names.gateway, functions, gatewayStatements(parameters));
    this.reconciler =
      parameters.selling &&
      this.create('Reconciler', names.reconciler, tasks, reconcilerStatements(parameters));
    this.signer = this.create(
      'Signer',
      names.signer,
      new ArnPrincipal(this.gateway.roleArn),
      signerStatements(parameters),
    );
    createOperator(this, parameters);
  }

  private create(id: string, roleName: string, assumedBy: IPrincipal, statements: PolicyStatement[]): Role {
    const role = new Role(this, id, { roleName, assumedBy });
    const policy = new Policy(this, `${id}Policy`, { policyName: roleName, roles: [role], statements });
    acknowledgeWildcards(policy, statements, WILDCARD_REASON);
    return role;
  }
}

/** Creates the role that a person takes, with a second factor, to run the commands of the runbooks. */
function createOperator(scope: Construct, parameters: Parameters): void {
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
