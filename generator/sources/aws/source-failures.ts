import { isNativeError } from 'node:util/types';
import { StoreError } from '../../../infra/store/object-store.js';
import type { S3Address } from '../../../schemas/store-address.js';
import { classifyS3Error } from '../../../infra/store/s3/s3-errors.js';
import { toS3StoreError } from '../../../infra/store/s3/s3-store-error.js';
import { SourceError } from '../source.js';

const READ_LATER = 'It is read again at the next run.';
const CHECK_ADDRESS =
  'Check bucket, region and endpoint in the policy, and whether the bucket is still public.';

/** Converts a failure of S3 to a SourceError with the key's address and a remedy. Returns any other error unchanged. */
export function toSourceError(error: unknown, source: string, address: S3Address, key: string): unknown {
  if (error instanceof SourceError) return error;
  const failure = classifyS3Error(error);
  const where = `${source}: s3://${address.bucket}/${key}`;
  if (failure === 'precondition' || failure === 'missing') {
    return new SourceError('not-yet', `${where} was replaced while it was read. ${READ_LATER}`, {
      cause: error,
    });
  }
  if (failure === 'denied' || failure === 'wrong-address') {
    const message = isNativeError(error) ? error.message : failure;
    return new SourceError('unavailable', `${where}: ${message.replace(/\.$/, '')}. ${CHECK_ADDRESS}`, {
      cause: error,
    });
  }
  const described = toS3StoreError(error, address, key);
  if (!(described instanceof StoreError)) return error;
  return new SourceError('unavailable', `${source}: ${described.message}`, { cause: error });
}
