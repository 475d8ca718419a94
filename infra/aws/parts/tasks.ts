import path from 'node:path';
import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Port, SecurityGroup, SubnetType, Vpc, GatewayVpcEndpointAwsService } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  Cluster,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateTaskDefinition,
  LogDrivers,
  OperatingSystemFamily,
  type Secret,
} from 'aws-cdk-lib/aws-ecs';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Parameters } from '../parameters.js';

/** Root of the product, which the image is built of. */
const ROOT = path.join(import.meta.dirname, '../../..');

/** The container that a task is about: others may be put beside it, by what watches the account. */
export const PROGRAM = 'program';

/** What a task runs: the image's programs by their names, with the rights of a role. */
export type TaskTerms = {
  readonly command: readonly string[];
  readonly role: Role;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, Secret>>;
  readonly cpu: number;
  readonly memoryMb: number;
};

/** Where tasks run: a network that nothing comes into, one image, one log that is kept for more than a year. */
export class TasksPart extends Construct {
  readonly cluster: Cluster;
  readonly clusterName: string;
  readonly securityGroup: SecurityGroup;
  private readonly log: LogGroup;
  private readonly image: ContainerImage;

  constructor(scope: Construct, { name }: Parameters) {
    super(scope, 'Tasks');
    const vpc = new Vpc(this, 'Vpc', {
      maxAzs: 2,
      natGateways: 0,
      restrictDefaultSecurityGroup: false, // would bring a function of its own to empty it; no task uses it
      subnetConfiguration: [{ name: 'public', subnetType: SubnetType.PUBLIC, cidrMask: 24 }],
      gatewayEndpoints: { S3: { service: GatewayVpcEndpointAwsService.S3 } },
    });
    Validations.of(vpc).acknowledge({
      id: 'AwsSolutions-VPC7',
      reason:
        'A task a day goes out and nothing comes in; what it asked of S3 is in the access log of the buckets.',
    });
    this.securityGroup = new SecurityGroup(this, 'Outward', {
      vpc,
      allowAllOutbound: false,
      description: 'Tasks: out by HTTPS, nothing in',
    });
    this.securityGroup.connections.allowToAnyIpv4(Port.tcp(443), 'S3, the registry of images, Stripe');
    this.clusterName = name;
    this.cluster = new Cluster(this, 'Cluster', {
      clusterName: name,
      vpc,
      containerInsightsV2: ContainerInsights.ENABLED,
    });
    this.log = new LogGroup(this, 'Log', {
      logGroupName: `/${name}/tasks`,
      retention: RetentionDays.THIRTEEN_MONTHS, // the reports of a year's runs
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.image = ContainerImage.fromAsset(ROOT, {
      file: 'infra/Dockerfile',
      platform: Platform.LINUX_ARM64,
    });
  }

  /** A task that runs a command of the image to its end. */
  define(
    id: string,
    { command, role, environment, secrets, cpu, memoryMb }: TaskTerms,
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
    task.addContainer('Program', {
      containerName: PROGRAM,
      image: this.image,
      command: [...command],
      readonlyRootFilesystem: true,
      logging: LogDrivers.awsLogs({ streamPrefix: id.toLowerCase(), logGroup: this.log }),
      ...(environment === undefined ? {} : { environment }),
      ...(secrets === undefined ? {} : { secrets }),
    });
    Validations.of(task).acknowledge(
      {
        id: 'AwsSolutions-ECS2',
        reason: 'What is in the environment is no secret; secrets come from Secrets Manager.',
      },
      {
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason: 'ecr:GetAuthorizationToken knows no resource; it gives a token for what the role may pull.',
      },
    );
    return task;
  }
}
