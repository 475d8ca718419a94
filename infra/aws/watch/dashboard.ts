import { Duration, Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, Stats, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { GatewayPart } from '../parts/gateway.js';
import type { Ages } from './log-metrics.js';

const PERIOD = Duration.minutes(5);

/** Options for `createDashboard`. */
type DashboardOptions = {
  readonly name: string;
  readonly gateway: GatewayPart;
  /** Counts of the ends of runs. */
  readonly counts: Readonly<Record<string, IMetric>>;
  readonly ages: Ages;
  /** Metrics of the gateway's alarms. */
  readonly failures: readonly IMetric[];
};

/** Creates a dashboard with the requests to the gateway, the scheduled runs, and the age of what is published. */
export function createDashboard(
  scope: Construct,
  { name, gateway: { api, function: code }, counts, ages, failures }: DashboardOptions,
): void {
  const period = PERIOD;
  new Dashboard(scope, 'Dashboard', {
    dashboardName: `${name}-${Stack.of(scope).region}`, // names are unique in the whole account, not in a region
    widgets: [
      [
        graph('Requests in five minutes', [api.metricCount({ period }), api.metricClientError({ period })]),
        graph('Latency in ms', [
          api.metricLatency({ period, statistic: 'p50' }),
          api.metricLatency({ period, statistic: 'p99' }),
        ]),
      ],
      [
        graph('Failures', failures),
        graph('Concurrent executions', [
          code.metric('ConcurrentExecutions', { period, statistic: Stats.MAXIMUM }),
          code.metricThrottles({ period }),
        ]),
      ],
      [
        graph('Ages in days', [ages.release, ...Object.values(ages.chains)]),
        graph('Ends of hourly runs', Object.values(counts)),
      ],
    ],
  });
}

function graph(title: string, left: readonly IMetric[]): GraphWidget {
  return new GraphWidget({ title, left: [...left], width: 12 });
}
