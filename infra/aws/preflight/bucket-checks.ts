import { GetBucketVersioningCommand, HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Parameters } from '../settings/parameters.js';
import { fault, note, ok, type Finding } from './finding.js';

/** Whose bucket has a name: nobody's, that of these credentials, or somebody else's. */
type Owner = 'nobody' | 'own' | 'other';

/** Checks that the names of the buckets that `Store` creates are free. */
export function checkNewBuckets(s3: S3Client, { buckets }: Parameters): Promise<Finding[]> {
  return Promise.all(
    Object.entries(buckets).map(async ([part, bucket]): Promise<Finding> => {
      const subject = `bucket ${part}`;
      switch (await ownerOf(s3, bucket)) {
        case 'nobody':
          return ok(subject, `${bucket} is free`);
        case 'own':
          return note(
            subject,
            `${bucket} exists and can be read with these credentials`,
            'This is right if Store is deployed already. Otherwise choose another name: Store creates its buckets.',
          );
        case 'other':
          return fault(
            subject,
            `${bucket} belongs to somebody else, or these credentials may not read it`,
            `Choose another name in "buckets.${part}".`,
          );
      }
    }),
  );
}

/** Checks that the metrics can be read. */
export async function checkInput(s3: S3Client, { input }: Parameters): Promise<Finding> {
  const { bucket } = input;
  return (await ownerOf(s3, bucket)) === 'own'
    ? ok('bucket input', bucket)
    : fault('bucket input', `${bucket} cannot be read`, 'Create it, or correct "input" in the parameters.');
}

/** Checks that the bucket of the backup exists in its region and keeps old versions. */
export async function checkBackup(s3: S3Client, bucket: string): Promise<Finding> {
  const subject = 'bucket backup';
  const create = `Create it in the region of "backup", with versioning: aws s3api put-bucket-versioning --bucket ${bucket} --versioning-configuration Status=Enabled`;
  if ((await ownerOf(s3, bucket)) !== 'own') return fault(subject, `${bucket} cannot be read`, create);
  const { Status: versioning } = await s3.send(new GetBucketVersioningCommand({ Bucket: bucket }));
  return versioning === 'Enabled'
    ? ok(subject, bucket)
    : fault(subject, `${bucket} keeps no versions`, create);
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
