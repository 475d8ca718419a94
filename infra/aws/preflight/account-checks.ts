import { DescribeAvailabilityZonesCommand, type EC2Client } from '@aws-sdk/client-ec2';
import { GetAccountSettingsCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, type STSClient } from '@aws-sdk/client-sts';
import type { Parameters } from '../settings/parameters.js';
import { fault, note, ok, type Finding } from './finding.js';

/** The SSM parameter that `cdk bootstrap` creates in a region. */
const BOOTSTRAP_VERSION = '/cdk-bootstrap/hnb659fds/version';
/** Recommended minimum of the Lambda concurrency limit. In new accounts the limit is 10. */
const CONCURRENT_FUNCTIONS = 100;

/** Checks that the credentials are those of the account. */
export async function checkCredentials(sts: STSClient, { account }: Parameters): Promise<Finding> {
  const { Account: found = '', Arn: arn = '' } = await sts.send(new GetCallerIdentityCommand({}));
  return found === account
    ? ok('credentials', arn)
    : fault(
        'credentials',
        `are of account ${found}, but the parameters name ${account}`,
        'Use credentials of that account, or correct "account" in the parameters.',
      );
}

/** Checks that `cdk bootstrap` has run in a region. */
export async function checkBootstrap(ssm: SSMClient, account: string, region: string): Promise<Finding> {
  const subject = `bootstrap ${region}`;
  try {
    const { Parameter: { Value: version = '' } = {} } = await ssm.send(
      new GetParameterCommand({ Name: BOOTSTRAP_VERSION }),
    );
    return ok(subject, `version ${version}`);
  } catch (error) {
    if ((error as Error).name !== 'ParameterNotFound') throw error;
    return fault(subject, 'is missing', `Run in infra/aws: npx cdk bootstrap aws://${account}/${region}`);
  }
}

/** Checks that the account can use the availability zones of the parameters. */
export async function checkZones(ec2: EC2Client, zones: readonly string[]): Promise<Finding> {
  const { AvailabilityZones: found = [] } = await ec2.send(new DescribeAvailabilityZonesCommand({}));
  const available = found.filter(({ State }) => State === 'available').map(({ ZoneName = '' }) => ZoneName);
  const missing = zones.filter((zone) => !available.includes(zone));
  return missing.length === 0
    ? ok('zones', zones.join(', '))
    : fault(
        'zones',
        `${missing.join(', ')} cannot be used by this account`,
        `Set "zones" in the parameters to two of ${available.join(', ')}.`,
      );
}

/** Checks how many functions may run at a time. */
export async function checkConcurrency(lambda: LambdaClient): Promise<Finding> {
  const { AccountLimit: { ConcurrentExecutions: limit = 0 } = {} } = await lambda.send(
    new GetAccountSettingsCommand({}),
  );
  const text = `${limit} may run at a time`;
  return limit >= CONCURRENT_FUNCTIONS
    ? ok('functions', text)
    : note(
        'functions',
        `${text}: readers get errors when more requests arrive together`,
        'Ask for 1,000 in Service Quotas: AWS Lambda, "Concurrent executions".',
      );
}
