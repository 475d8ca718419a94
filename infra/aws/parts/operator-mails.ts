import type { Duration } from 'aws-cdk-lib';
import { Alarm, Metric, Stats, type AlarmProps } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Rule, RuleTargetInput, type CfnRule, type EventPattern } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Parameters } from '../settings/parameters.js';

/** An alarm. With `mailsRecovery`, a second mail says that it has ended. */
export type MailedAlarm = AlarmProps & { readonly mailsRecovery: boolean };

/** Events that are mailed one by one. */
export type MailedEvents = {
  readonly name: string;
  readonly pattern: EventPattern;
  /** What happened and what to do, and parts of the event. */
  readonly message: Readonly<Record<string, string>>;
  /** True to receive calls that only read, which a rule misses otherwise. */
  readonly hasReads?: boolean;
};

/** The mails that the operator gets: about alarms, and about single events. */
export class OperatorMailsPart extends Construct {
  readonly topic: Topic;
  private readonly prefix: string;
  private readonly role: Role;
  private readonly rules: Rule[] = [];

  constructor(scope: Construct, { name, account, alarmEmail }: Parameters) {
    super(scope, 'Mails');
    this.prefix = name;
    this.topic = new Topic(this, 'Topic', { topicName: `${name}-alarms`, enforceSSL: true });
    this.topic.addSubscription(new EmailSubscription(alarmEmail));
    // enforceSSL replaces the default policy, which allows alarms of this account.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AllowAlarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    );
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('events.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    });
  }

  addAlarm(id: string, { mailsRecovery, ...props }: MailedAlarm): Alarm {
    const alarm = new Alarm(this, id, { alarmName: `${this.prefix}-${id}`, ...props });
    alarm.addAlarmAction(new SnsAction(this.topic));
    if (mailsRecovery) alarm.addOkAction(new SnsAction(this.topic));
    return alarm;
  }

  addEvents(id: string, { name, pattern, message, hasReads = false }: MailedEvents): void {
    const rule = new Rule(this, id, {
      ruleName: `${this.prefix}-${name}`,
      eventPattern: pattern,
      targets: [
        new SnsTopic(this.topic, { role: this.role, message: RuleTargetInput.fromObject({ ...message }) }),
      ],
    });
    if (hasReads) (rule.node.defaultChild as CfnRule).state = ALL_CALLS;
    this.rules.push(rule);
  }

  /** Returns the metrics of the events that could not be mailed. */
  failures(period: Duration): Metric[] {
    return this.rules.map((rule) => ruleMetric(rule, 'FailedInvocations', period));
  }
}

/** The state of a rule that also receives calls that only read. */
export const ALL_CALLS = 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS';

/** Returns the sum of a metric of a rule. */
export function ruleMetric({ ruleName }: Rule, metricName: string, period: Duration): Metric {
  return new Metric({
    namespace: 'AWS/Events',
    metricName,
    dimensionsMap: { RuleName: ruleName },
    statistic: Stats.SUM,
    period,
  });
}
