import { Duration, Validations } from 'aws-cdk-lib';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import { FargatePlatformVersion, type FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Schedule } from 'aws-cdk-lib/aws-scheduler';
import { StepFunctionsStartExecution } from 'aws-cdk-lib/aws-scheduler-targets';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { DefinitionBody, IntegrationPattern, StateMachine, Timeout } from 'aws-cdk-lib/aws-stepfunctions';
import { EcsFargateLaunchTarget, EcsRunTask } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { acknowledgeWildcards } from '../permissions/acknowledge-wildcards.js';
import type { ExitHandling } from '../settings/exits.js';
import type { Parameters } from '../settings/parameters.js';
import { createRunStates } from './run-states.js';
import type { TasksPart } from './tasks.js';

export type ScheduledRunOptions = Pick<Parameters, 'account' | 'region'> & {
  readonly name: string;
  readonly tasks: TasksPart;
  readonly task: FargateTaskDefinition;
  readonly schedule: ScheduleExpression;
  readonly retries: number;
  /** Delay before the first retry; by default five minutes. */
  readonly retryDelay?: Duration;
  readonly exits: ExitHandling;
};

const RETRY_DELAY = Duration.minutes(5);
/** Shorter than the machine's timeout, after which there is neither a retry nor a dead letter. */
const TASK_TIMEOUT = Duration.minutes(60);
const MACHINE_TIMEOUT = Duration.hours(8);
const DEAD_LETTER_RETENTION = Duration.days(14);

/** A scheduled task that is retried after a transient failure. A run whose task fails leaves a message in a dead-letter queue. */
export class ScheduledRun extends Construct {
  readonly machine: StateMachine;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, options: ScheduledRunOptions) {
    super(scope, id);
    const { name, schedule } = options;
    this.deadLetters = new Queue(this, 'DeadLetters', {
      queueName: `${name}-dead-letters`,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: DEAD_LETTER_RETENTION,
    });
    Validations.of(this.deadLetters).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'This is the dead-letter queue.',
    });
    this.machine = this.createMachine(options);
    new Schedule(this, 'Schedule', {
      scheduleName: name,
      schedule,
      target: new StepFunctionsStartExecution(this.machine, {
        deadLetterQueue: this.deadLetters,
        retryAttempts: 3,
        maxEventAge: Duration.hours(1),
      }),
    });
  }

  private createMachine(options: ScheduledRunOptions): StateMachine {
    const { name, tasks, task, retries, exits, retryDelay = RETRY_DELAY } = options;
    const run = new EcsRunTask(this, 'Run', {
      integrationPattern: IntegrationPattern.RUN_JOB,
      cluster: tasks.cluster,
      taskDefinition: task,
      launchTarget: new EcsFargateLaunchTarget({ platformVersion: FargatePlatformVersion.VERSION1_4 }),
      assignPublicIp: true, // the network has no NAT gateway
      securityGroups: [tasks.securityGroup],
      subnets: { subnetType: SubnetType.PUBLIC },
      resultPath: '$.run',
      taskTimeout: Timeout.duration(TASK_TIMEOUT),
    });
    const { deadLetters } = this;
    const states = createRunStates(this, { name, run, exits, retries, retryDelay, deadLetters });
    const { role, policy } = this.createRole(options);
    const machine = new StateMachine(this, 'Machine', {
      stateMachineName: name,
      definitionBody: DefinitionBody.fromChainable(states),
      timeout: MACHINE_TIMEOUT,
      role: role.withoutPolicyUpdates(), // the policy below is complete
    });
    machine.node.addDependency(policy); // AWS checks the permissions when it creates the machine
    Validations.of(machine).acknowledge(
      {
        id: 'AwsSolutions-SF1',
        reason: 'Step Functions keeps the history of each run for 90 days without a log.',
      },
      { id: 'AwsSolutions-SF2', reason: 'The machine runs one task and sends one message.' },
    );
    return machine;
  }

  /** Creates the role that starts and follows the task and sends the dead letter. */
  private createRole({ name, account, region, tasks, task }: ScheduledRunOptions): {
    role: Role;
    policy: Policy;
  } {
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('states.amazonaws.com') });
    const ecs = `arn:aws:ecs:${region}:${account}`;
    const statements = [
      new PolicyStatement({
        sid: 'StartTask',
        actions: ['ecs:RunTask'],
        resources: [`${ecs}:task-definition/${task.family}:*`],
        conditions: { ArnEquals: { 'ecs:cluster': `${ecs}:cluster/${tasks.clusterName}` } },
      }),
      new PolicyStatement({
        sid: 'FollowTask',
        actions: ['ecs:DescribeTasks', 'ecs:StopTask'],
        resources: [`${ecs}:task/${tasks.clusterName}/*`],
      }),
      new PolicyStatement({
        sid: 'PassRolesToTask',
        actions: ['iam:PassRole'],
        resources: [task.taskRole.roleArn, task.obtainExecutionRole().roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
      }),
      new PolicyStatement({
        sid: 'SubscribeToTaskEvents',
        actions: ['events:DescribeRule', 'events:PutRule', 'events:PutTargets'],
        resources: [`arn:aws:events:${region}:${account}:rule/StepFunctionsGetEventsForECSTaskRule`],
      }),
      new PolicyStatement({
        sid: 'SendDeadLetter',
        actions: ['sqs:SendMessage'],
        resources: [this.deadLetters.queueArn],
      }),
    ];
    const policy = new Policy(this, 'Policy', { policyName: name, roles: [role], statements });
    acknowledgeWildcards(
      policy,
      statements,
      'Every revision of a task definition has a new number, and every task a new id.',
    );
    return { role, policy };
  }
}
