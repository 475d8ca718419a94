import { ACMClient } from '@aws-sdk/client-acm';
import { EC2Client } from '@aws-sdk/client-ec2';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import { STSClient } from '@aws-sdk/client-sts';
import { DELIVERY_REGION } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import { checkBootstrap, checkConcurrency, checkCredentials, checkZones } from './account-checks.js';
import { checkInput, checkNewBuckets } from './bucket-checks.js';
import { fault, note, ok, type Finding } from './finding.js';
import { checkCertificate, checkHost, type ResolveAlias } from './host-checks.js';

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
 * Checks what a deployment needs: credentials, bootstrap, zones, quotas, names of buckets, certificate and DNS. It reads
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
  const places = [...new Set([region, DELIVERY_REGION, backupRegion])];
  const checks: readonly Check[] = [
    ['credentials', () => checkCredentials(new STSClient(at(region)), parameters)],
    ...places.map((place): Check => [
      `bootstrap ${place}`,
      () => checkBootstrap(new SSMClient(at(place)), account, place),
    ]),
    ['zones', () => checkZones(new EC2Client(at(region)), zones)],
    ['functions', () => checkConcurrency(new LambdaClient(at(region)))],
    ['buckets', () => checkNewBuckets(s3At(region), 'buckets', buckets)],
    ['backup', () => checkNewBuckets(s3At(backupRegion), 'backup', copies)],
    ['input', () => checkInput(s3At(region), parameters)],
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
