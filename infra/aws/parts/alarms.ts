import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  MathExpression,
  Stats,
  TreatMissingData,
  type AlarmProps,
  type IMetric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { ScheduledRun } from '../runs/scheduled-run.js';
import type { ScheduledRunsPart } from '../runs/scheduled-runs.js';
import type { SigningKeysPart } from '../permissions/signing-keys.js';
import type { Parameters } from '../settings/parameters.js';
import { createAlarmTopic } from './alarm-topic.js';
import { createDashboard } from './dashboard.js';
import type { GatewayPart } from './gateway.js';
import { createLogMetrics } from './log-metrics.js';
import { SigningWatchPart } from './signing-watch.js';

const PERIOD = Duration.minutes(5);
const MAX_FAILED_PERCENT = 1;
/** Minimum number of requests in a period for the share of failures. With fewer, the number of failures counts. */
const MIN_REQUESTS = 100;
/** Number of failures in such a period from which it counts for the alarm. */
const MIN_FAILED_REQUESTS = 5;
/** Events without a valid signature that are tolerated in a period, because anybody can send them. */
const MAX_UNSIGNED_EVENTS = 10;

type Evaluation = Pick<AlarmProps, 'evaluationPeriods' | 'datapointsToAlarm'>;

/** All alarms, the topic that sends them, and a dashboard. */
export class AlarmsPart extends Construct {
  readonly topic: ITopic;
  private readonly name: string;

  constructor(scope: Construct, parameters: Parameters, gateway: GatewayPart, runs: ScheduledRunsPart) {
    super(scope, 'Alarms');
    const { name } = parameters;
    this.name = name;
    this.topic = createAlarmTopic(this, parameters, `${name}-alarms`);
    const { publish, monitor, reconcile, maintenance } = runs;
    const allRuns = [publish, monitor, ...(reconcile === undefined ? [] : [reconcile]), ...maintenance];
    this.alarmOnRuns(runs);
    this.alarmOnSilence(monitor);
    this.alarmOnDeadLetters(allRuns);
    const failures = this.alarmOnGateway(gateway);
    createDashboard(this, { name, gateway, runs: allRuns, failures, period: PERIOD });
  }

