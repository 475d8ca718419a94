import path from 'node:path';
import { CfnOutput, Duration, SecretValue, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
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
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  PriceClass,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
  type BehaviorOptions,
  type IOrigin,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, OriginGroup, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { contentPolicyOf } from '../../../gateway/core/content-policy.js';
import { PUBLIC_PREFIX } from '../../../schemas/paths.js';
import { ORIGIN_HEADER } from '../lambda/variables.js';
import { originSecretName } from '../names.js';
import type { Parameters } from '../parameters.js';
import { logDelivery } from './delivery-log.js';

/** What the gateway answers, past every cache. */
export const GATEWAY_PATHS = [
  '/api/v1/files/*',
  '/api/v1/keys',
  '/api/v1/entitlements',
  '/api/v1/checkout*',
  '/api/v1/stripe/webhook',
];

/** The errors that CloudFront would keep. */
const ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

const YEAR = Duration.days(365);
/** A browser may remember so long that it must come by HTTPS. */
const HSTS = {
  accessControlMaxAge: Duration.days(730),
  includeSubdomains: true,
  preload: false,
  override: true,
};

/** CloudFront: public copies from the bucket, everything else from the gateway. */
export class DeliveryPart extends Construct {
  constructor(scope: Construct, parameters: Parameters) {
    super(scope, 'Delivery');
    const { name, host, certificateArn } = parameters;
    const gateway = this.toGateway(parameters);
    const asked = this.toPublicBehavior(this.toPublicOrigin(parameters, gateway), name);
    const distribution = new Distribution(this, 'Distribution', {
      domainNames: [host],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      priceClass: PriceClass.PRICE_CLASS_ALL,
      comment: `${name}: public copies and the gateway`,
      defaultBehavior: {
        ...asked,
        responseHeadersPolicy: this.headersOf('Pages', name, 'text/html; charset=utf-8'),
      },
      additionalBehaviors: {
        '/charts/*': { ...asked, responseHeadersPolicy: this.headersOf('Charts', name, 'image/svg+xml') },
        ...Object.fromEntries(GATEWAY_PATHS.map((each) => [each, toGatewayBehavior(gateway)])),
      },
      // Without these an error is kept for ten seconds for everybody, also one that is about the key of who asked.
      // While the bucket fails, what has expired is served on all the same.
      errorResponses: ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    acknowledge(distribution);
    logDelivery(this, distribution, name);
    new CfnOutput(this, 'DistributionHost', {
      value: distribution.distributionDomainName,
      description: `Lead ${host} here: CNAME, or ALIAS at the root of a zone`,
    });
  }

  private toGateway(parameters: Parameters): IOrigin {
    const { originSecretVersion: versionId } = parameters;
    const secret = SecretValue.secretsManager(
      originSecretName(parameters),
      versionId === undefined ? {} : { versionId }, // otherwise a new text changes nothing that is deployed
    );
    return new HttpOrigin(parameters.gatewayHost, {
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      originSslProtocols: [OriginSslPolicy.TLS_V1_2],
      readTimeout: Duration.seconds(25),
      customHeaders: { [ORIGIN_HEADER]: secret.unsafeUnwrap() }, // a reference, which CloudFormation resolves
    });
  }

  /** The bucket; what it does not have the gateway answers, which knows why: 404 with a problem. */
  private toPublicOrigin({ buckets: { published }, region }: Parameters, gateway: IOrigin): IOrigin {
    const bucket = Bucket.fromBucketAttributes(this, 'Published', { bucketName: published, region });
    return new OriginGroup({
      primaryOrigin: S3BucketOrigin.withOriginAccessControl(bucket, {
        originPath: `/${PUBLIC_PREFIX.replace(/\/$/, '')}`,
      }),
      fallbackOrigin: gateway,
      fallbackStatusCodes: [403, 404],
    });
  }

  private toPublicBehavior(origin: IOrigin, name: string): BehaviorOptions {
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
      originRequestPolicy: OriginRequestPolicy.CORS_S3_ORIGIN, // or a bucket takes no preflight
      cachePolicy: new CachePolicy(this, 'AsTheCopiesSay', {
        cachePolicyName: `${name}-public`,
        comment: 'The Cache-Control of each copy decides',
        minTtl: Duration.seconds(0),
        defaultTtl: Duration.seconds(60),
        maxTtl: YEAR,
        queryStringBehavior: CacheQueryStringBehavior.none(),
        headerBehavior: CacheHeaderBehavior.none(),
        cookieBehavior: CacheCookieBehavior.none(),
        enableAcceptEncodingBrotli: true,
        enableAcceptEncodingGzip: true,
      }),
      functionAssociations: [{ function: pageAddress, eventType: FunctionEventType.VIEWER_REQUEST }],
    };
  }

  /** What every answer says to browsers, with what they may make of a file of this type. */
  private headersOf(id: string, name: string, mediaType: string): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, `${id}Headers`, {
      responseHeadersPolicyName: `${name}-${id.toLowerCase()}`,
      securityHeadersBehavior: {
        contentSecurityPolicy: { contentSecurityPolicy: contentPolicyOf(mediaType) ?? '', override: true },
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
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

function toGatewayBehavior(origin: IOrigin): BehaviorOptions {
  return {
    origin,
    viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY, // a key never goes in the clear, not even once
    allowedMethods: AllowedMethods.ALLOW_ALL,
    cachePolicy: CachePolicy.CACHING_DISABLED,
    originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    compress: false,
  };
}

function acknowledge(distribution: Distribution): void {
  Validations.of(distribution).acknowledge(
    {
      id: 'Annotation::@aws-cdk/aws-cloudfront-origins:updateImportedBucketPolicyOac',
      reason: 'The policy of the bucket is in the stack of the bucket.',
    },
    { id: 'AwsSolutions-CFR1', reason: 'The data is for readers everywhere.' },
    {
      id: 'AwsSolutions-CFR2',
      reason:
        'The gateway limits by key and address and the API by rate; infra/README.md says when to add a WAF.',
    },
    {
      id: 'AwsSolutions-CFR3',
      reason: 'Logged by a delivery of chosen fields: the log that this rule means has every query in it.',
    },
  );
}
