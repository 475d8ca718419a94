import { ACMClient, DescribeCertificateCommand } from '@aws-sdk/client-acm';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeAvailabilityZonesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import {
  DescribeSecretCommand,
  type DescribeSecretCommandOutput,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import {
  DELIVERY_REGION,
  logNames,
  operatorSecrets,
  originSecretName,
  RAW_DATA_REGION,
  stackName,
} from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import { fault, type Finding, note, ok } from './finding.js';
import { judgeName, readOwned, type ReadOwned } from './stack-checks.js';

/** Options of `checkDeployment`. */
type PreflightOptions = {
  readonly resolveAlias: ResolveAlias;
  /** Endpoint of all services instead of Amazon's. */
  readonly endpoint?: string;
};

type Check = readonly [subject: string, check: () => Promise<Finding | readonly Finding[]>];

const CLOUDFRONT = note(
  'CloudFront',
  'cannot be checked in advance: it creates nothing for accounts that AWS has not verified',
  'If Delivery fails with "Your account must be verified", open a case with AWS Support.',
);

/**
 * Checks what a deployment needs: credentials, bootstrap, zones, quotas, names of buckets, secrets and logs, certificate
 * and DNS. It only reads. A check that cannot run is a fault with the reason.
 */
export async function checkDeployment(
  parameters: Parameters,
  { resolveAlias, endpoint }: PreflightOptions,
): Promise<Finding[]> {
  const { account, region, apiDomain, backfill, backup, buckets, zones } = parameters;
  const { region: backupRegion, ...copies } = backup ?? { region };
  const at = (place: string): object => ({ region: place, endpoint, maxAttempts: 2 });
  const s3At = (place: string): S3Client =>
    new S3Client({ ...at(place), forcePathStyle: endpoint !== undefined });
  const ownedIn =
    (place: string, ...ids: readonly string[]): ReadOwned =>
    () => {
      const stacks = ids.map((id) => stackName(parameters, id));
      return readOwned(new CloudFormationClient(at(place)), stacks);
    };
  const ofTables = backfill === undefined ? [] : [RAW_DATA_REGION];
  const places = [...new Set([region, DELIVERY_REGION, backupRegion, ...ofTables])];
  const checks: readonly Check[] = [
    ['credentials', () => checkCredentials(new STSClient(at(region)), parameters)],
    ...places.map((place): Check => [
      `bootstrap ${place}`,
      () => checkBootstrap(new SSMClient(at(place)), account, place),
    ]),
    ['zones', () => checkZones(new EC2Client(at(region)), zones)],
    ['functions', () => checkConcurrency(new LambdaClient(at(region)))],
    ['buckets', () => checkNewBuckets(s3At(region), 'buckets', buckets, ownedIn(region, 'Store', 'Backup'))],
    ['backup', () => checkNewBuckets(s3At(backupRegion), 'backup', copies, ownedIn(backupRegion, 'Backup'))],
    ['input', () => checkInput(s3At(region), parameters, ownedIn(region, 'Store', 'Backup'))],
    ...namedSecrets(parameters).map((each): Check => [
      'secret',
      () => checkSecret(new SecretsManagerClient(at(each.region)), each, ownedIn(each.region, 'Service')),
    ]),
    ...namedLogs(parameters).map((each): Check => [
      'log',
      () =>
        checkLog(
          new CloudWatchLogsClient(at(each.region)),
          each,
          ownedIn(each.region, 'Service', 'Delivery'),
        ),
    ]),
    ['certificate', () => checkCertificate(new ACMClient(at(DELIVERY_REGION)), parameters)],
    ...(apiDomain === undefined ? [] : [apiDomain]).map((each): Check => {
      const subject = 'certificate of apiDomain';
      return [subject, () => checkCertificate(new ACMClient(at(region)), each, subject)];
    }),
    ['host', () => checkHost(resolveAlias, parameters)],
    ['image', () => Promise.resolve(checkBaseImage(parameters))],
  ];
  const found = await Promise.all(checks.map((each) => attempt(...each)));
  return [...found.flat(), CLOUDFRONT];
}

type Named = { readonly name: string; readonly region: string };

/** Returns the secrets that the deployment creates. */
export function namedSecrets(parameters: Parameters): Named[] {
  const names = [originSecretName(parameters), ...operatorSecrets(parameters).values()];
  return names.map((name) => ({ name, region: parameters.region }));
}

/** Returns the logs that the deployment creates. */
export function namedLogs(parameters: Parameters): Named[] {
  const { region, signing } = parameters;
  const { tasks, gateway, api, signatures, delivery } = logNames(parameters);
  const names = [tasks, gateway, api, ...(signing === undefined ? [] : [signatures])];
  return [...names.map((name) => ({ name, region })), { name: delivery, region: DELIVERY_REGION }];
}

/** Checks that `baseImage` is not the placeholder of the example. */
function checkBaseImage({ baseImage }: Parameters): Finding {
  return /@sha256:0{64}$/.test(baseImage)
    ? fault(
        'image',
        'baseImage is still the placeholder of the example',
        'Set it to node:24-slim@ and the digest that "docker buildx imagetools inspect node:24-slim" prints.',
      )
    : ok('image', baseImage);
}

async function attempt(...[subject, check]: Check): Promise<Finding | readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    const { name, message } = error as Error;
    return fault(
      subject,
      `cannot be checked: ${name}: ${message}`,
      'Check the network connection and the permissions of these credentials.',
    );
  }
}

