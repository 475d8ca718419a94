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
import type { Endings } from '../endings.js';
import type { Parameters } from '../parameters.js';
import { acknowledgeWildcards } from './acknowledge.js';
import { toRunStates } from './run-states.js';
import type { TasksPart } from './tasks.js';

/** When a task runs, and how often a run is tried again whose failure may pass. */
export type ScheduledRunTerms = Pick<Parameters, 'account' | 'region'> & {
  readonly name: string;
  readonly tasks: TasksPart;
  readonly task: FargateTaskDefinition;
  readonly schedule: ScheduleExpression;
  readonly retries: number;
  /** Before the first further try, where it is another than that of most runs. */
  readonly pause?: Duration;
  /** Which exit codes are not tried again. */
  readonly endings: Endings;
};

const PAUSE = Duration.minutes(5);
/** A run that hangs fails before the machine gives up, which would neither try again nor leave a letter. */
const LONGEST_RUN = Duration.minutes(60);
const LONGEST = Duration.hours(8);
const KEPT = Duration.days(14);

/** A task by the clock: tried again when its failure may pass, and left in a queue of dead letters when it is given up. */
export class ScheduledRun extends Construct {
  readonly machine: StateMachine;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, terms: ScheduledRunTerms) {
    super(scope, id);
    const { name, schedule } = terms;
    this.deadLetters = new Queue(this, 'DeadLetters', {
      queueName: `${name}-dead-letters`,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: KEPT,
    });
    Validations.of(this.deadLetters).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is the queue of dead letters.',
    });
    this.machine = this.toMachine(terms);
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

  private toMachine(terms: ScheduledRunTerms): StateMachine {
    const { name, tasks, task, retries, endings, pause = PAUSE } = terms;
    const run = new EcsRunTask(this, 'Run', {
      integrationPattern: IntegrationPattern.RUN_JOB,
      cluster: tasks.cluster,
      taskDefinition: task,
      launchTarget: new EcsFargateLaunchTarget({ platformVersion: FargatePlatformVersion.VERSION1_4 }),
      assignPublicIp: true,
      securityGroups: [tasks.securityGroup],
      subnets: { subnetType: SubnetType.PUBLIC },
      resultPath: '$.run',
      taskTimeout: Timeout.duration(LONGEST_RUN),
    });
    const { deadLetters } = this;
    const states = toRunStates(this, { name, run, endings, retries, pause, deadLetters });
    const { role, policy } = this.toRole(terms);
    const machine = new StateMachine(this, 'Machine', {
      stateMachineName: name,
      definitionBody: DefinitionBody.fromChainable(states),
      timeout: LONGEST,
      role: role.withoutPolicyUpdates(), // each right is said below, none is added
    });
    machine.node.addDependency(policy); // what it may is looked at when it is made
    Validations.of(machine).acknowledge(
      {
        id: 'AwsSolutions-SF1',
        reason: 'Step Functions keeps the history of each run for 90 days by itself.',
      },
      { id: 'AwsSolutions-SF2', reason: 'One task and one message: there is nothing to trace.' },
    );
    return machine;
  }

  /** What starts the task, follows it, and leaves the dead letter. */
  private toRole({ name, account, region, tasks, task }: ScheduledRunTerms): { role: Role; policy: Policy } {
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
        sid: 'GiveTaskItsRoles',
        actions: ['iam:PassRole'],
        resources: [task.taskRole.roleArn, task.obtainExecutionRole().roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
      }),
      new PolicyStatement({
        sid: 'LearnThatTaskEnded',
        actions: ['events:DescribeRule', 'events:PutRule', 'events:PutTargets'],
        resources: [`arn:aws:events:${region}:${account}:rule/StepFunctionsGetEventsForECSTaskRule`],
      }),
      new PolicyStatement({
        sid: 'LeaveDeadLetter',
        actions: ['sqs:SendMessage'],
        resources: [this.deadLetters.queueArn],
      }),
    ];
    const policy = new Policy(this, 'Policy', { policyName: name, roles: [role], statements });
    acknowledgeWildcards(
      policy,
      statements,
      'A definition has a new number, and a task a new id, each time.',
    );
    return { role, policy };
  }
}
