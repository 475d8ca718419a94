import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import { FargatePlatformVersion, type FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Schedule, ScheduleGroup, type ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { EcsRunFargateTask } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { roleNames } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import type { TasksPart } from './tasks.js';

/** Starts tasks at their times. Nothing waits for a task: each is safe to start twice, and continues what an earlier one began. */
export class SchedulesPart extends Construct {
  readonly group: ScheduleGroup;
  /** The only role that starts tasks, besides people. */
  readonly role: Role;
  private readonly tasks: TasksPart;

  constructor(scope: Construct, parameters: Parameters, tasks: TasksPart) {
    super(scope, 'Schedules');
    this.tasks = tasks;
    this.group = new ScheduleGroup(this, 'Group', {
      scheduleGroupName: parameters.name,
      removalPolicy: RemovalPolicy.DESTROY, // schedules of a deleted stack must not start tasks
    });
    this.role = new Role(this, 'Role', {
      roleName: roleNames(parameters).scheduler,
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': parameters.account } },
      }),
    });
  }

  add(scheduleName: string, taskDefinition: FargateTaskDefinition, schedule: ScheduleExpression): void {
    new Schedule(this, scheduleName, {
      scheduleName,
      scheduleGroup: this.group,
      schedule,
      target: new EcsRunFargateTask(this.tasks.cluster, {
        taskDefinition,
        role: this.role,
        platformVersion: FargatePlatformVersion.VERSION1_4,
        assignPublicIp: true, // the network has no NAT gateway
        securityGroups: [this.tasks.securityGroup],
        vpcSubnets: { subnetType: SubnetType.PUBLIC },
        retryAttempts: 3,
        maxEventAge: Duration.minutes(30), // later, the next hourly run is near
      }),
    });
  }
}