/** The SSM parameter that `cdk bootstrap` creates in a region. */
const BOOTSTRAP_VERSION = '/cdk-bootstrap/hnb659fds/version';
/** Recommended minimum of the Lambda concurrency limit. In new accounts the limit is 10. */
const CONCURRENT_FUNCTIONS = 100;

/** Checks that the credentials are those of the account. */
async function checkCredentials(sts: STSClient, { account }: Parameters): Promise<Finding> {
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
async function checkBootstrap(ssm: SSMClient, account: string, region: string): Promise<Finding> {
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
async function checkZones(ec2: EC2Client, zones: readonly string[]): Promise<Finding> {
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
async function checkConcurrency(lambda: LambdaClient): Promise<Finding> {
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

/** Who owns the bucket with a name: nobody (it does not exist), the account of these credentials, or another one. */
type Owner = 'nobody' | 'own' | 'other';

/** Checks the names of the buckets that a stack creates. `member` is the member of the parameters with them. */
function checkNewBuckets(
  s3: S3Client,
  member: 'buckets' | 'backup' | 'input',
  buckets: Readonly<Record<string, string>>,
  read: ReadOwned,
): Promise<Finding[]> {
  return Promise.all(
    Object.entries(buckets).map(async ([part, name]): Promise<Finding> => {
      const subject = `${member}.${part}`;
      const owner = await ownerOf(s3, name);
      const remedy = `Choose another name for "${subject}": the deployment creates the bucket.`;
      return owner === 'other'
        ? fault(subject, `${name} belongs to somebody else, or these credentials may not read it`, remedy)
        : judgeName(subject, { name, id: owner === 'own' ? name : undefined }, read, remedy);
    }),
  );
}

/** Checks that the metrics can be read or, if the deployment creates their bucket, its name. */
async function checkInput(
  s3: S3Client,
  { input: { bucket, existing = false } }: Parameters,
  read: ReadOwned,
): Promise<Finding | Finding[]> {
  if (!existing) return checkNewBuckets(s3, 'input', { bucket }, read);
  return (await ownerOf(s3, bucket)) === 'own'
    ? ok('input.bucket', bucket)
    : fault('input.bucket', `${bucket} cannot be read`, 'Create it, or correct "input" in the parameters.');
}

async function ownerOf(s3: S3Client, bucket: string): Promise<Owner> {
  try {
    await s3.send(new HeadBucketCommand({ Bucket: bucket }));
    return 'own';
  } catch (error) {
    const { $metadata: { httpStatusCode: status } = {} } = error as {
      $metadata?: { httpStatusCode?: number };
    };
    if (status === 404) return 'nobody';
    if (status === 403 || status === 301) return 'other'; // 301: in another region
    throw error;
  }
}

/** Returns the names that a host is an alias of. Rejects with the `code` of a DNS error, such as `ENOTFOUND`. */
type ResolveAlias = (host: string) => Promise<readonly string[]>;

/** Checks that the certificate was issued for the host. */
async function checkCertificate(
  acm: ACMClient,
  { certificateArn, host }: Pick<Parameters, 'certificateArn' | 'host'>,
  subject = 'certificate',
): Promise<Finding> {
  const { Certificate: certificate } = await acm.send(
    new DescribeCertificateCommand({ CertificateArn: certificateArn }),
  );
  const { Status: status = 'unknown', SubjectAlternativeNames: names = [] } = certificate ?? {};
  if (!names.some((name) => covers(name, host)))
    return fault(
      subject,
      `is for ${names.join(', ')}, not for ${host}`,
      `Request one for ${host} in ${certificateArn.split(':')[3] ?? ''}, and set "certificateArn" to it.`,
    );
  if (status === 'ISSUED') return ok(subject, `issued for ${names.join(', ')}`);
  return fault(
    subject,
    `has the status ${status}`,
    'Add the CNAME records that the ACM console shows to the DNS of the host, and wait until it is issued.',
  );
}

/** Checks that the host points to CloudFront, which is possible only after `Delivery` was deployed. */
async function checkHost(resolve: ResolveAlias, { host }: Parameters): Promise<Finding> {
  const remedy = `After the deployment of Delivery, point ${host} to its output DistributionHost.`;
  try {
    const aliases = await resolve(host);
    const isOurs = aliases.some((alias) => alias.endsWith('.cloudfront.net'));
    return isOurs
      ? ok('host', `${host} points to ${aliases.join(', ')}`)
      : note('host', `${host} points to ${aliases.join(', ')}, not to CloudFront`, remedy);
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (code !== 'ENOTFOUND' && code !== 'ENODATA') throw error;
    return note('host', `${host} has no CNAME record yet`, remedy);
  }
}

/** Returns whether a certificate with this name is valid for the host: `*.` stands for one part, as in `*.example.com`. */
function covers(name: string, host: string): boolean {
  return name === host || (name.startsWith('*.') && host.slice(host.indexOf('.')) === name.slice(1));
}

/** Checks that no other secret has the name. One that is scheduled for deletion still has it. */
async function checkSecret(
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
async function checkLog(
  logs: CloudWatchLogsClient,
  { name, region }: { readonly name: string; readonly region: string },
  read: ReadOwned,
): Promise<Finding> {
  const { logGroups = [] } = await logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: name }));
  const exists = logGroups.some(({ logGroupName }) => logGroupName === name);
  const remedy = `Export what you need of it, then delete it: aws logs delete-log-group --region ${region} --log-group-name ${name}`;
  return judgeName('log', { name, id: exists ? name : undefined }, read, remedy);
}
