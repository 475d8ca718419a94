import { DescribeLogGroupsCommand, type CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeSecretCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Finding } from './finding.js';
import { judgeName, type ReadState } from './stack-checks.js';

/** Checks that a secret does not exist before its stack. One that waits for its deletion still has the name. */
export async function checkSecret(
  secrets: SecretsManagerClient,
  name: string,
  readState: ReadState,
): Promise<Finding> {
  const remedy = `Delete it, if nothing reads it: aws secretsmanager delete-secret --secret-id ${name} --force-delete-without-recovery`;
  const exists = await secrets.send(new DescribeSecretCommand({ SecretId: name })).then(
    () => true,
    (error: unknown) => {
      if ((error as Error).name !== 'ResourceNotFoundException') throw error;
      return false;
    },
  );
  return judgeName('secret', { name, exists }, readState, remedy);
}

/** Checks that a log does not exist before its stack. */
export async function checkLog(
  logs: CloudWatchLogsClient,
  name: string,
  readState: ReadState,
): Promise<Finding> {
  const { logGroups = [] } = await logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: name }));
  const exists = logGroups.some(({ logGroupName }) => logGroupName === name);
  const remedy = `Export what you need of it, and delete it: aws logs delete-log-group --log-group-name ${name}`;
  return judgeName('log', { name, exists }, readState, remedy);
}
