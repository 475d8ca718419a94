import { GetObjectCommand } from '@aws-sdk/client-s3';
import { fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import { getEndpointFromInstructions } from '@smithy/core/endpoints';
import type { S3Address } from './s3-address.js';
import { createS3Client } from './s3-client.js';

/** Where a store's URLs lie and what they are signed with, as the SDK has it. */
export type S3Signing = {
  readonly place: {
    /** Scheme, host and port. */
    readonly origin: string;
    /** Path of the store, escaped, with a slash at its end. */
    readonly path: string;
    readonly region: string;
  };
  /** Credentials of the role, or else of the standard chain; newer ones when they end soon. */
  readonly provide: () => Promise<S3Credentials>;
};

/** What is signed with. */
export type S3Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
};

/** How an audit log names who assumed the role. */
const SESSION_NAME = 'chain-reference-data-links';
/** As long as a role may be assumed by who has assumed one already. */
const SESSION_SECONDS = 3600;

/**
 * Resolves region and endpoint of a store once, as the SDK does for each request: by the address, the environment and
 * the shared files. With `role`, its ARN, the credentials are that role's. @throws Error without a region.
 */
export async function resolveS3Signing(at: S3Address, role?: string): Promise<S3Signing> {
  const { config } = createS3Client(at);
  const request = { Bucket: at.bucket, Key: 'key' };
  const { url, properties } = await getEndpointFromInstructions(request, GetObjectCommand, config);
  const [scheme] = (properties?.['authSchemes'] ?? []) as { signingRegion?: string }[]; // as the SDK's rules have it
  const region = scheme?.signingRegion ?? (await config.region());
  const prefix = at.prefix.replaceAll('=', '%3D'); // of its characters, this alone needs an escape
  return {
    place: { origin: url.origin, path: `${url.pathname.replace(/\/$/, '')}/${prefix}`, region },
    provide:
      role === undefined
        ? // The chain keeps credentials until five minutes before their end; whoever asks here wants newer ones.
          () => config.credentials({ forceRefresh: true })
        : assume(role, region),
  };
}

/** Assumes a role each time it is called, with the credentials of the standard chain. */
function assume(role: string, region: string): S3Signing['provide'] {
  return fromTemporaryCredentials({
    params: { RoleArn: role, RoleSessionName: SESSION_NAME, DurationSeconds: SESSION_SECONDS },
    clientConfig: { region },
  });
}
