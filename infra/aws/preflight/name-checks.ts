import { DescribeLogGroupsCommand, type CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import {
  DescribeSecretCommand,
  type DescribeSecretCommandOutput,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { Finding } from './finding.js';
import { judgeName, type ReadOwned } from './stack-checks.js';

/** Checks that no other secret has the name. One that is scheduled for deletion still has it. */
export async function checkSecret(
  secrets: SecretsManagerClient,
  { name, region }: { readonly name: string; readonly region: string },
  read: ReadOwned,
): Promise<Finding> {
  const found = await describe(secrets, name);
  const of = `--region ${region} --secret-id ${name}`;
  const replicas = (found?.ReplicationStatus ?? []).map(({ Region }) => Region).join(' ');
  const commands = [
    ...(replicas === ''
      ? []
      : [`aws secretsmanager remove-regions-from-replication ${of} --remove-replica-regions ${replicas}`]),
    `aws secretsmanager delete-secret ${of} --force-delete-without-recovery`,
  ];
  const remedy = `Save its value if you need it, then delete it: ${commands.join('; ')}`;
  return judgeName('secret', { name, id: found?.ARN }, read, remedy);
}

async function describe(
  secrets: SecretsManagerClient,
  name: string,
): Promise<DescribeSecretCommandOutput | undefined> {
  try {
    return await secrets.send(new DescribeSecretCommand({ SecretId: name }));
  } catch (error) {
    if ((error as Error).name !== 'ResourceNotFoundException') throw error;
    return undefined;
  }
}

/** Checks that no other log has the name. */
export async function checkLog(
  logs: CloudWatchLogsClient,
  { name, region }: { readonly name: string; readonly region: string },
  read: ReadOwned,
): Promise<Finding> {
  const { logGroups = [] } = await logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: name }));
  const exists = logGroups.some(({ logGroupName }) => logGroupName === name);
  const remedy = `Export what you need of it, then delete it: aws logs delete-log-group --region ${region} --log-group-name ${name}`;
  return judgeName('log', { name, id: exists ? name : undefined }, read, remedy);
}
