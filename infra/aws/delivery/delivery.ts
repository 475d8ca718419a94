import path from 'node:path';
import {
  Annotations,
  CfnOutput,
  Duration,
  Fn,
  RemovalPolicy,
  SecretValue,
  Stack,
  Validations,
} from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheCookieBehavior,
  CachedMethods,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  Function,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  type IOrigin,
  OriginProtocolPolicy,
  OriginRequestHeaderBehavior,
  OriginRequestPolicy,
  OriginSslPolicy,
  PriceClass,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, OriginGroup, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { contentPolicyOf } from '../../../gateway/core/http/content-policy.js';
import {
  ACCOUNT_PATHS,
  accountAssetPath,
  API_PATH,
  CHARTS_PATH,
  dayPagePath,
  EMBED_PATH,
  ENDPOINTS,
  FILES_PATH,
  PAGE_PATHS,
  PUBLIC_PREFIX,
  TRUST_PATHS,
} from '../../../schemas/paths.js';
import { ORIGIN_HEADER } from '../../../gateway/core/http/origin-header.js';
import { logNames, originSecretName, UNKNOWN_HOST } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import { createFirewall } from './firewall.js';
import { OutsideWatchPart } from './outside-watch.js';
import {
  CfnDelivery,
  CfnDeliveryDestination,
  CfnDeliverySource,
  LogGroup,
  RetentionDays,
} from 'aws-cdk-lib/aws-logs';

/** Longer than the time limit of the gateway's function, shorter than that of the HTTP API, 30 seconds. */
const READ_TIMEOUT = Duration.seconds(25);

/** Header that the CloudFront function sets if a reader asks for a fresh copy. It is part of the cache key. */
const FRESH_HEADER = 'X-CRD-Fresh';
/** How long CloudFront may cache the files by which readers verify a release. */
const MAX_TRUST_AGE = Duration.seconds(60);

/** Status codes for which CloudFront accepts a time to live. */
const CACHED_ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

const NO_GATEWAY = `gatewayHost is ${UNKNOWN_HOST}. Deploy the stack Service, set the parameter gatewayHost to its output GatewayHost, and deploy Delivery again.`;

const YEAR = Duration.days(365);
const HSTS = {
  accessControlMaxAge: Duration.days(730),
  includeSubdomains: true,
  preload: false,
  override: true,
};

