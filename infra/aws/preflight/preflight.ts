import { ACMClient } from '@aws-sdk/client-acm';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { EC2Client } from '@aws-sdk/client-ec2';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';
import { STSClient } from '@aws-sdk/client-sts';
import {
  DELIVERY_REGION,
  RAW_DATA_REGION,
  logNames,
  operatorSecrets,
  originSecretName,
  stackName,
} from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import { checkBootstrap, checkConcurrency, checkCredentials, checkZones } from './account-checks.js';
import { checkInput, checkNewBuckets } from './bucket-checks.js';
import { fault, note, ok, type Finding } from './finding.js';
import { checkCertificate, checkHost, type ResolveAlias } from './host-checks.js';
import { checkLog, checkSecret } from './name-checks.js';
import { readOwned, type ReadOwned } from './stack-checks.js';

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
