import type { Duration } from 'aws-cdk-lib';
import { Stats, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ENDPOINTS, FILES_PATH } from '../../../schemas/paths.js';

/** Filters for lines of the gateway's log, by the metric that counts them. */
const FILTERS = {
  FilesUnavailable: `{ ($.route = "${FILES_PATH}*") && ($.decision = "store-unavailable") }`,
  WebhookFailures: `{ ($.route = "${ENDPOINTS.webhook}") && ($.status >= 500) }`,
  WebhookRefusals: `{ ($.route = "${ENDPOINTS.webhook}") && ($.decision = "webhook-signature-invalid") }`,
  BillingAlerts: '{ ($.alert = "*") }',
} as const;

/** Creates metrics that count lines of the gateway's log. */
export function createLogMetrics(
  scope: Construct,
  logGroup: ILogGroup,
  { namespace, period }: { readonly namespace: string; readonly period: Duration },
): Readonly<Record<keyof typeof FILTERS, IMetric>> {
  const metrics = Object.entries(FILTERS).map(([name, pattern]) => {
    const filter = new MetricFilter(scope, `${name}Filter`, {
      logGroup,
      filterPattern: FilterPattern.literal(pattern),
      metricNamespace: namespace,
      metricName: name,
      metricValue: '1',
      defaultValue: 0,
    });
    return [name, filter.metric({ period, statistic: Stats.SUM })];
  });
  return Object.fromEntries(metrics) as Record<keyof typeof FILTERS, IMetric>; // one for each filter
}
