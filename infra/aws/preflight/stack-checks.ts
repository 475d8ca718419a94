import { paginateListStackResources, type CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { fault, ok, type Finding } from './finding.js';

/** Reads the physical ids of the resources that the stacks of the deployment own. */
export type ReadOwned = () => Promise<ReadonlySet<string>>;

/** Reads the physical ids of the resources of stacks. A stack that does not exist has none. */
export async function readOwned(
  cloudFormation: CloudFormationClient,
  stacks: readonly string[],
): Promise<ReadonlySet<string>> {
  const owned = await Promise.all(stacks.map((stack) => readResources(cloudFormation, stack)));
  return new Set(owned.flat());
}

async function readResources(client: CloudFormationClient, stack: string): Promise<string[]> {
  const ids: string[] = [];
  try {
    for await (const { StackResourceSummaries: found = [] } of paginateListStackResources(
      { client },
      { StackName: stack },
    ))
      for (const { PhysicalResourceId: id = '', ResourceStatus: status = '' } of found)
        if (!/^DELETE_(COMPLETE|SKIPPED)$/.test(status)) ids.push(id);
    return ids;
  } catch (error) {
    if (!/does not exist/.test((error as Error).message)) throw error;
    return [];
  }
}

/** A name that a stack gives to a resource, and the physical id of the resource that has it; absent if none has. */
type TakenName = { readonly name: string; readonly id?: string | undefined };

/**
 * Returns a fault if a resource has the name and no stack of the deployment owns it, so that the deployment could not create
 * it. Stacks that were deleted leave their buckets, secrets and logs.
 */
export async function judgeName(
  subject: string,
  { name, id }: TakenName,
  read: ReadOwned,
  remedy: string,
): Promise<Finding> {
  if (id === undefined) return ok(subject, `${name} is free`);
  return (await read()).has(id)
    ? ok(subject, `${name} belongs to the deployment`)
    : fault(subject, `${name} exists, but belongs to no stack of this deployment`, remedy);
}
