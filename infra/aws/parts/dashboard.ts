import { Stack, type Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, Stats, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { ScheduledRun } from '../runs/scheduled-run.js';
import type { GatewayPart } from './gateway.js';

/** Options for `createDashboard`. */
export type DashboardOptions = {
  readonly name: string;
  readonly gateway: GatewayPart;
  readonly runs: readonly ScheduledRun[];
  /** Metrics of the gateway's alarms. */
  readonly failures: readonly IMetric[];
  readonly period: Duration;
};

/** Creates a dashboard with the requests to the gateway and the scheduled runs. */
export function createDashboard(
  scope: Construct,
  { name, gateway: { api, function: code }, runs, failures, period }: DashboardOptions,
): void {
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
        graph(
          'Successful runs',
          runs.map(({ machine }) => machine.metricSucceeded({ period })),
        ),
        graph(
          'Failed runs',
          runs.map(({ machine }) => machine.metricFailed({ period })),
        ),
      ],
    ],
  });
}

function graph(title: string, left: readonly IMetric[]): GraphWidget {
  return new GraphWidget({ title, left: [...left], width: 12 });
}
