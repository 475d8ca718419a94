import { DescribeStacksCommand, type CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { fault, ok, type Finding } from './finding.js';

/** A stack, and whether it was deployed. */
export type StackState = { readonly name: string; readonly isDeployed: boolean };

/** Reads the state of the stack that creates a resource. */
export type ReadState = () => Promise<StackState>;

/** States of a stack without resources. */
const EMPTY = ['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE', 'DELETE_COMPLETE'];

/** Reads whether a stack was deployed. */
export async function readStack(cloudFormation: CloudFormationClient, name: string): Promise<StackState> {
  try {
    const { Stacks: stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName: name }));
    return { name, isDeployed: stacks.some(({ StackStatus: status = '' }) => !EMPTY.includes(status)) };
  } catch (error) {
    if (!/does not exist/.test((error as Error).message)) throw error;
    return { name, isDeployed: false };
  }
}

/**
 * Judges a name that a stack gives to a new resource: the resource must not exist before the stack. Stacks keep their
 * buckets, secrets and logs when they are deleted.
 */
export async function judgeName(
  subject: string,
  resource: { readonly name: string; readonly exists: boolean },
  readState: ReadState,
  remedy: string,
): Promise<Finding> {
  const { name, exists } = resource;
  if (!exists) return ok(subject, `${name} is free`);
  const stack = await readState();
  return stack.isDeployed
    ? ok(subject, `${name} exists, and so does the stack ${stack.name}`)
    : fault(subject, `${name} exists, but not the stack ${stack.name} that would create it`, remedy);
}
