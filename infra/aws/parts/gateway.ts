import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  DomainName,
  HttpApi,
  HttpStage,
  LogGroupLogDestination,
  SecurityPolicy,
  type HttpStageProps,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
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
import { logNames } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';

/** Smallest measured size with a p99 latency below 20 ms: AWS assigns processor time by memory. README.md has the figures. */
const MEMORY_MB = 1024;
/** Longer than the timeouts of the store and Stripe, shorter than the API's own. */
const TIMEOUT = Duration.seconds(20);
/** Default limit of requests per second: bounds the costs. */
export const DEFAULT_THROTTLE = 100;

/** The gateway on AWS Lambda, behind an HTTP API. */
export class GatewayPart extends Construct {
  readonly api: HttpApi;
  readonly function: Function;
  /** Alias of the function's version that serves requests. */
  readonly live: Alias;
  readonly log: LogGroup;
  /** Log of the HTTP API, with one line for each request. */
  readonly apiLog: LogGroup;

  constructor(scope: Construct, parameters: Parameters, { gateway: role }: RolesPart, secrets: SecretsPart) {
    super(scope, 'Gateway');
    const { name, region, restarted } = parameters;
    const logs = logNames(parameters);
    this.log = this.createLog('Log', logs.gateway);
    this.apiLog = this.createLog('ApiLog', logs.api);
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
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE }, // for a rollback
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
    this.api = this.createApi(parameters);
    new CfnOutput(this, 'GatewayHost', {
      value: parameters.apiDomain?.host ?? `${this.api.apiId}.execute-api.${region}.amazonaws.com`,
      description: 'Value of the parameter gatewayHost of the delivery stack',
    });
  }

  private createApi({ name, gatewayHost, throttle = DEFAULT_THROTTLE, apiDomain }: Parameters): HttpApi {
    const api = new HttpApi(this, 'Api', {
      apiName: `${name}-gateway`,
      createDefaultStage: false,
      defaultIntegration: new HttpLambdaIntegration('Integration', this.live),
      // Only once CloudFront uses the domain: until Delivery is deployed with it, requests come to the execute-api address.
      disableExecuteApiEndpoint: gatewayHost === apiDomain?.host,
    });
    new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: throttle, burstLimit: 2 * throttle },
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.apiLog),
        format: AccessLogFormat.custom(ACCESS_LOG), // contains neither query nor key
      },
      ...(apiDomain === undefined ? {} : { domainMapping: this.createDomain(apiDomain) }),
    });
    Validations.of(api).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'The gateway authenticates requests by API key, session or event signature.',
    });
    return api;
  }

  private createDomain({
    host,
    certificateArn,
  }: NonNullable<Parameters['apiDomain']>): HttpStageProps['domainMapping'] {
    const domainName = new DomainName(this, 'Domain', {
      domainName: host,
      certificate: Certificate.fromCertificateArn(this, 'DomainCertificate', certificateArn),
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    new CfnOutput(this, 'ApiTarget', {
      value: domainName.regionalDomainName,
      description: `Target of the DNS record for ${host}`,
    });
    return { domainName };
  }

  private createLog(id: string, logGroupName: string): LogGroup {
    return new LogGroup(this, id, {
      logGroupName,
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
  }
}

const ACCESS_LOG = JSON.stringify({
  time: '$context.requestTimeEpoch',
  id: '$context.requestId',
  method: '$context.httpMethod',
  path: '$context.path',
  status: '$context.status',
  bytes: '$context.responseLength',
  ms: '$context.responseLatency',
  error: '$context.integrationErrorMessage',
});
