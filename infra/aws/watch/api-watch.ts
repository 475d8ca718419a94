import { Duration } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Parameters } from '../settings/parameters.js';
import { REPLICATION_RULE } from '../parts/accounts-bucket.js';
import { createAlarm, THRICE_IN_HALF_AN_HOUR, TWICE_IN_HALF_AN_HOUR } from './alarm-topic.js';
import { DEFAULT_THROTTLE, type GatewayPart } from '../parts/gateway.js';

const PERIOD = Duration.minutes(5);
/** Refused requests in a period that raise no alarm: anybody can find the address of the API and try it. */
const MAX_REFUSED = 20;
/** Share of the allowed requests that raises the alarm: half, so that a person can act before requests are refused. */
const BUSY_SHARE = 0.5;
/** Time within which AWS promises that an object is replicated. */
const MAX_REPLICATION_SECONDS = 900;

/**
 * The gateway refuses requests without the secret of the origin with 403 and no body. Other 403s describe a problem, except in
 * answers to HEAD.
 */
const REFUSED = '{ ($.status = "403") && ($.bytes = "0") && ($.method != "HEAD") }';

/** Alarms on requests that did not come through CloudFront, on their number, and on the replica of the accounts. */
export class ApiWatchPart extends Construct {
  constructor(scope: Construct, parameters: Parameters, { api, apiLog }: GatewayPart, topic: ITopic) {
    super(scope, 'ApiWatch');
    const { name, throttle = DEFAULT_THROTTLE } = parameters;
    const common = {
      name,
      topic,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    };
    const refused = new MetricFilter(this, 'Refused', {
      logGroup: apiLog,
      filterPattern: FilterPattern.literal(REFUSED),
      metricNamespace: name,
      metricName: 'OriginRefused',
      metricValue: '1',
      defaultValue: 0,
    });
    createAlarm(this, 'OriginRefused', {
      ...common,
      alarmDescription:
        'The gateway refuses requests without the secret of the origin. Either CloudFront sends a wrong one, and the site is down, or somebody bypasses it.',
      metric: refused.metric({ period: PERIOD, statistic: Stats.SUM }),
      threshold: MAX_REFUSED,
      ...TWICE_IN_HALF_AN_HOUR,
    });
    createAlarm(this, 'RequestVolume', {
      ...common,
      alarmDescription:
        'The HTTP API gets half of the requests that its throttle allows. Find out who sends them, or raise the throttle.',
      metric: api.metricCount({ period: PERIOD }),
      threshold: BUSY_SHARE * throttle * PERIOD.toSeconds(),
      ...THRICE_IN_HALF_AN_HOUR,
    });
    if (parameters.backup === undefined) return;
    createAlarm(this, 'AccountsReplicaLate', {
      ...common,
      alarmDescription:
        'Accounts have not been replicated to the other region within 15 minutes, or cannot be. Check the role and the keys of the replication.',
      metric: replicaDelay(parameters, parameters.backup.accounts),
      threshold: MAX_REPLICATION_SECONDS,
      ...THRICE_IN_HALF_AN_HOUR,
    });
  }
}

/** Returns the seconds by which the replica is behind. An object that could not be replicated counts as more than any delay. */
function replicaDelay({ buckets }: Parameters, target: string): MathExpression {
  const metric = (metricName: string, statistic: string): Metric =>
    new Metric({
      namespace: 'AWS/S3',
      metricName,
      dimensionsMap: {
        SourceBucket: buckets.accounts,
        DestinationBucket: target,
        RuleId: REPLICATION_RULE,
      },
      statistic,
      period: PERIOD,
    });
  return new MathExpression({
    expression: `FILL(failed, 0) * ${2 * MAX_REPLICATION_SECONDS} + FILL(seconds, 0)`,
    usingMetrics: {
      failed: metric('OperationsFailedReplication', Stats.SUM),
      seconds: metric('ReplicationLatency', Stats.MAXIMUM),
    },
    period: PERIOD,
    label: 'Delay of the replica',
  });
}