/** CloudFront: it serves public copies from the bucket and everything else from the gateway. */
export class DeliveryPart extends Construct {
  constructor(scope: Construct, parameters: Parameters) {
    super(scope, 'Delivery');
    const { name, host, certificateArn, gatewayHost, firewall = {} } = parameters;
    if (gatewayHost === UNKNOWN_HOST) Annotations.of(this).addError(NO_GATEWAY);
    const gateway = this.createGatewayOrigin(parameters);
    const publicFiles = this.createPublicBehavior(this.createPublicOrigin(parameters, gateway), name);
    const pageHeaders = this.headersOf('Pages', name, ['text/html; charset=utf-8', PAGE_PATHS.front]);
    const trustFiles = {
      ...publicFiles,
      cachePolicy: this.createCachePolicy('Trust', name, MAX_TRUST_AGE),
      responseHeadersPolicy: pageHeaders,
    };
    const distribution = new Distribution(this, 'Distribution', {
      domainNames: [host],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      priceClass: PriceClass.PRICE_CLASS_ALL,
      comment: `${name}: public copies and the gateway`,
      ...(firewall === false ? {} : { webAclId: createFirewall(this, name, firewall) }),
      defaultBehavior: {
        ...publicFiles,
        responseHeadersPolicy: pageHeaders,
      },
      additionalBehaviors: {
        [`${CHARTS_PATH}*`]: {
          ...publicFiles,
          responseHeadersPolicy: this.headersOf('Charts', name, ['image/svg+xml', CHARTS_PATH]),
        },
        [`${EMBED_PATH}*`]: {
          ...publicFiles,
          responseHeadersPolicy: this.headersOf('Embed', name, ['text/html; charset=utf-8', EMBED_PATH]),
        },
        // The gateway makes them, the same for all readers.
        [DAY_PAGES]: { ...publicFiles, origin: gateway, responseHeadersPolicy: pageHeaders },
        ...Object.fromEntries(GATEWAY_PATHS.map((each) => [each, createGatewayBehavior(gateway)])),
        ...Object.fromEntries(TRUST_PATTERNS.map((each) => [each, trustFiles])), // last, because the first match counts: *.jws also matches paths of the gateway
      },
      // By default CloudFront caches an error for ten seconds and sends it to all clients, even if one API key caused it.
      // Even with a ttl of 0, CloudFront serves expired copies while the bucket is down.
      errorResponses: CACHED_ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    acknowledgeFindings(distribution, firewall !== false);
    createAccessLog(this, distribution, parameters);
    new OutsideWatchPart(this, parameters, distribution);
    new CfnOutput(this, 'DistributionHost', {
      value: distribution.distributionDomainName,
      description: `Target of the DNS record for ${host}: CNAME, or ALIAS at the root of a zone`,
    });
  }

  private createGatewayOrigin(parameters: Parameters): IOrigin {
    const { originSecretVersion: versionId } = parameters;
    const secret = SecretValue.secretsManager(
      originSecretName(parameters),
      versionId === undefined ? {} : { versionId }, // without a version, a new value would not change the deployed configuration
    );
    return new HttpOrigin(parameters.gatewayHost, {
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      originSslProtocols: [OriginSslPolicy.TLS_V1_2],
      readTimeout: READ_TIMEOUT,
      customHeaders: { [ORIGIN_HEADER]: secret.unsafeUnwrap() }, // a reference that CloudFormation resolves
    });
  }

  /** Returns the bucket as origin. For a missing file, the gateway answers with a problem document instead of S3's XML. */
  private createPublicOrigin({ buckets: { published }, region }: Parameters, gateway: IOrigin): IOrigin {
    const bucket = Bucket.fromBucketAttributes(this, 'Published', { bucketName: published, region });
    return new OriginGroup({
      primaryOrigin: S3BucketOrigin.withOriginAccessControl(bucket, {
        originPath: `/${PUBLIC_PREFIX.replace(/\/$/, '')}`,
      }),
      fallbackOrigin: gateway,
      fallbackStatusCodes: [403, 404],
    });
  }

  private createPublicBehavior(origin: IOrigin, name: string): BehaviorOptions {
    // Maps the address of a page to its copy, and redirects other spellings.
    const pageAddress = new Function(this, 'PageAddress', {
      functionName: `${name}-page-address`,
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromFile({ filePath: path.join(import.meta.dirname, '../edge/page-address.js') }),
    });
    return {
      origin,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
      cachedMethods: CachedMethods.CACHE_GET_HEAD,
      compress: true,
      originRequestPolicy: new OriginRequestPolicy(this, 'PublicRequest', {
        originRequestPolicyName: `${name}-public`,
        comment: 'Headers of preflights, for the bucket, and Accept, by which the gateway formats errors',
        headerBehavior: OriginRequestHeaderBehavior.allowList(
          'Accept',
          'Origin',
          'Access-Control-Request-Headers',
          'Access-Control-Request-Method',
        ),
      }),
      cachePolicy: this.createCachePolicy('Public', name, YEAR),
      functionAssociations: [{ function: pageAddress, eventType: FunctionEventType.VIEWER_REQUEST }],
    };
  }

  /** Returns a policy that follows the Cache-Control of each copy, up to a time. */
  private createCachePolicy(id: string, name: string, maxTtl: Duration): CachePolicy {
    return new CachePolicy(this, `${id}Cache`, {
      cachePolicyName: `${name}-${id.toLowerCase()}`,
      comment: 'Follows the Cache-Control of each copy',
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(60),
      maxTtl,
      queryStringBehavior: CacheQueryStringBehavior.none(),
      headerBehavior: CacheHeaderBehavior.allowList(FRESH_HEADER),
      cookieBehavior: CacheCookieBehavior.none(),
      enableAcceptEncodingBrotli: true,
      enableAcceptEncodingGzip: true,
    });
  }

  /** Returns security and CORS headers, with the content policy of a media type at a path. */
  private headersOf(
    id: string,
    name: string,
    [mediaType, path]: readonly [string, string],
  ): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, `${id}Headers`, {
      responseHeadersPolicyName: `${name}-${id.toLowerCase()}`,
      securityHeadersBehavior: {
        contentSecurityPolicy: {
          contentSecurityPolicy: contentPolicyOf(mediaType, path) ?? '',
          override: true,
        },
        contentTypeOptions: { override: true },
        ...(path === EMBED_PATH
          ? {}
          : { frameOptions: { frameOption: HeadersFrameOption.DENY, override: true } }),
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
        strictTransportSecurity: HSTS,
      },
      corsBehavior: {
        accessControlAllowOrigins: ['*'],
        accessControlAllowMethods: ['GET', 'HEAD', 'OPTIONS'],
        accessControlAllowHeaders: ['*'],
        accessControlAllowCredentials: false,
        accessControlExposeHeaders: ['ETag'],
        originOverride: true,
      },
    });
  }
}

