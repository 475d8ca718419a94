import { readFile } from 'node:fs/promises';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStackResourcesCommand,
  waitUntilStackCreateComplete,
} from '@aws-sdk/client-cloudformation';

/** Options for `deployStore`. `name` is the name of the bucket of releases and the prefix of the other buckets' names. */
export type DeployOptions = { readonly endpoint: string; readonly name: string; readonly template: string };

const TIMEOUT_SECONDS = 60;

/** Returns the names of the buckets of a deployment. */
export const bucketNames = (name: string) => ({
  published: name,
  accounts: `${name}-accounts`,
  logs: `${name}-logs`,
  input: `${name}-input`,
});

/** Deploys the stack of the buckets with CloudFormation. @throws Error if the deployment fails. */
export async function deployStore({ endpoint, name, template }: DeployOptions): Promise<void> {
  const { published, accounts, logs, input } = bucketNames(name);
  const body = (await readFile(template, 'utf8'))
    .replaceAll('example-crd-published', published)
    .replaceAll('example-crd-accounts', accounts)
    .replaceAll('example-crd-logs', logs)
    .replaceAll('example-metrics', input);
  await deployStack({ endpoint, name, body });
}

/** Options for `deployStack`. The region is by default that of the environment. */
export type DeployStackOptions = {
  readonly endpoint: string;
  readonly region?: string;
  readonly name: string;
  readonly body: string;
};

/**
 * Deploys a stack with CloudFormation. Resolves the physical ids of its resources by their logical ids.
 * @throws Error if the deployment fails.
 */
export async function deployStack({
  name,
  body,
  ...place
}: DeployStackOptions): Promise<ReadonlyMap<string, string>> {
  const client = new CloudFormationClient(place);
  try {
    await client.send(new CreateStackCommand({ StackName: name, TemplateBody: body }));
    await waitUntilStackCreateComplete(
      { client, maxWaitTime: TIMEOUT_SECONDS, minDelay: 1, maxDelay: 1 },
      { StackName: name },
    );
    const { StackResources = [] } = await client.send(new DescribeStackResourcesCommand({ StackName: name }));
    return new Map(
      StackResources.map(({ LogicalResourceId = '', PhysicalResourceId = '' }) => [
        LogicalResourceId,
        PhysicalResourceId,
      ]),
    );
  } finally {
    client.destroy();
  }
}
