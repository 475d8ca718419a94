import { HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Parameters } from '../settings/parameters.js';
import { fault, ok, type Finding } from './finding.js';
import { judgeName, type ReadOwned } from './stack-checks.js';

/** Who owns the bucket with a name: nobody (it does not exist), the account of these credentials, or another one. */
type Owner = 'nobody' | 'own' | 'other';

/** Checks the names of the buckets that a stack creates. `member` is the member of the parameters with them. */
export function checkNewBuckets(
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
export async function checkInput(
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
