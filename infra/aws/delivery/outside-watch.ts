import { Duration } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import {
  ComparisonOperator,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { HealthCheck, HealthCheckType } from 'aws-cdk-lib/aws-route53';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { ENDPOINTS } from '../../../schemas/paths.js';
import type { Parameters } from '../settings/parameters.js';
import {
  createAlarm,
  createAlarmTopic,
  THRICE_IN_HALF_AN_HOUR,
  TWICE_IN_HALF_AN_HOUR,
} from '../watch/alarm-topic.js';

const PERIOD = Duration.minutes(5);
/** The least number of regions that Route 53 checks from: each causes 0.2 million requests a month. */
const CHECKED_FROM = ['us-east-1', 'eu-west-1', 'ap-southeast-1'];
const MAX_FAILED_PERCENT = 1;
/** As for the alarm of the gateway: with fewer requests in a period, the number of failures counts. */
const MIN_REQUESTS = 100;
const MIN_FAILED_REQUESTS = 5;
/** Requests in a period that CloudFront serves before somebody should look: 333 a second, or $52 a day with the firewall. */
const MANY_REQUESTS = 100_000;
const DEFAULT_BUDGET_USD = 100;
/** ACM renews a certificate 60 days before it expires. */
const MIN_CERTIFICATE_DAYS = 30;

/** Watches the site as readers see it, from outside (DNS, CloudFront and the gateway), its certificate, and what it costs. */
export class OutsideWatchPart extends Construct {
  private readonly alarm: { readonly name: string; readonly topic: ITopic };

  constructor(scope: Construct, parameters: Parameters, distribution: Distribution) {
    super(scope, 'OutsideWatch');
    const { name, host } = parameters;
    this.alarm = { name, topic: createAlarmTopic(this, parameters, `${name}-outside-alarms`) };
    this.watchSite(host);
    this.watchCertificate(parameters);
    this.watchDelivery(distribution);
    this.createBudget(parameters);
  }

  private watchSite(host: string): void {
    const check = new HealthCheck(this, 'HealthCheck', {
      type: HealthCheckType.HTTPS,
      fqdn: host,
      port: 443,
      resourcePath: ENDPOINTS.readiness,
      requestInterval: Duration.seconds(30),
      failureThreshold: 3,
      enableSNI: true,
      regions: CHECKED_FROM,
    });
    createAlarm(this, 'SiteDown', {
      ...this.alarm,
      alarmDescription: `https://${host}${ENDPOINTS.readiness} does not answer from outside. Check DNS, CloudFront and the gateway.`,
      metric: new Metric({
        namespace: 'AWS/Route53',
        metricName: 'HealthCheckStatus',
        dimensionsMap: { HealthCheckId: check.healthCheckId },
        statistic: Stats.MINIMUM,
        period: Duration.minutes(1),
      }),
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      // In minutes: raised by three bad ones within half an hour, so that a site that comes and goes is one alarm.
      evaluationPeriods: 30,
      datapointsToAlarm: 3,
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  /** The health check does not look at the certificate, which ACM renews only while its DNS records exist. */
  private watchCertificate({ certificateArn }: Parameters): void {
    createAlarm(this, 'CertificateExpires', {
      ...this.alarm,
      alarmDescription:
        'The certificate of the site expires within a month. ACM could not renew it: check its CNAME records.',
      metric: Certificate.fromCertificateArn(this, 'Certificate', certificateArn).metricDaysToExpiry(),
      threshold: MIN_CERTIFICATE_DAYS,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.IGNORE,
    });
  }

  private watchDelivery({ distributionId }: Distribution): void {
    const above = {
      ...this.alarm,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    };
    const metric = (metricName: string, statistic: string): Metric =>
      new Metric({
        namespace: 'AWS/CloudFront',
        metricName,
        dimensionsMap: { DistributionId: distributionId, Region: 'Global' },
        statistic,
        period: PERIOD,
      });
    const requests = metric('Requests', Stats.SUM);
    createAlarm(this, 'Delivery5xx', {
      ...above,
      alarmDescription:
        'More than 1% of the responses of CloudFront are errors of the server (5xx). If the alarm Answers5xx is not raised, the gateway is well, and the fault is between them.',
      metric: new MathExpression({
        expression: `IF(all >= ${MIN_REQUESTS}, percent, IF(percent * all / 100 >= ${MIN_FAILED_REQUESTS}, 100, 0))`,
        usingMetrics: { percent: metric('5xxErrorRate', Stats.AVERAGE), all: requests },
        period: PERIOD,
        label: '5xx responses in percent',
      }),
      threshold: MAX_FAILED_PERCENT,
      ...TWICE_IN_HALF_AN_HOUR,
    });
    createAlarm(this, 'DeliveryVolume', {
      ...above,
      alarmDescription:
        'CloudFront serves unusually many requests. Find out who sends them: they cost money.',
      metric: requests,
      threshold: MANY_REQUESTS,
      ...THRICE_IN_HALF_AN_HOUR,
    });
  }

  private createBudget({ name, alarmEmail, budgetUsd = DEFAULT_BUDGET_USD }: Parameters): void {
    const subscribers = [{ subscriptionType: 'EMAIL', address: alarmEmail }];
    const notify = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
      notification: {
        notificationType,
        comparisonOperator: 'GREATER_THAN',
        threshold,
        thresholdType: 'PERCENTAGE',
      },
      subscribers,
    });
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetName: `${name}-monthly`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: budgetUsd, unit: 'USD' },
      },
      notificationsWithSubscribers: [notify('ACTUAL', 80), notify('FORECASTED', 100)],
    });
  }
}
