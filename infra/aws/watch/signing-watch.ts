import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { type CfnRule, EventField, type EventPattern, type IRuleTarget, Rule } from 'aws-cdk-lib/aws-events';
import { CfnResourcePolicy, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { SigningKeysPart } from '../permissions/signing-keys.js';
import type { SchedulesPart } from '../runs/schedules.js';
import { logNames, roleArn, roleNames, trailArn, trailName } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import { ALL_CALLS, type OperatorMailsPart, ruleMetric } from './operator-mails.js';

/** Options for `watchSignatures`. */
type SigningWatchOptions = {
  readonly parameters: Parameters;
  readonly keys: SigningKeysPart;
  readonly schedules: SchedulesPart;
  /** Number of runs of publish that ended well. */
  readonly published: Metric;
};

const DAY = Duration.days(1);

/** End of the text before the record of the call. */
const ADVICE = 'What to do: "Signatures outside a run" in infra/aws/README.md.';

/**
 * Sends a mail about each use of a signing key by another role than that of publish, each refused use, each change of a key or
 * of the trail that reports it, and each task that a person starts: it can have the role of publish. Logs the signatures of publish.
 */
export function watchSignatures(
  scope: Construct,
  mails: OperatorMailsPart,
  { parameters, keys, schedules: { role }, published }: SigningWatchOptions,
): void {
  const { name, signing } = parameters;
  const watched = {
    keys: [...keys.arns.values()],
    role: roleArn(parameters, roleNames(parameters).generator),
  };
  const mail = (what: string) => ({
    message: { what: `${name}: ${what} ${ADVICE}`, call: EventField.fromPath('$.detail') },
    hasReads: true,
  });
  mails.addEvents('KeyUses', {
    name: 'key-uses',
    pattern: otherUses(watched),
    ...mail('a release key was changed, used by another role than that of publish, or its use was refused.'),
  });
  mails.addEvents('ManualPublish', {
    name: 'manual-publish',
    pattern: startsByPeople({ cluster: name, definition: `${name}-publish`, scheduler: role.roleArn }),
    ...mail('a task, which can sign, was started by hand.'),
  });
  if (signing?.trail === 'create') {
    mails.addEvents('TrailChanges', {
      name: 'trail-changes',
      pattern: trailChanges({ name: trailName(parameters), arn: trailArn(parameters) }),
      ...mail('the trail that reports signatures was changed.'),
    });
  }
  const signatures = new Rule(scope, 'Signatures', {
    ruleName: `${name}-signatures`,
    eventPattern: signaturesByRole(watched),
    targets: [createLog(scope, parameters)],
  });
  (signatures.node.defaultChild as CfnRule).state = ALL_CALLS;
  if (keys.usedArn === undefined) return;
  mails.addAlarm('SigningSilent', {
    metric: new MathExpression({
      expression: 'IF(FILL(ended, 0) > 0, FILL(signatures, 0), 1)', // another alarm says that publish fails
      usingMetrics: {
        ended: published.with({ period: DAY }),
        signatures: ruleMetric(signatures, 'Invocations', DAY),
      },
      period: DAY,
      label: 'Reported signatures, or 1 if no publish has ended well',
    }),
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: 2,
    treatMissingData: TreatMissingData.BREACHING,
    alarmDescription:
      'Publish has ended well for two days, but no signature was reported. Check the trail: without it, no mail reports a misuse of the key.',
    mailsRecovery: true,
  });
}

/** Creates a log of events, and the permission for EventBridge to write it. */
function createLog(scope: Construct, parameters: Parameters): IRuleTarget {
  const log = new LogGroup(scope, 'SignaturesLog', {
    logGroupName: logNames(parameters).signatures,
    retention: RetentionDays.THIRTEEN_MONTHS,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  new CfnResourcePolicy(scope, 'SignaturesLogPolicy', {
    policyName: `${parameters.name}-signatures`,
    policyDocument: Stack.of(scope).toJsonString({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: ['events.amazonaws.com', 'delivery.logs.amazonaws.com'] },
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: log.logGroupArn,
        },
      ],
    }),
  });
  const arn = Stack.of(scope).formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: log.logGroupName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return { bind: () => ({ arn }) };
}

/** The keys, and the role that may sign with them, by their ARNs. */
type WatchedSigning = { readonly keys: readonly string[]; readonly role: string };

/** Calls that change who can use a key, or whether anybody can. */
const CHANGES = [
  'CancelKeyDeletion',
  'CreateGrant',
  'DisableKey',
  'EnableKey',
  'PutKeyPolicy',
  'ScheduleKeyDeletion',
];
/** Calls after which a trail may no longer report signatures. */
const TRAIL_CHANGES = ['DeleteTrail', 'PutEventSelectors', 'StopLogging', 'UpdateTrail'];

const callsOf = (service: string, detail: Record<string, unknown>): EventPattern => ({
  source: [`aws.${service}`],
  detailType: ['AWS API Call via CloudTrail'],
  detail: { eventSource: [`${service}.amazonaws.com`], ...detail },
});

const issuerIs = (arn: readonly unknown[]) => ({
  userIdentity: { sessionContext: { sessionIssuer: { arn } } },
});

/** Returns the pattern of the signatures by the role. */
function signaturesByRole({ keys, role }: WatchedSigning): EventPattern {
  return callsOf('kms', {
    eventName: ['Sign'],
    errorCode: [{ exists: false }],
    resources: { ARN: keys },
    ...issuerIs([role]),
  });
}

/** Returns the pattern of other uses of the keys: signatures by others, which KMS should refuse, refused ones, and changes. */
function otherUses({ keys, role }: WatchedSigning): EventPattern {
  const ofKeys = { resources: { ARN: keys } };
  const refused = { eventName: ['Sign'], errorCode: [{ exists: true }] };
  return callsOf('kms', {
    $or: [
      { eventName: ['Sign'], ...ofKeys, ...issuerIs([{ 'anything-but': [role] }, { exists: false }]) }, // a user has no session
      { ...refused, ...ofKeys },
      { ...refused, errorMessage: keys.map((key) => ({ wildcard: `*${key}*` })) }, // the event of a denied call may name no resource
      { eventName: CHANGES, ...ofKeys },
    ],
  });
}

/**
 * Returns the pattern of the starts of tasks by another role than that of the schedules: all in the cluster, because a start can
 * replace the role and the command of any task, and those of the task definition elsewhere. A call may name both in several ways.
 */
function startsByPeople(tasks: {
  readonly cluster: string;
  readonly definition: string;
  readonly scheduler: string;
}): EventPattern {
  const starts = { eventName: ['RunTask', 'StartTask'] };
  const byPeople = issuerIs([{ 'anything-but': [tasks.scheduler] }, { exists: false }]);
  return callsOf('ecs', {
    $or: [
      { ...starts, ...byPeople, requestParameters: { cluster: [{ wildcard: `*${tasks.cluster}` }] } },
      {
        ...starts,
        ...byPeople,
        requestParameters: { taskDefinition: [{ wildcard: `*${tasks.definition}*` }] },
      },
    ],
  });
}

/** Returns the pattern of changes of a trail. The request names it by its name or its ARN. */
function trailChanges(trail: { readonly name: string; readonly arn: string }): EventPattern {
  return callsOf('cloudtrail', {
    $or: ['name', 'trailName'].map((member) => ({
      eventName: TRAIL_CHANGES,
      requestParameters: { [member]: [trail.name, trail.arn] },
    })),
  });
}
