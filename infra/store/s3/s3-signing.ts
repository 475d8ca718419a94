import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { S3Address } from '../../../schemas/store-address.js';
import { createS3Client } from './s3-client.js';

/** The location of a store's objects and the credentials to sign their URLs with. */
export type S3Signing = {
  readonly location: {
    /** Scheme, host and port. */
    readonly origin: string;
    /** Path of the store, escaped, with a trailing slash. */
    readonly path: string;
    readonly region: string;
  };
  /** Resolves to fresh credentials of the role, or of the AWS default credential provider chain if there is no role. */
  readonly getCredentials: () => Promise<S3Credentials>;
};

export type S3Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
};

/** Name of the role session in the audit logs of AWS. */
const SESSION_NAME = 'chain-reference-data-links';
/** AWS's limit for a role that is assumed by another role. */
const SESSION_SECONDS = 3600;
/** Dummy credentials. The URL is signed only to learn the endpoint and region that the SDK chose. */
const UNUSED = { accessKeyId: 'unused', secretAccessKey: 'unused' };

/**
 * Resolves the region and endpoint of a store once, from the address, the environment and the AWS config files. If `role`
 * is the ARN of a role, the credentials are that role's. @throws Error if no region is set.
 */
export async function resolveS3Signing(address: S3Address, role?: string): Promise<S3Signing> {
  const location = await resolveLocation(address);
  const { config } = createS3Client(address);
  return {
    location,
    getCredentials:
      role === undefined
        ? // By default the SDK reuses credentials until five minutes before they expire, but a signed URL stops working
          // when its credentials expire.
          () => config.credentials({ forceRefresh: true })
        : await assumeRole(role, location.region),
  };
}

/** Reads the location of the store's objects from a URL that the SDK signs, without a request to the store. */
export async function resolveLocation(address: S3Address): Promise<S3Signing['location']> {
  const key = 'key';
  const client = createS3Client(address, { credentials: UNUSED });
  const command = new GetObjectCommand({ Bucket: address.bucket, Key: `${address.prefix}${key}` });
  const { origin, pathname, searchParams } = new URL(await getSignedUrl(client, command));
  const [, , region = ''] = (searchParams.get('X-Amz-Credential') ?? '').split('/');
  return { origin, path: pathname.slice(0, -key.length), region };
}

/** Returns a function that assumes the role each time it is called, with the credentials of the AWS default credential provider chain. */
async function assumeRole(role: string, region: string): Promise<S3Signing['getCredentials']> {
  const { fromTemporaryCredentials } = await import('@aws-sdk/credential-providers');
  return fromTemporaryCredentials({
    params: { RoleArn: role, RoleSessionName: SESSION_NAME, DurationSeconds: SESSION_SECONDS },
    clientConfig: { region },
  });
}
