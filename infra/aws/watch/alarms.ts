import { Duration } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  MathExpression,
  TreatMissingData,
  type Alarm,
  type IMetric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { EventField } from 'aws-cdk-lib/aws-events';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { SigningKeysPart } from '../permissions/signing-keys.js';
import type { ScheduledRunsPart } from '../runs/scheduled-runs.js';
import type { Parameters } from '../settings/parameters.js';
import { createDashboard } from './dashboard.js';
import { failedTasks } from './failed-tasks.js';
import { createGatewayAlarms } from './gateway-alarms.js';
import type { GatewayPart } from '../parts/gateway.js';
import { OperatorMailsPart } from './operator-mails.js';
import { createRunAlarms } from './run-alarms.js';
import { watchSignatures } from './signing-watch.js';

/** What is watched. `signingKeys` is undefined if releases are not signed. */
type Watched = {
  readonly gateway: GatewayPart;
  readonly runs: ScheduledRunsPart;
  readonly signingKeys: SigningKeysPart | undefined;
};

const PERIOD = Duration.hours(1);

/** All alarms and mails, and a dashboard. */
export class AlarmsPart extends Construct {
  /** Topic of the mails. */
  readonly topic: ITopic;
  /** Raised while the gateway answers with 5xx. */
  readonly gatewayFailing: Alarm;

  constructor(scope: Construct, parameters: Parameters, { gateway, runs, signingKeys }: Watched) {
    super(scope, 'Alarms');
    const { name } = parameters;
    const mails = new OperatorMailsPart(this, parameters);
    this.topic = mails.topic;
    const { counts, ages } = createRunAlarms(this, mails, {
      name,
      runs,
      collects: parameters.collect !== undefined,
      signs: parameters.signing?.use !== undefined,
    });
    const { failing, metrics } = createGatewayAlarms(this, mails, { name, gateway });
    this.gatewayFailing = failing;
    mailFailedTasks(mails, parameters, runs);
    if (signingKeys !== undefined)
      watchSignatures(this, mails, {
        parameters,
        keys: signingKeys,
        schedules: runs.schedules,
        published: counts.PublishEnded,
      });
    alarmOnLostMails(mails);
    createDashboard(this, { name, gateway, counts, ages, failures: metrics });
  }
}

/** Mails each failed run of a task that runs daily or more rarely. The hourly ones have alarms. */
function mailFailedTasks(
  mails: OperatorMailsPart,
  { account, region }: Parameters,
  { rareFamilies, tasks }: ScheduledRunsPart,
): void {
  const definitions = rareFamilies.map(
    (family) => `arn:aws:ecs:${region}:${account}:task-definition/${family}:`,
  );
  mails.addEvents('FailedTasks', {
    name: 'failed-tasks',
    pattern: failedTasks({ clusterArn: tasks.cluster.clusterArn, definitions }),
    message: {
      what: 'A scheduled task failed. Look up its exit code: "Failed runs" in infra/aws/README.md.',
      task: EventField.fromPath('$.detail.taskArn'),
      definition: EventField.fromPath('$.detail.taskDefinitionArn'),
      reason: EventField.fromPath('$.detail.stoppedReason'),
      containers: EventField.fromPath('$.detail.containers'),
    },
  });
}

function alarmOnLostMails(mails: OperatorMailsPart): void {
  mails.addAlarm('MailsFailed', {
    metric: sumOf(mails.failures(PERIOD), 'Events that were not mailed'),
    threshold: 0,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription:
      'The mail about a failed task or the use of a signing key could not be sent. Look at both.',
    mailsRecovery: false,
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
