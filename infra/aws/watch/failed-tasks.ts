import type { EventPattern } from 'aws-cdk-lib/aws-events';
import { PROGRAM } from '../runs/tasks.js';

/** The task definitions whose failed tasks are looked for: the beginnings of their ARNs. */
type WatchedTasks = { readonly clusterArn: string; readonly definitions: readonly string[] };

/**
 * Returns the pattern of a task that has failed: its program exited with another code than 0, no container has an exit code,
 * or the task did not start or was stopped. The members of a container must match together.
 */
export function failedTasks({ clusterArn, definitions }: WatchedTasks): EventPattern {
  return {
    source: ['aws.ecs'],
    detailType: ['ECS Task State Change'],
    detail: {
      clusterArn: [clusterArn],
      taskDefinitionArn: definitions.map((prefix) => ({ prefix })),
      lastStatus: ['STOPPED'],
      $or: [
        { containers: { name: [PROGRAM], exitCode: [{ 'anything-but': [0] }] } },
        { containers: { exitCode: [{ exists: false }] } },
        { stopCode: [{ 'anything-but': ['EssentialContainerExited'] }] },
      ],
    },
  };
}