  /** Watches the signing keys, and alarms if the watch itself fails or sees no signature. */
  watchSigning(
    parameters: Parameters,
    { arns, usedArn }: SigningKeysPart,
    { publish }: ScheduledRunsPart,
  ): void {
    const { signatures, failures } = new SigningWatchPart(this, {
      parameters,
      keys: [...arns.values()],
      publish: publish.machine,
      topic: this.topic,
    });
    this.alarm('SigningWatchFailed', {
      metric: sumOf(failures, 'Failed checks of signatures'),
      threshold: 0,
      description:
        'A use of the signing key could not be checked or reported. Read the history of the state machine.',
    });
    if (usedArn === undefined) return;
    this.create('SigningSilent', {
      alarmDescription:
        'No signature has been reported for two days. Readers refuse an older timestamp. Check the publish and the trail.',
      metric: signatures,
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: 2,
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  private alarmOnRuns({ publish, monitor, reconcile, maintenance }: ScheduledRunsPart): void {
    this.alarmOnFailure('PublishFailed', [publish], 'The daily publish failed. Read its report in the log.');
    this.alarmOnFailure(
      'ChainStale',
      [monitor],
      'A chain is late or the store is damaged. Run "generator status".',
    );
    this.alarmOnFailure(
      'UpkeepFailed',
      maintenance,
      'The verification, garbage collection or copy of the store failed. Read its log.',
    );
    if (reconcile === undefined) return;
    this.alarmOnFailure(
      'Drift',
      [reconcile],
      'The reconciliation with Stripe failed, or found drift that it cannot repair. Read its log.',
    );
  }

  private alarmOnFailure(id: string, runs: readonly ScheduledRun[], description: string): void {
    const failed = runs.flatMap(({ machine }) => [
      machine.metricFailed({ period: PERIOD }),
      machine.metricTimedOut({ period: PERIOD }),
      machine.metricAborted({ period: PERIOD }),
    ]);
    // Data points of finished runs can arrive late, when their period has already been evaluated without them.
    const evaluation = { evaluationPeriods: 3, datapointsToAlarm: 1 };
    this.alarm(id, { metric: sumOf(failed, 'Failed runs'), threshold: 0, description, evaluation });
  }

  /**
   * Alarms if the monitor has not succeeded for three hours. If it does not run at all, no other alarm reports a late
   * chain; if it runs and fails that long, `ChainStale` alarms too.
   */
  private alarmOnSilence({ machine }: ScheduledRun): void {
    this.create('MonitorSilent', {
      alarmDescription: 'The monitor has not succeeded for three hours. Check its schedule and its log.',
      metric: machine.metricSucceeded({ period: Duration.hours(1), statistic: Stats.SUM }),
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: 3,
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  private alarmOnDeadLetters(runs: readonly ScheduledRun[]): void {
    const messages = runs.map(({ deadLetters }) =>
      deadLetters.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
    );
    this.alarm('DeadLetters', {
      metric: sumOf(messages, 'Dead letters'),
      threshold: 0,
      description: 'A run failed. Read its dead letter, fix the cause and start the run manually.',
    });
  }

  /** Returns the metrics of the alarms, for the dashboard. */
  private alarmOnGateway(gateway: GatewayPart): IMetric[] {
    const metrics = createLogMetrics(this, gateway.log, { namespace: this.name, period: PERIOD });
    const failedShare = failedPercent(gateway);
    const twice = { evaluationPeriods: 2 };
    this.alarm('Answers5xx', {
      metric: failedShare,
      threshold: MAX_FAILED_PERCENT,
      description: 'More than 1% of the responses are 5xx. Read the log of the gateway.',
      evaluation: twice,
    });
    this.alarm('FilesUnavailable', {
      metric: metrics.FilesUnavailable,
      threshold: 0,
      description:
        'The gateway cannot deliver files: the signing credentials or a store are unavailable. Search its log for store-unavailable.',
      evaluation: twice,
    });
    this.alarm('WebhookFailures', {
      metric: metrics.WebhookFailures,
      threshold: 0,
      description: 'Events from Stripe cannot be processed. See gateway/RUNBOOK.md.',
    });
    this.alarm('WebhookRefusals', {
      metric: metrics.WebhookRefusals,
      threshold: MAX_UNSIGNED_EVENTS,
      description:
        "Events have a wrong signature. Check that the webhook's secret is the one that Stripe signs with.",
      evaluation: twice,
    });
    this.alarm('BillingAlerts', {
      metric: metrics.BillingAlerts,
      threshold: 0,
      description: 'A payment needs a decision at Stripe. Search the log of the gateway for alert.',
    });
    return [failedShare, ...Object.values(metrics)];
  }

  private alarm(
    id: string,
    {
      metric,
      threshold,
      description,
      evaluation = { evaluationPeriods: 1 },
    }: { metric: IMetric; threshold: number; description: string; evaluation?: Evaluation },
  ): void {
    this.create(id, {
      alarmDescription: description,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      ...evaluation,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  private create(id: string, props: AlarmProps): void {
    const alarm = new Alarm(this, id, { alarmName: `${this.name}-${id}`, ...props });
    alarm.addAlarmAction(new SnsAction(this.topic));
    alarm.addOkAction(new SnsAction(this.topic));
  }
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

/** Adds up metrics. A metric without a data point in a period counts as 0. */
function sumOf(metrics: readonly IMetric[], label: string): MathExpression {
  const names = metrics.map((_, i) => `m${i}`);
  return new MathExpression({
    expression: names.map((each) => `FILL(${each}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(names.map((each, i) => [each, metrics[i] as IMetric])),
    period: PERIOD,
    label,
  });
}
