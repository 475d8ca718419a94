import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStackResourcesCommand,
  waitUntilStackCreateComplete,
} from '@aws-sdk/client-cloudformation';

/** Options for `deployStore`. `name` is the name of the bucket of releases and the prefix of the other buckets' names. */
export type DeployOptions = { readonly endpoint: string; readonly name: string; readonly folder: string };

const TIMEOUT_SECONDS = 60;

/** Returns the names of the buckets of a deployment. */
export const bucketNames = (name: string) => ({
  published: name,
  accounts: `${name}-accounts`,
  logs: `${name}-logs`,
  input: `${name}-input`,
  replica: `${name}-accounts-copy`,
});

/** Region of the backup in the example deployment. */
export const BACKUP_REGION = 'eu-central-1';

/**
 * Deploys the stacks of the buckets and of their backup with CloudFormation, `folder` being the output of the CDK.
 * @throws Error if a deployment fails.
 */
export async function deployStore({ endpoint, name, folder }: DeployOptions): Promise<void> {
  const read = async (stack: string): Promise<string> =>
    (await readFile(path.join(folder, `${stack}.template.json`), 'utf8'))
      .replaceAll('example-crd-published', name)
      .replaceAll('example-crd', name)
      .replaceAll('example-metrics', bucketNames(name).input)
      .replaceAll('alias/crd-', `alias/${name}-`)
      .replaceAll('crd-eu-west-1-', `${name}-`);
  await deployStack({ endpoint, region: BACKUP_REGION, name: `${name}-backup`, body: await read('Backup') });
  await deployStack({ endpoint, name, body: await read('Store') });
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
