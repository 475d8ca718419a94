import { Alarm, type AlarmProps } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic, type ITopic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Parameters } from '../settings/parameters.js';

/** Creates a topic that sends alarms of this account and region to the operators. */
export function createAlarmTopic(
  scope: Construct,
  { account, alarmEmail }: Parameters,
  topicName: string,
): Topic {
  const topic = new Topic(scope, 'Topic', { topicName, enforceSSL: true });
  topic.addSubscription(new EmailSubscription(alarmEmail));
  // enforceSSL replaces the default policy, which allows alarms of this account.
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AllowAlarms',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  );
  return topic;
}

/** An alarm of the deployment with this name. By default, a second mail says that it has ended. */
export type MailedAlarm = AlarmProps & {
  readonly name: string;
  readonly topic: ITopic;
  readonly mailsRecovery?: boolean;
};

/**
 * For periods of five minutes: raised by the second of two bad periods within half an hour, and ended by half an hour with at
 * most one, so that bursts that come again are one alarm.
 */
export const TWICE_IN_HALF_AN_HOUR = { evaluationPeriods: 6, datapointsToAlarm: 2 };
/** For periods of five minutes: raised by 15 bad minutes within half an hour, and ended by half an hour with fewer. */
export const THRICE_IN_HALF_AN_HOUR = { evaluationPeriods: 6, datapointsToAlarm: 3 };

/** Creates an alarm that sends mails. */
export function createAlarm(
  scope: Construct,
  id: string,
  { name, topic, mailsRecovery = true, ...props }: MailedAlarm,
): Alarm {
  const alarm = new Alarm(scope, id, { alarmName: `${name}-${id}`, ...props });
  alarm.addAlarmAction(new SnsAction(topic));
  if (mailsRecovery) alarm.addOkAction(new SnsAction(topic));
  return alarm;
}
