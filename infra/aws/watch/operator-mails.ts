import type { Duration } from 'aws-cdk-lib';
import { Metric, Stats, type Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, RuleTargetInput, type CfnRule, type EventPattern } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Parameters } from '../settings/parameters.js';
import { createAlarm, createAlarmTopic, type MailedAlarm } from './alarm-topic.js';

/** Events that are mailed one by one. */
type MailedEvents = {
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

  constructor(scope: Construct, parameters: Parameters) {
    super(scope, 'Mails');
    const { name, account } = parameters;
    this.prefix = name;
    this.topic = createAlarmTopic(this, parameters, `${name}-alarms`);
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('events.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    });
  }

  addAlarm(id: string, alarm: Omit<MailedAlarm, 'name' | 'topic'>): Alarm {
    return createAlarm(this, id, { name: this.prefix, topic: this.topic, ...alarm });
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