function createGatewayBehavior(origin: IOrigin): BehaviorOptions {
  return {
    origin,
    viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY, // a redirect from http would come after the API key was sent in the clear
    allowedMethods: AllowedMethods.ALLOW_ALL,
    cachePolicy: CachePolicy.CACHING_DISABLED,
    originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    compress: false,
  };
}

function acknowledgeFindings(distribution: Distribution, hasFirewall: boolean): void {
  Validations.of(distribution).acknowledge(
    {
      id: 'Annotation::@aws-cdk/aws-cloudfront-origins:updateImportedBucketPolicyOac',
      reason: 'The bucket policy is in the stack of the bucket.',
    },
    { id: 'AwsSolutions-CFR1', reason: 'The data is available in all countries.' },
    ...(hasFirewall ? [] : [{ id: 'AwsSolutions-CFR2', reason: 'The parameter firewall turns it off.' }]),
    {
      id: 'AwsSolutions-CFR3',
      reason:
        'CloudWatch receives selected fields. The log that this rule expects would contain queries, cookies and the addresses of clients.',
    },
  );
}

/** Logged fields of a request. They contain neither query, cookies nor the client's address. */
const LOG_FIELDS = [
  'date',
  'time',
  'x-edge-location',
  'sc-bytes',
  'cs-method',
  'cs(Host)',
  'cs-uri-stem',
  'sc-status',
  'x-edge-result-type',
  'x-edge-request-id',
  'cs-protocol',
  'time-taken',
  'ssl-protocol',
  'x-edge-detailed-result-type',
  'sc-content-type',
  'c-country',
];

/** Logs chosen fields of all requests. The query must not be logged: a caller may put a key there by mistake. */
function createAccessLog(scope: Construct, distribution: Distribution, parameters: Parameters): void {
  const { name } = parameters;
  const group = new LogGroup(scope, 'Log', {
    logGroupName: logNames(parameters).delivery,
    retention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  const source = new CfnDeliverySource(scope, 'LogSource', {
    name: `${name}-delivery`,
    logType: 'ACCESS_LOGS',
    resourceArn: Fn.join('', [
      'arn:aws:cloudfront::',
      Stack.of(scope).account,
      ':distribution/',
      distribution.distributionId,
    ]),
  });
  const destination = new CfnDeliveryDestination(scope, 'LogDestination', {
    name: `${name}-delivery`,
    destinationResourceArn: group.logGroupArn,
    outputFormat: 'json',
  });
  const delivery = new CfnDelivery(scope, 'LogDelivery', {
    deliverySourceName: source.name,
    deliveryDestinationArn: destination.attrArn,
    recordFields: LOG_FIELDS,
  });
  delivery.addResourceDependency(source);
}

const API_ENDPOINTS = Object.values(ENDPOINTS).filter((each) => each.startsWith(API_PATH));

/** Paths of the pages of days, which CloudFront gets from the gateway and caches. */
export const DAY_PAGES = dayPagePath('{chain}', '????-??-??').replace('{chain}', '*');

/** Paths that CloudFront passes to the gateway without a cache. */
export const GATEWAY_PATHS = [
  `${FILES_PATH}/*`,
  ACCOUNT_PATHS.page,
  accountAssetPath('*'),
  ...API_ENDPOINTS.filter((each) => !API_ENDPOINTS.some((other) => isBelow(each, other))).map((each) =>
    API_ENDPOINTS.some((other) => isBelow(other, each)) ? `${each}*` : each,
  ),
  ENDPOINTS.readiness,
];

function isBelow(path: string, other: string): boolean {
  return path.startsWith(`${other}/`);
}

/** Paths of the files by which readers verify releases. */
const TRUST_PATTERNS = [
  `${path.posix.dirname(TRUST_PATHS.keys)}/*`,
  `${path.posix.dirname(TRUST_PATHS.statement)}/*.jws`,
  TRUST_PATHS.releases,
];
