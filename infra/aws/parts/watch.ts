import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  MathExpression,
  Stats,
  TreatMissingData,
  type IMetric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { FilterPattern, MetricFilter, type IFilterPattern } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { WEBHOOK_PATH } from '../../../gateway/core/billing/judge-webhooks.js';
import { FILES_PATH } from '../../../schemas/paths.js';
import type { Parameters } from '../parameters.js';
import type { GatewayPart } from './gateway.js';
import type { GeneratorPart } from './generator.js';
import type { ScheduledRun } from './scheduled-run.js';

const PERIOD = Duration.minutes(5);
/** Of a hundred answers. */
const FAILING_SHARE = 1;
/** Fewer requests than this in five minutes make no share. */
const LEAST_REQUESTS = 100;

/** What is watched, and one page that shows it. */
export class WatchPart extends Construct {
  private readonly topic: Topic;
  private readonly name: string;

  constructor(
    scope: Construct,
    { name, alarmEmail }: Parameters,
    gateway: GatewayPart,
    generator: GeneratorPart,
  ) {
    super(scope, 'Watch');
    this.name = name;
    this.topic = new Topic(this, 'Alarms', { topicName: `${name}-alarms`, enforceSSL: true });
    this.topic.addSubscription(new EmailSubscription(alarmEmail));
    const { publish, monitor, reconcile } = generator;
    const runs = [publish, monitor, ...(reconcile === undefined ? [] : [reconcile])];
    this.failed(
      'PublishFailed',
      publish,
      'The publication failed, also when tried again: see its report in the log',
    );
    this.failed('ChainStale', monitor, 'A chain is late, or the store is damaged: run "generator status"');
    if (reconcile !== undefined)
      this.failed('Drift', reconcile, 'What is recorded differs from Stripe: run "gateway reconcile"');
    this.lost(runs);
    const share = this.failingShare(gateway);
    const signing = this.fromLog(gateway, 'SigningFailures', SIGNING_FAILED);
    const webhook = this.fromLog(gateway, 'WebhookFailures', WEBHOOK_FAILED);
    this.alarm('Answers5xx', share, FAILING_SHARE, 'More than one answer of a hundred is a 5xx', 2);
    this.alarm(
      'SigningFailures',
      signing,
      0,
      'Files cannot be given out: see the log for store-unavailable',
      2,
    );
    this.alarm(
      'WebhookFailures',
      webhook,
      0,
      "Stripe's events are refused or cannot be taken: see the runbook",
      2,
    );
    this.draw(gateway, runs, [share, signing, webhook]);
  }

  private failed(id: string, { machine }: ScheduledRun, says: string): void {
    this.alarm(id, machine.metricFailed({ period: PERIOD }), 0, says, 1);
  }

  private lost(runs: readonly ScheduledRun[]): void {
    const letters = runs.map(({ deadLetters }) =>
      deadLetters.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
    );
    const names = letters.map((_, i) => `q${i}`);
    const metric = new MathExpression({
      expression: names.join(' + '),
      usingMetrics: Object.fromEntries(names.map((each, i) => [each, letters[i] as IMetric])),
      period: PERIOD,
      label: 'Dead letters',
    });
    this.alarm('DeadLetters', metric, 0, 'A run was given up: read its dead letter, mend, run it by hand', 1);
  }

  private failingShare({ api }: GatewayPart): MathExpression {
    return new MathExpression({
      expression: `IF(all >= ${LEAST_REQUESTS}, 100 * failed / all, 0)`,
      usingMetrics: {
        failed: api.metricServerError({ period: PERIOD, statistic: Stats.SUM }),
        all: api.metricCount({ period: PERIOD }),
      },
      period: PERIOD,
      label: '5xx of a hundred answers',
    });
  }

  private fromLog({ log }: GatewayPart, metricName: string, filterPattern: IFilterPattern): IMetric {
    const metricNamespace = this.name;
    const filter = new MetricFilter(this, `${metricName}Filter`, {
      logGroup: log,
      filterPattern,
      metricNamespace,
      metricName,
      metricValue: '1',
      defaultValue: 0,
    });
    return filter.metric({ period: PERIOD, statistic: Stats.SUM });
  }

  private alarm(id: string, metric: IMetric, threshold: number, says: string, periods: number): void {
    const alarm = new Alarm(this, id, {
      alarmName: `${this.name}-${id}`,
      alarmDescription: says,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    alarm.addOkAction(new SnsAction(this.topic));
  }

  private draw(
    { api, function: code }: GatewayPart,
    runs: readonly ScheduledRun[],
    failures: IMetric[],
  ): void {
    const period = PERIOD;
    const graph = (title: string, left: IMetric[]): GraphWidget =>
      new GraphWidget({ title, left, width: 12 });
    new Dashboard(this, 'Dashboard', {
      dashboardName: this.name,
      widgets: [
        [
          graph('Requests in five minutes', [api.metricCount({ period }), api.metricClientError({ period })]),
          graph('Latency in ms', [
            api.metricLatency({ period, statistic: 'p50' }),
            api.metricLatency({ period, statistic: 'p99' }),
          ]),
        ],
        [
          graph('What fails', failures),
          graph('Functions at once', [
            code.metric('ConcurrentExecutions', { period, statistic: Stats.MAXIMUM }),
            code.metricThrottles({ period }),
          ]),
        ],
        [
          graph(
            'Runs that succeeded',
            runs.map(({ machine }) => machine.metricSucceeded({ period })),
          ),
          graph(
            'Runs that failed',
            runs.map(({ machine }) => machine.metricFailed({ period })),
          ),
        ],
      ],
    });
  }
}

/** A file was asked for by who may have it, and could not be given: credentials, or the store. */
const SIGNING_FAILED = FilterPattern.literal(
  `{ ($.route = "${FILES_PATH}*") && ($.decision = "store-unavailable") }`,
);
const WEBHOOK_FAILED = FilterPattern.literal(`{ ($.route = "${WEBHOOK_PATH}") && ($.status >= 400) }`);
