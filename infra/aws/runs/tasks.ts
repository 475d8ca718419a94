import path from 'node:path';
import { CfnOutput, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Port, SecurityGroup, SubnetType, Vpc, GatewayVpcEndpointAwsService } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  Cluster,
  ContainerImage,
  CpuArchitecture,
  FargateTaskDefinition,
  LogDrivers,
  OperatingSystemFamily,
  type Secret,
} from 'aws-cdk-lib/aws-ecs';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { readSourceCommit } from '../../process/source-commit.js';
import { logNames } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';

/** Root of the repository, from which the image is built. */
const ROOT = path.join(import.meta.dirname, '../../..');

/** Name of the container with the program. Monitoring of the account may add other containers to a task. */
export const PROGRAM = 'program';

/** Folder for temporary files of a task. In the image it is a volume that the user of the program may write to. */
export const SCRATCH = '/scratch';

/**
 * Ends a program that hangs, because ECS has no time limit for a task. `timeout` then exits with 124, and the task fails. The
 * limit is below an hour, so only a delayed start lets two runs of a task overlap, which is safe.
 */
const TIME_LIMIT = ['timeout', '--kill-after=30s', '55m'];

/** Options for `TasksPart.define`. `command` starts with the name of a program of the image. */
export type TaskOptions = {
  readonly command: readonly string[];
  readonly role: Role;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, Secret>>;
  readonly cpu: number;
  readonly memoryMb: number;
  /** True for a task that may write to `SCRATCH`. Fargate gives each task 20 GB, which end with it. */
  readonly scratch?: boolean;
};

/** The environment of all tasks: a network without inbound traffic, one image, and one log. */
export class TasksPart extends Construct {
  readonly cluster: Cluster;
  readonly securityGroup: SecurityGroup;
  readonly log: LogGroup;
  private readonly clusterName: string;
  private readonly image: ContainerImage;

  constructor(scope: Construct, parameters: Parameters) {
    super(scope, 'Tasks');
    const { name, baseImage } = parameters;
    const vpc = new Vpc(this, 'Vpc', {
      maxAzs: 2,
      natGateways: 0,
      restrictDefaultSecurityGroup: false, // no task uses it, and restricting it would add a Lambda function to the stack
      subnetConfiguration: [{ name: 'public', subnetType: SubnetType.PUBLIC, cidrMask: 24 }],
      gatewayEndpoints: { S3: { service: GatewayVpcEndpointAwsService.S3 } },
    });
    Validations.of(vpc).acknowledge({
      id: 'AwsSolutions-VPC7',
      reason:
        'Few tasks run, without inbound traffic. The access logs of the buckets show their requests to S3.',
    });
    this.securityGroup = new SecurityGroup(this, 'Outbound', {
      vpc,
      allowAllOutbound: false,
      description: 'Tasks: outbound HTTPS only',
    });
    this.securityGroup.connections.allowToAnyIpv4(Port.tcp(443), 'S3, KMS, the image registry, Stripe');
    const subnets = vpc.publicSubnets.map(({ subnetId }) => subnetId).join();
    new CfnOutput(Stack.of(this), 'TaskNetwork', {
      value: `awsvpcConfiguration={subnets=[${subnets}],securityGroups=[${this.securityGroup.securityGroupId}],assignPublicIp=ENABLED}`,
      description: 'Network of a task that is started by hand',
    });
    this.clusterName = name;
    this.cluster = new Cluster(this, 'Cluster', { clusterName: name, vpc });
    Validations.of(this.cluster).acknowledge({
      id: 'AwsSolutions-ECS4',
      reason: 'Container Insights costs more than the tasks. Their reports have times and sizes.',
    });
    this.log = new LogGroup(this, 'Log', {
      logGroupName: logNames(parameters).tasks,
      retention: RetentionDays.THIRTEEN_MONTHS, // keeps the reports of a year
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.image = ContainerImage.fromAsset(ROOT, {
      file: 'infra/Dockerfile',
      platform: Platform.LINUX_ARM64,
      buildArgs: { BASE_IMAGE: baseImage, SOURCE_COMMIT: readSourceCommit(ROOT) ?? '' },
    });
  }

  define(
    id: string,
    { command, role, environment, secrets, cpu, memoryMb, scratch = false }: TaskOptions,
  ): FargateTaskDefinition {
    const task = new FargateTaskDefinition(this, id, {
      family: `${this.clusterName}-${id.toLowerCase()}`,
      cpu,
      memoryLimitMiB: memoryMb,
      taskRole: role,
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
    });
    const container = task.addContainer('Program', {
      containerName: PROGRAM,
      image: this.image,
      command: [...TIME_LIMIT, ...command],
      readonlyRootFilesystem: true,
      logging: LogDrivers.awsLogs({ streamPrefix: id.toLowerCase(), logGroup: this.log }),
      ...(environment === undefined ? {} : { environment }),
      ...(secrets === undefined ? {} : { secrets }),
    });
    if (scratch) {
      task.addVolume({ name: 'scratch' });
      container.addMountPoints({ sourceVolume: 'scratch', containerPath: SCRATCH, readOnly: false });
    }
    Validations.of(task).acknowledge(
      {
        id: 'AwsSolutions-ECS2',
        reason: 'The environment contains no secrets; they come from Secrets Manager.',
      },
      {
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason:
          'ecr:GetAuthorizationToken has no resource; its token only pulls what the role is allowed to pull.',
      },
    );
    return task;
  }
}
