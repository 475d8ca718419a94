import { ACMClient } from '@aws-sdk/client-acm';
import { EC2Client } from '@aws-sdk/client-ec2';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import { STSClient } from '@aws-sdk/client-sts';
import { DELIVERY_REGION } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import { checkBootstrap, checkConcurrency, checkCredentials, checkZones } from './account-checks.js';
import { checkBackup, checkInput, checkNewBuckets } from './bucket-checks.js';
import { fault, note, type Finding } from './finding.js';
import { checkCertificate, checkHost, type ResolveAlias } from './host-checks.js';

/** Options of `checkDeployment`. */
export type PreflightOptions = {
  readonly resolveAlias: ResolveAlias;
  /** Endpoint of all services instead of Amazon's. */
  readonly endpoint?: string;
};

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
  const { account, region, backup } = parameters;
  const at = (place: string): object => ({ region: place, endpoint, maxAttempts: 2 });
  const s3At = (place: string): S3Client =>
    new S3Client({ ...at(place), forcePathStyle: endpoint !== undefined });
  const s3 = s3At(region);
  const checks: [subject: string, check: () => Promise<Finding | Finding[]>][] = [
    ['credentials', () => checkCredentials(new STSClient(at(region)), parameters)],
    ...[...new Set([region, DELIVERY_REGION])].map((place): [string, () => Promise<Finding>] => [
      `bootstrap ${place}`,
      () => checkBootstrap(new SSMClient(at(place)), account, place),
    ]),
    [
      'zones',
      () =>
        checkZones(
          new EC2Client(at(region)),
          ['a', 'b'].map((zone) => region + zone),
        ),
    ],
    ['functions', () => checkConcurrency(new LambdaClient(at(region)))],
    ['buckets', () => checkNewBuckets(s3, parameters)],
    ['bucket input', () => checkInput(s3, parameters)],
    ...(backup === undefined
      ? []
      : [
          ['bucket backup', () => checkBackup(s3At(backup.region), backup.bucket)] as [
            string,
            () => Promise<Finding>,
          ],
        ]),
    ['certificate', () => checkCertificate(new ACMClient(at(DELIVERY_REGION)), parameters)],
    ['host', () => checkHost(resolveAlias, parameters)],
  ];
  const found = await Promise.all(checks.map(([subject, check]) => attempt(subject, check)));
  return [...found.flat(), CLOUDFRONT];
}

async function attempt(
  subject: string,
  check: () => Promise<Finding | Finding[]>,
): Promise<Finding | Finding[]> {
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
