import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  MathExpression,
  Stats,
  TreatMissingData,
  type AlarmProps,
  type IMetric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
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
/** Fewer requests than this in five minutes make no share; of those, so many that fail are too many. */
const LEAST_REQUESTS = 100;
const MOST_FAILED = 5;
/** Anybody may send an event that is not signed. */
const MOST_UNSIGNED = 10;

/** What is watched, and one page that shows it. */
export class WatchPart extends Construct {
  private readonly topic: Topic;
  private readonly name: string;

  constructor(
    scope: Construct,
    { name, account, alarmEmail }: Parameters,
    gateway: GatewayPart,
    generator: GeneratorPart,
  ) {
    super(scope, 'Watch');
    this.name = name;
    this.topic = new Topic(this, 'Alarms', { topicName: `${name}-alarms`, enforceSSL: true });
    this.topic.addSubscription(new EmailSubscription(alarmEmail));
    // The policy that asks for TLS takes the place of the one that lets the account's own alarms in.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'TakeAlarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    );
    const { publish, monitor, reconcile, upkeep } = generator;
    const runs = [publish, monitor, ...(reconcile === undefined ? [] : [reconcile]), ...upkeep];
    this.failed('PublishFailed', [publish], 'The publication was given up: see its report in the log');
    this.failed('ChainStale', [monitor], 'A chain is late, or the store is damaged: run "generator status"');
    this.failed('UpkeepFailed', upkeep, 'The store was not verified, collected or copied: see the log');
    if (reconcile !== undefined)
      this.failed(
        'Drift',
        [reconcile],
        'What is recorded could not be made as Stripe has it, or Stripe or the store do not answer: see its log',
      );
    this.silent(monitor);
    this.lost(runs);
    const share = this.failingShare(gateway);
    const signing = this.fromLog(gateway, 'SigningFailures', SIGNING_FAILED);
    const webhook = this.fromLog(gateway, 'WebhookFailures', WEBHOOK_FAILED);
    const unsigned = this.fromLog(gateway, 'WebhookRefusals', WEBHOOK_REFUSED);
    const asked = this.fromLog(gateway, 'BillingAlerts', BILLING_ALERT);
    this.alarm('Answers5xx', share, FAILING_SHARE, 'More than one answer of a hundred is a 5xx', 2);
    this.alarm(
      'SigningFailures',
      signing,
      0,
      'Files cannot be given out, for want of credentials or of a store: see the log for store-unavailable',
      2,
    );
    this.alarm('WebhookFailures', webhook, 0, "Stripe's events cannot be taken: see infra/gateway.md", 1);
    this.alarm(
      'WebhookRefusals',
      unsigned,
      MOST_UNSIGNED,
      "Events with a wrong signature: is the webhook's secret the one that Stripe signs with?",
      2,
    );
    this.alarm('BillingAlerts', asked, 0, 'A person must look at this at Stripe: see the log for alert', 1);
    this.draw(gateway, runs, [share, signing, webhook, unsigned, asked]);
  }

  private failed(id: string, runs: readonly ScheduledRun[], says: string): void {
    const ends = runs.flatMap(({ machine }) => [
      machine.metricFailed({ period: PERIOD }),
      machine.metricTimedOut({ period: PERIOD }),
      machine.metricAborted({ period: PERIOD }),
    ]);
    const late = { evaluationPeriods: 3, datapointsToAlarm: 1 }; // a point that arrives late was filled before
    this.alarm(id, sumOf(ends, 'Runs that did not end well'), 0, says, late);
  }

  /** Who watches may be gone: then nothing else says so. */
  private silent({ machine }: ScheduledRun): void {
    const alarm = new Alarm(this, 'MonitorSilent', {
      alarmName: `${this.name}-MonitorSilent`,
      alarmDescription: 'No run of the monitor has ended well for three hours: see its schedule and its log',
      metric: machine.metricSucceeded({ period: Duration.hours(1), statistic: Stats.SUM }),
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: 3,
      treatMissingData: TreatMissingData.BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    alarm.addOkAction(new SnsAction(this.topic));
  }

  private lost(runs: readonly ScheduledRun[]): void {
    const letters = runs.map(({ deadLetters }) =>
      deadLetters.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
    );
    const metric = sumOf(letters, 'Dead letters');
    this.alarm('DeadLetters', metric, 0, 'A run was given up: read its dead letter, mend, run it by hand', 1);
  }

  private failingShare({ api }: GatewayPart): MathExpression {
    return new MathExpression({
      expression: `IF(all >= ${LEAST_REQUESTS}, 100 * failed / all, IF(failed >= ${MOST_FAILED}, 100, 0))`,
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

  private alarm(
    id: string,
    metric: IMetric,
    threshold: number,
    says: string,
    periods: number | Pick<AlarmProps, 'evaluationPeriods' | 'datapointsToAlarm'>,
  ): void {
    const alarm = new Alarm(this, id, {
      alarmName: `${this.name}-${id}`,
      alarmDescription: says,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      ...(typeof periods === 'number' ? { evaluationPeriods: periods } : periods),
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
      dashboardName: `${this.name}-${Stack.of(this).region}`, // of the whole account: another region has its own
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

/** The sum of metrics in a period, of which those that say nothing count as none. */
function sumOf(metrics: readonly IMetric[], label: string): MathExpression {
  const names = metrics.map((_, i) => `m${i}`);
  return new MathExpression({
    expression: names.map((each) => `FILL(${each}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(names.map((each, i) => [each, metrics[i] as IMetric])),
    period: PERIOD,
    label,
  });
}

/** A file was asked for by who may have it, and could not be given: credentials, or the store. */
const SIGNING_FAILED = FilterPattern.literal(
  `{ ($.route = "${FILES_PATH}*") && ($.decision = "store-unavailable") }`,
);
const WEBHOOK_FAILED = FilterPattern.literal(`{ ($.route = "${WEBHOOK_PATH}") && ($.status >= 500) }`);
const WEBHOOK_REFUSED = FilterPattern.literal(
  `{ ($.route = "${WEBHOOK_PATH}") && ($.decision = "webhook-signature-invalid") }`,
);
const BILLING_ALERT = FilterPattern.literal('{ ($.alert = "*") }');
