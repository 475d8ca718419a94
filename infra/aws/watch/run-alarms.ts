import { Duration } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  MathExpression,
  Stats,
  TreatMissingData,
  type IMetric,
  type Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { CHAIN_IDS, CHAINS } from '../../../schemas/catalog.js';
import type { ScheduledRunsPart } from '../runs/scheduled-runs.js';
import { COLLECT_FILTERS, createAges, createCounts, TASK_FILTERS, type Ages } from './log-metrics.js';
import type { OperatorMailsPart } from './operator-mails.js';

/** Runs are hourly. */
const PERIOD = Duration.hours(1);
/** Consecutive runs without a success after which a person is needed. A transient failure has ended by then. */
const FAILED_RUNS = 3;
/** A source may be down for hours before its data are due. */
const FAILED_COLLECTS = 6;
/** Age in days from which a release is old. There are new dates every day. */
const OLD_DAYS = 2;
/** Lag in days above which a chain is stale. */
const MAX_LAG_DAYS = 2;
/** Days before the expiry of a key at which publish begins to warn too. */
const MIN_KEYS_DAYS = 21;

type Counts<Filters> = Readonly<Record<keyof Filters, Metric>>;
type RunCounts = Counts<typeof TASK_FILTERS>;

/** What the alarms of the runs are about. `collects` and `signs` say whether runs collect metrics, and sign releases. */
type RunAlarmOptions = {
  readonly name: string;
  readonly runs: ScheduledRunsPart;
  readonly collects: boolean;
  readonly signs: boolean;
};

/** Creates the alarms of the hourly runs and of the release, and returns their metrics for the dashboard. */
export function createRunAlarms(
  scope: Construct,
  mails: OperatorMailsPart,
  { name, runs, collects, signs }: RunAlarmOptions,
): { readonly counts: RunCounts; readonly ages: Ages } {
  const options = { namespace: name, period: PERIOD };
  const { log } = runs.tasks;
  const counts = createCounts(scope, log, { ...options, filters: TASK_FILTERS });
  const ages = createAges(scope, log, options);
  alarmOnFailures(mails, counts);
  alarmOnFindings(mails, counts);
  alarmOnAges(mails, ages);
  if (signs) alarmOnKeys(mails, ages);
  if (collects) alarmOnCollect(mails, createCounts(scope, log, { ...options, filters: COLLECT_FILTERS }));
  mails.addAlarm('ScheduleFailed', {
    ...oneOf(1, runs.schedules.group.metricDropped({ period: PERIOD, statistic: Stats.SUM })),
    alarmDescription:
      'A scheduled task could not be started. Check the role of the schedules and the quotas of Fargate.',
    mailsRecovery: false,
  });
  return { counts, ages };
}

function alarmOnFailures(mails: OperatorMailsPart, counts: RunCounts): void {
  mails.addAlarm('PublishFailing', {
    ...noneIn(FAILED_RUNS, counts.PublishEnded),
    alarmDescription: `No publish has ended well for ${FAILED_RUNS} hours. Read the last lines in the log of the tasks.`,
    mailsRecovery: true,
  });
  mails.addAlarm('MonitorFailing', {
    ...noneIn(FAILED_RUNS, counts.MonitorEnded),
    alarmDescription: `The monitor has not reported for ${FAILED_RUNS} hours. Until it does, no alarm reports an old release, a stale chain or damage.`,
    mailsRecovery: true,
  });
}

function alarmOnFindings(mails: OperatorMailsPart, counts: RunCounts): void {
  mails.addAlarm('PublishRefused', {
    ...oneOf(FAILED_RUNS, counts.PublishRefused),
    alarmDescription:
      'Changed values of published dates wait for a decision. Run "generator status": it has the command.',
    mailsRecovery: true,
  });
  mails.addAlarm('StoreDamaged', {
    metric: counts.StoreDamaged,
    threshold: 0,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    // For seconds after a commit, the public copies are outdated: one finding is no damage.
    evaluationPeriods: 3,
    datapointsToAlarm: 2,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription:
      'The monitor finds damage in the store, outdated public copies, signatures that readers refuse, or a release from the future. Run "generator status".',
    mailsRecovery: true,
  });
}

function alarmOnCollect(mails: OperatorMailsPart, counts: Counts<typeof COLLECT_FILTERS>): void {
  mails.addAlarm('CollectFailing', {
    ...noneIn(FAILED_COLLECTS, counts.CollectEnded),
    alarmDescription: `No collect has ended well for ${FAILED_COLLECTS} hours. Read its last lines: a source is down, or has changed its form.`,
    mailsRecovery: true,
  });
  mails.addAlarm('SourceLateOrRevised', {
    ...oneOf(1, counts.SourceLateOrRevised),
    alarmDescription: 'A source has missed its deadline or revised values. Its last lines say which.',
    mailsRecovery: false,
  });
}

function alarmOnAges(mails: OperatorMailsPart, { release, chains }: Ages): void {
  const above = {
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.IGNORE, // without the monitor nothing is known
    mailsRecovery: true,
  };
  mails.addAlarm('ReleaseOld', {
    ...above,
    metric: release,
    threshold: OLD_DAYS,
    alarmDescription: `Nothing has been published for ${OLD_DAYS} days: no chain has new dates, or publication is on hold or fails.`,
  });
  for (const chain of CHAIN_IDS) {
    mails.addAlarm(`Stale${CHAINS[chain].name}`, {
      ...above,
      // With an old release all chains lag, which is one event.
      metric: new MathExpression({
        expression: `IF(age < ${OLD_DAYS}, lag, 0)`,
        usingMetrics: { age: release, lag: chains[chain] },
        period: PERIOD,
        label: `Lag of ${chain} in days, unless the release is old`,
      }),
      threshold: MAX_LAG_DAYS + 1,
      alarmDescription: `${CHAINS[chain].name} has had no new date for more than ${MAX_LAG_DAYS} days, while other chains are published.`,
    });
  }
}

function alarmOnKeys(mails: OperatorMailsPart, { keysLeft }: Ages): void {
  mails.addAlarm('KeysExpire', {
    metric: keysLeft,
    threshold: MIN_KEYS_DAYS,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.IGNORE, // without the monitor nothing is known
    alarmDescription: `The key set or the release key expires in less than ${MIN_KEYS_DAYS} days, and readers will refuse the site. Renew it with the root key: see infra/aws/README.md.`,
    mailsRecovery: true,
  });
}

/** Settings of an alarm that is raised if a count is 0 in all of `periods`. */
function noneIn(periods: number, metric: IMetric) {
  return {
    metric,
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: periods,
    treatMissingData: TreatMissingData.BREACHING,
  };
}

/** Settings of an alarm that is raised if a count is above 0 in one of `periods`, and that ends after so many without. */
function oneOf(periods: number, metric: IMetric) {
  return {
    metric,
    threshold: 0,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: periods,
    datapointsToAlarm: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  };
}
