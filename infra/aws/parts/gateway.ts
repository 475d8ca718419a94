import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { HttpApi, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Alias, Architecture, Code, Function, Runtime, Version } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { BUNDLE_FOLDER } from '../bundle.js';
import { gatewayVariables } from '../gateway-variables.js';
import { SECRETS_VARIABLE } from '../lambda/variables.js';
import type { Parameters } from '../parameters.js';
import type { RolesPart } from './roles.js';
import type { SecretsPart } from './secrets.js';

/** Least memory that holds a 99th percentile of 20 ms: processor comes with it. infra/README.md has the figures. */
const MEMORY_MB = 1024;
/** Longer than a store and Stripe may take, shorter than the API waits. */
const TIMEOUT = Duration.seconds(20);
/** What the API lets through in a second, and at once: what a mistake can cost is bounded. */
const THROTTLE = { rateLimit: 2_000, burstLimit: 1_000 };

/** The gateway: Express on AWS Lambda, behind an HTTP API. */
export class GatewayPart extends Construct {
  readonly api: HttpApi;
  readonly function: Function;
  /** What answers requests: a version of the function. */
  readonly live: Alias;
  readonly log: LogGroup;

  constructor(scope: Construct, parameters: Parameters, { gateway: role }: RolesPart, secrets: SecretsPart) {
    super(scope, 'Gateway');
    const { name, region, liveVersion, restarted } = parameters;
    this.log = this.logOf('Log', `/${name}/gateway`);
    const arns = [...secrets.all].map(([variable, { secretArn }]) => [variable, secretArn]);
    this.function = new Function(this, 'Function', {
      functionName: `${name}-gateway`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(BUNDLE_FOLDER),
      handler: 'handler.handler',
      memorySize: MEMORY_MB,
      timeout: TIMEOUT,
      role,
      logGroup: this.log,
      description: `The gateway${restarted === undefined ? '' : `, started anew: ${restarted}`}`,
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN }, // to go back to
      environment: {
        ...gatewayVariables(parameters),
        [SECRETS_VARIABLE]: Stack.of(this).toJsonString(Object.fromEntries(arns)),
      },
    });
    role.addToPrincipalPolicy(secrets.readStatement());
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'WriteLog',
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [this.log.logGroupArn],
      }),
    );
    const newest = this.function.currentVersion; // made in any case: it can be asked before it is led to
    this.live = new Alias(this, 'Live', {
      aliasName: 'live',
      version:
        liveVersion === undefined
          ? newest
          : Version.fromVersionAttributes(this, 'LiveVersion', {
              lambda: this.function,
              version: liveVersion,
            }),
    });
    this.api = this.toApi(name);
    new CfnOutput(this, 'GatewayHost', {
      value: `${this.api.apiId}.execute-api.${region}.amazonaws.com`,
      description: 'Give it to the delivery as gatewayHost',
    });
  }

  private toApi(name: string): HttpApi {
    const api = new HttpApi(this, 'Api', {
      apiName: `${name}-gateway`,
      createDefaultStage: false,
      defaultIntegration: new HttpLambdaIntegration('Integration', this.live),
    });
    new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: THROTTLE,
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.logOf('ApiLog', `/${name}/gateway-api`)),
        format: AccessLogFormat.custom(ACCESS_LOG), // neither query nor key
      },
    });
    Validations.of(api).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'The gateway itself authenticates: by API key, by session, and by the signature of an event.',
    });
    return api;
  }

  private logOf(id: string, logGroupName: string): LogGroup {
    return new LogGroup(this, id, {
      logGroupName,
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}

const ACCESS_LOG = JSON.stringify({
  time: '$context.requestTimeEpoch',
  id: '$context.requestId',
  method: '$context.httpMethod',
  path: '$context.path',
  status: '$context.status',
  ms: '$context.responseLatency',
  error: '$context.integrationErrorMessage',
});
