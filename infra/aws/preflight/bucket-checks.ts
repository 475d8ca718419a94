import { HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Parameters } from '../settings/parameters.js';
import { fault, note, ok, type Finding } from './finding.js';

/** Who owns the bucket with a name: nobody (it does not exist), the account of these credentials, or another one. */
type Owner = 'nobody' | 'own' | 'other';

/** Checks that the names of the buckets that a stack creates are free. `member` is the member of the parameters with them. */
export function checkNewBuckets(
  s3: S3Client,
  member: 'buckets' | 'backup' | 'input',
  buckets: Readonly<Record<string, string>>,
): Promise<Finding[]> {
  return Promise.all(
    Object.entries(buckets).map(async ([part, bucket]): Promise<Finding> => {
      const subject = `${member}.${part}`;
      switch (await ownerOf(s3, bucket)) {
        case 'nobody':
          return ok(subject, `${bucket} is free`);
        case 'own':
          return note(
            subject,
            `${bucket} exists and can be read with these credentials`,
            'This is right after the first deployment. Before it, choose another name: the deployment creates the bucket.',
          );
        case 'other':
          return fault(
            subject,
            `${bucket} belongs to somebody else, or these credentials may not read it`,
            `Choose another name for "${subject}".`,
          );
      }
    }),
  );
}

/** Checks that the metrics can be read or, if the deployment creates their bucket, that its name is free. */
export async function checkInput(
  s3: S3Client,
  { input: { bucket, existing = false } }: Parameters,
): Promise<Finding | Finding[]> {
  if (!existing) return checkNewBuckets(s3, 'input', { bucket });
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
