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
  /** Credentials of the standard chain; newer ones when they end soon. */
  readonly provide: () => Promise<S3Credentials>;
};

/** Credentials of the standard chain. */
export type S3Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
};

/** Resolves region and endpoint of a store once, as the SDK does for each request. @throws Error without a region. */
export async function resolveS3Signing(at: S3Address): Promise<S3Signing> {
  const { config } = createS3Client(at);
  const [region, useFips, useDualstack] = await Promise.all([
    config.region(),
    config.useFipsEndpoint(),
    config.useDualstackEndpoint(),
  ]);
  const { url } = config.endpointProvider({
    Bucket: at.bucket,
    Region: region,
    ForcePathStyle: at.pathStyle,
    UseFIPS: useFips,
    UseDualStack: useDualstack,
    ...(at.endpoint === undefined ? {} : { Endpoint: at.endpoint }),
  });
  const prefix = at.prefix.replaceAll('=', '%3D'); // of its characters, this alone needs an escape
  const path = `${url.pathname.replace(/\/$/, '')}/${prefix}`;
  return { place: { origin: url.origin, path, region }, provide: () => config.credentials() };
}
