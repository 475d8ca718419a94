import type { EventPattern } from 'aws-cdk-lib/aws-events';

/** The keys, and the role that may sign with them, by their ARNs. */
type WatchedSigning = { readonly keys: readonly string[]; readonly role: string };

/** Calls that change who can use a key, or whether anybody can. */
const CHANGES = [
  ...['CancelKeyDeletion', 'CreateGrant', 'DisableKey', 'EnableKey', 'PutKeyPolicy', 'ScheduleKeyDeletion'],
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
export function signaturesByRole({ keys, role }: WatchedSigning): EventPattern {
  return callsOf('kms', {
    eventName: ['Sign'],
    errorCode: [{ exists: false }],
    resources: { ARN: keys },
    ...issuerIs([role]),
  });
}

/** Returns the pattern of other uses of the keys: signatures by others, which KMS should refuse, refused ones, and changes. */
export function otherUses({ keys, role }: WatchedSigning): EventPattern {
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
export function startsByPeople(tasks: {
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
export function trailChanges(trail: { readonly name: string; readonly arn: string }): EventPattern {
  return callsOf('cloudtrail', {
    $or: ['name', 'trailName'].map((member) => ({
      eventName: TRAIL_CHANGES,
      requestParameters: { [member]: [trail.name, trail.arn] },
    })),
  });
}
