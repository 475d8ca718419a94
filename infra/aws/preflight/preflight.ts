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
  deliveryLogName,
  operatorSecrets,
  originSecretName,
  signaturesLogName,
  stackName,
} from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import { checkBootstrap, checkConcurrency, checkCredentials, checkZones } from './account-checks.js';
import { checkInput, checkNewBuckets } from './bucket-checks.js';
import { fault, note, ok, type Finding } from './finding.js';
import { checkCertificate, checkHost, type ResolveAlias } from './host-checks.js';
import { checkLog, checkSecret } from './name-checks.js';
import { readStack, type ReadState } from './stack-checks.js';

/** Options of `checkDeployment`. */
export type PreflightOptions = {
  readonly resolveAlias: ResolveAlias;
  /** Endpoint of all services instead of Amazon's. */
  readonly endpoint?: string;
};

type Check = readonly [subject: string, check: () => Promise<Finding | readonly Finding[]>];

const CLOUDFRONT = note(
  'CloudFront',
  'cannot be checked from outside: it creates nothing for accounts that AWS has not verified',
  'If Delivery fails with "Your account must be verified", open a case with AWS Support.',
);

/**
 * Checks what a deployment needs: credentials, bootstrap, zones, quotas, names of buckets, secrets and logs, certificate and DNS. It reads
 * only. A check that cannot be made is a fault with the reason.
 */
export async function checkDeployment(
  parameters: Parameters,
  { resolveAlias, endpoint }: PreflightOptions,
): Promise<Finding[]> {
  const { account, region, backup, buckets, zones } = parameters;
  const { region: backupRegion, ...copies } = backup ?? { region };
  const at = (place: string): object => ({ region: place, endpoint, maxAttempts: 2 });
  const s3At = (place: string): S3Client =>
    new S3Client({ ...at(place), forcePathStyle: endpoint !== undefined });
  const stackIn =
    (place: string, id: string): ReadState =>
    () =>
      readStack(new CloudFormationClient(at(place)), stackName(parameters, id));
  const secrets = [originSecretName(parameters), ...operatorSecrets(parameters).values()];
  const logs = [
    ...(parameters.signing === undefined
      ? []
      : [[region, 'Service', signaturesLogName(parameters)] as const]),
    [DELIVERY_REGION, 'Delivery', deliveryLogName(parameters)] as const,
  ];
  const places = [...new Set([region, DELIVERY_REGION, backupRegion])];
  const checks: readonly Check[] = [
    ['credentials', () => checkCredentials(new STSClient(at(region)), parameters)],
    ...places.map((place): Check => [
      `bootstrap ${place}`,
      () => checkBootstrap(new SSMClient(at(place)), account, place),
    ]),
    ['zones', () => checkZones(new EC2Client(at(region)), zones)],
    ['functions', () => checkConcurrency(new LambdaClient(at(region)))],
    ['buckets', () => checkNewBuckets(s3At(region), 'buckets', buckets, stackIn(region, 'Store'))],
    ['backup', () => checkNewBuckets(s3At(backupRegion), 'backup', copies, stackIn(backupRegion, 'Backup'))],
    ['input', () => checkInput(s3At(region), parameters, stackIn(region, 'Store'))],
    ...secrets.map((name): Check => [
      'secret',
      () => checkSecret(new SecretsManagerClient(at(region)), name, stackIn(region, 'Service')),
    ]),
    ...logs.map(([place, id, name]): Check => [
      'log',
      () => checkLog(new CloudWatchLogsClient(at(place)), name, stackIn(place, id)),
    ]),
    ['certificate', () => checkCertificate(new ACMClient(at(DELIVERY_REGION)), parameters)],
    ['host', () => checkHost(resolveAlias, parameters)],
    ['image', () => Promise.resolve(checkBaseImage(parameters))],
  ];
  const found = await Promise.all(checks.map((each) => attempt(...each)));
  return [...found.flat(), CLOUDFRONT];
}

/** The digest of the example is none of any image. */
function checkBaseImage({ baseImage }: Parameters): Finding {
  return /@sha256:0{64}$/.test(baseImage)
    ? fault(
        'image',
        'baseImage is the one of the example',
        'Set it to what "npm run --silent image-digest -- node:24-slim" prints.',
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
      'Check the network, and that these credentials may read it.',
    );
  }
}
