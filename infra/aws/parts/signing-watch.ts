import { Duration, Validations } from 'aws-cdk-lib';
import { Metric, Stats, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { EventField, Rule, RuleTargetInput, type CfnRule, type EventPattern } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import {
  Choice,
  Condition,
  DefinitionBody,
  JsonPath,
  Map as StateMap,
  Pass,
  Result,
  StateMachine,
  Succeed,
  TaskInput,
  type Chain,
} from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService, SnsPublish } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { roleArn, roleNames, trailArn, trailName } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import { otherUses, signaturesByRole, trailChanges } from './signing-events.js';

/** Options for `SigningWatchPart`. */
export type SigningWatchOptions = {
  readonly parameters: Parameters;
  /** ARNs of the keys. */
  readonly keys: readonly string[];
  /** The daily publish. */
  readonly publish: StateMachine;
  readonly topic: ITopic;
};

/** With plain `ENABLED`, a rule misses calls that only read, and a signature is one. */
const ALL_CALLS = 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS';
/** Number of the newest runs that are searched for the one that signed. CloudTrail reports a call within about 15 minutes. */
const SEARCHED_RUNS = 20;
/** The record of CloudTrail about the call. */
const CALL = JsonPath.objectAt('$.event');
const PERIOD = Duration.minutes(5);
const TIMEOUT = Duration.minutes(5);

/** End of the text before the record of the call. */
const ADVICE = 'What to do: "Signatures outside a run" in infra/aws/README.md.\n\nThe call: ';

/** Names of the rules, without that of the deployment. */
const RULES = { Signatures: 'signatures', KeyUses: 'key-uses', TrailChanges: 'trail-changes' } as const;

/**
 * Sends a mail about each signature outside a run of the publish, about any other use or change of a signing key, and about
 * changes of the trail that reports them.
 */
export class SigningWatchPart extends Construct {
  /** Number of signatures of the publish that were reported. */
  readonly signatures: Metric;
  /** Numbers of mails that could not be sent, and of events that could not be looked at. */
  readonly failures: readonly IMetric[];

  constructor(scope: Construct, { parameters, keys, publish, topic }: SigningWatchOptions) {
    super(scope, 'SigningWatch');
    const { name, signing } = parameters;
    const watched = { keys, role: roleArn(parameters, roleNames(parameters).generator) };
    const trail = { name: trailName(parameters), arn: trailArn(parameters) };
    const machine = this.createMachine(`${name}-signing-watch`, publish, topic);
    const add = (id: keyof typeof RULES, eventPattern: EventPattern, check: boolean, why: string): Rule => {
      const event = EventField.fromPath('$.detail');
      const input = RuleTargetInput.fromObject({ check, why: `${name}: ${why}\n${ADVICE}`, event });
      const rule = new Rule(this, id, {
        ruleName: `${name}-${RULES[id]}`,
        eventPattern,
        targets: [new SfnStateMachine(machine, { input })],
      });
      (rule.node.defaultChild as CfnRule).state = ALL_CALLS;
      return rule;
    };
    const signatures = add(
      'Signatures',
      signaturesByRole(watched),
      true,
      `a release key signed outside a run of ${name}-publish.`,
    );
    const rules = [
      signatures,
      add('KeyUses', otherUses(watched), false, 'a release key was changed, or its use was refused.'),
      ...(signing?.trail === 'create'
        ? [add('TrailChanges', trailChanges(trail), false, 'the trail that reports signatures was changed.')]
        : []),
    ];
    this.signatures = metricOf(signatures, 'Invocations', Duration.days(1));
    this.failures = [
      machine.metricFailed({ period: PERIOD }),
      machine.metricTimedOut({ period: PERIOD }),
      ...rules.map((rule) => metricOf(rule, 'FailedInvocations', PERIOD)),
    ];
  }

  private createMachine(name: string, publish: StateMachine, topic: ITopic): StateMachine {
    const alert = new SnsPublish(this, 'Alert', {
      topic,
      subject: `${name}: look at the signing key`,
      message: TaskInput.fromText(
        JsonPath.format('{}{}', JsonPath.stringAt('$.why'), JsonPath.jsonToString(CALL)),
      ),
    });
    const listRuns = new CallAwsService(this, 'ListRuns', {
      service: 'sfn',
      action: 'listExecutions',
      parameters: { StateMachineArn: publish.stateMachineArn, MaxResults: SEARCHED_RUNS },
      iamAction: 'states:ListExecutions',
      iamResources: [publish.stateMachineArn],
      resultPath: '$.runs',
    });
    listRuns.addCatch(alert, { resultPath: '$.failure' }); // a signature that cannot be checked
    const decide = new Choice(this, 'IsInRun')
      .when(Condition.booleanEquals('$.found.isInRun', true), new Succeed(this, 'Expected'))
      .otherwise(alert);
    const start = new Choice(this, 'IsByPublish')
      .when(Condition.booleanEquals('$.check', true), listRuns.next(createSearch(this)).next(decide))
      .otherwise(alert);
    const machine = new StateMachine(this, 'Machine', {
      stateMachineName: name,
      definitionBody: DefinitionBody.fromChainable(start),
      timeout: TIMEOUT,
    });
    Validations.of(machine).acknowledge(
      {
        id: 'AwsSolutions-SF1',
        reason: 'Step Functions keeps the history of each check for 90 days without a log.',
      },
      { id: 'AwsSolutions-SF2', reason: 'The machine lists runs and sends one mail.' },
    );
    return machine;
  }
}

/**
 * Creates the states that look for a run during which the call was made. Times are compared as texts: all are UTC in the
 * order of ISO 8601, and that of the call has no fraction of a second, so that it sorts after the others of its second.
 */
function createSearch(scope: Construct): Chain {
  const during = new Pass(scope, 'During', { result: Result.fromBoolean(true) });
  const notDuring = new Pass(scope, 'NotDuring', { result: Result.fromBoolean(false) });
  const hasEnded = new Choice(scope, 'HasEnded')
    .when(Condition.isNotPresent('$.run.StopDate'), during)
    .when(Condition.stringGreaterThanEqualsJsonPath('$.run.StopDate', '$.time'), during)
    .otherwise(notDuring);
  const hasStarted = new Choice(scope, 'HasStarted')
    .when(Condition.stringLessThanEqualsJsonPath('$.run.StartDate', '$.time'), hasEnded)
    .otherwise(notDuring);
  const compareAll = new StateMap(scope, 'CompareRuns', {
    itemsPath: '$.runs.Executions',
    itemSelector: { 'run.$': '$$.Map.Item.Value', 'time.$': '$.event.eventTime' },
    resultPath: '$.during',
  });
  const summarize = new Pass(scope, 'Summarize', {
    parameters: { 'isInRun.$': 'States.ArrayContains($.during, true)' },
    resultPath: '$.found',
  });
  return compareAll.itemProcessor(hasStarted).next(summarize);
}

function metricOf({ ruleName }: Rule, metricName: string, period: Duration): Metric {
  return new Metric({
    namespace: 'AWS/Events',
    metricName,
    dimensionsMap: { RuleName: ruleName },
    statistic: Stats.SUM,
    period,
  });
}
