import { Duration } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  MathExpression,
  Stats,
  TreatMissingData,
  type Alarm,
  type IMetric,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { TWICE_IN_HALF_AN_HOUR } from './alarm-topic.js';
import type { GatewayPart } from '../parts/gateway.js';
import { createCounts, GATEWAY_FILTERS } from './log-metrics.js';
import type { OperatorMailsPart } from './operator-mails.js';

const PERIOD = Duration.minutes(5);
const MAX_FAILED_PERCENT = 1;
/** Minimum number of requests in a period for the share of failures. With fewer, the number of failures counts. */
const MIN_REQUESTS = 100;
/** Number of failures in such a period from which it counts for the alarm. */
const MIN_FAILED_REQUESTS = 5;
/** Events without a valid signature that are tolerated in a period, because anybody can send them. */
const MAX_UNSIGNED_EVENTS = 10;
/** Stripe sends an event again after up to twelve hours. */
const RETRY_HOURS = 12;

/** The alarms of the gateway, and its metrics for the dashboard. */
type GatewayAlarms = { readonly failing: Alarm; readonly metrics: readonly IMetric[] };

export function createGatewayAlarms(
  scope: Construct,
  mails: OperatorMailsPart,
  { name, gateway }: { name: string; gateway: GatewayPart },
): GatewayAlarms {
  const options = { namespace: name, period: PERIOD, filters: GATEWAY_FILTERS };
  const counts = createCounts(scope, gateway.log, options);
  const share = failedPercent(gateway);
  const above = {
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    mailsRecovery: true,
  };
  const failing = mails.addAlarm('Answers5xx', {
    ...above,
    ...TWICE_IN_HALF_AN_HOUR,
    metric: share,
    threshold: MAX_FAILED_PERCENT,
    alarmDescription:
      'More than 1% of the responses of the gateway are errors of the server (5xx). Read its log.',
  });
  mails.addAlarm('FilesUnavailable', {
    ...above,
    ...TWICE_IN_HALF_AN_HOUR,
    metric: counts.FilesUnavailable,
    threshold: 0,
    alarmDescription:
      'The gateway cannot deliver files: the signing credentials or a store are unavailable. Search its log for store-unavailable.',
  });
  mails.addAlarm('WebhookFailures', {
    ...above,
    metric: counts.WebhookFailures.with({ period: Duration.hours(1) }),
    threshold: 0,
    evaluationPeriods: RETRY_HOURS,
    datapointsToAlarm: 1,
    alarmDescription: 'Events from Stripe cannot be processed. See gateway/RUNBOOK.md.',
  });
  mails.addAlarm('WebhookRefusals', {
    ...above,
    ...TWICE_IN_HALF_AN_HOUR,
    metric: counts.WebhookRefusals,
    threshold: MAX_UNSIGNED_EVENTS,
    alarmDescription:
      "Events have a wrong signature. Check that the webhook's secret is the one that Stripe signs with.",
  });
  mails.addAlarm('BillingAlerts', {
    ...above,
    metric: counts.BillingAlerts.with({ period: Duration.hours(1) }),
    threshold: 0,
    evaluationPeriods: 1,
    alarmDescription: 'A payment needs a decision at Stripe. Search the log of the gateway for alert.',
    mailsRecovery: false,
  });
  return { failing, metrics: [share, ...Object.values(counts)] };
}

function failedPercent({ api }: GatewayPart): MathExpression {
  return new MathExpression({
    expression: `IF(all >= ${MIN_REQUESTS}, 100 * failed / all, IF(failed >= ${MIN_FAILED_REQUESTS}, 100, 0))`,
    usingMetrics: {
      failed: api.metricServerError({ period: PERIOD, statistic: Stats.SUM }),
      all: api.metricCount({ period: PERIOD }),
    },
    period: PERIOD,
    label: '5xx responses in percent',
  });
}
