import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { HttpApi, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Alias, Architecture, Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { SECRETS_VARIABLE } from '../../../gateway/lambda/variables.js';
import type { RolesPart } from '../permissions/roles.js';
import type { SecretsPart } from '../permissions/secrets.js';
import { BUNDLE_FOLDER } from '../settings/bundle.js';
import { gatewayVariables } from '../settings/gateway-variables.js';
import type { Parameters } from '../settings/parameters.js';

/** Smallest measured size with a p99 latency below 20 ms: AWS assigns processor time by memory. README.md has the figures. */
const MEMORY_MB = 1024;
/** Longer than the timeouts of the store and Stripe, shorter than the API's own. */
const TIMEOUT = Duration.seconds(20);
/** Requests per second, and in a burst: bounds the cost of a misbehaving client. */
const THROTTLE = { rateLimit: 2_000, burstLimit: 1_000 };

/** The gateway on AWS Lambda, behind an HTTP API. */
export class GatewayPart extends Construct {
  readonly api: HttpApi;
  readonly function: Function;
  /** Alias of the function's version that serves requests. */
  readonly live: Alias;
  readonly log: LogGroup;

  constructor(scope: Construct, parameters: Parameters, { gateway: role }: RolesPart, secrets: SecretsPart) {
    super(scope, 'Gateway');
    const { name, region, restarted } = parameters;
    this.log = this.createLog('Log', `/${name}/gateway`);
    const arns = [...secrets.byVariable].map(([variable, { secretArn }]) => [variable, secretArn]);
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
      description: `The gateway${restarted === undefined ? '' : `, restarted: ${restarted}`}`,
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN }, // for a rollback
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
    this.live = new Alias(this, 'Live', { aliasName: 'live', version: this.function.currentVersion });
    this.api = this.createApi(name);
    new CfnOutput(this, 'GatewayHost', {
      value: `${this.api.apiId}.execute-api.${region}.amazonaws.com`,
      description: 'Value of the parameter gatewayHost of the delivery stack',
    });
  }

  private createApi(name: string): HttpApi {
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
        destination: new LogGroupLogDestination(this.createLog('ApiLog', `/${name}/gateway-api`)),
        format: AccessLogFormat.custom(ACCESS_LOG), // contains neither query nor key
      },
    });
    Validations.of(api).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'The gateway authenticates requests by API key, session or event signature.',
    });
    return api;
  }

  private createLog(id: string, logGroupName: string): LogGroup {
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
