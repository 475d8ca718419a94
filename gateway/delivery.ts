import type { ObjectStore } from '../infra/store/object-store.js';
import { readS3Address } from '../infra/store/s3/s3-address.js';
import { resolveS3Signing } from '../infra/store/s3/s3-signing.js';
import type { Configuration } from './core/configuration/configuration.js';
import { createObjectLinks, type LinkReader } from './core/signing/object-link.js';
import { createLinkUrlSigner } from './io/signing/link-url-signer.js';
import { createObjectReader, type ObjectReader } from './io/releases/object-reader.js';
import { createS3UrlSigner } from './io/signing/s3-url-signer.js';
import { createSignedUrlCache } from './io/signing/signed-url-cache.js';
import type { UrlSigner } from './io/signing/url-signer.js';
import type { PublicSource } from './routes/public.js';

/** The way in which bytes reach readers: signed URLs of S3, or links to this gateway. */
type Delivery = {
  readonly signer: UrlSigner;
  readonly source: PublicSource;
  /** Serves the links to a directory store; absent with S3. */
  readonly directory: { readonly links: LinkReader; readonly objects: ObjectReader } | undefined;
};

/** Options for `createDelivery`. */
type DeliveryOptions = {
  readonly now: () => number;
  /** Returns the origin of links, which precedes their path. */
  readonly baseUrl: () => string;
  readonly onError: (error: unknown) => void;
};

/** Creates the delivery for the kind of store. @throws Error when the region of S3 is not configured. */
export async function createDelivery(
  configuration: Configuration,
  store: ObjectStore,
  { now, baseUrl, onError }: DeliveryOptions,
): Promise<Delivery> {
  const {
    store: storeAddress,
    s3,
    signerRole,
    servesPublicFiles,
    urlTtlSeconds: ttlSeconds,
    linkSecrets,
    publicBaseUrl = '',
  } = configuration;
  if (storeAddress.kind === 's3') {
    const signing = await resolveS3Signing(readS3Address(storeAddress.address, s3), signerRole);
    const signer = createS3UrlSigner({ ...signing, ttlSeconds, now, onError });
    return {
      signer: createSignedUrlCache(signer, now),
      source: servesPublicFiles
        ? { kind: 'here', objects: createObjectReader(store, { onError }) }
        : { kind: 'elsewhere', baseUrl: publicBaseUrl },
      directory: undefined,
    };
  }
  const links = createObjectLinks(linkSecrets);
  const objects = createObjectReader(store, { onError });
  const signer = createLinkUrlSigner({ links, baseUrl, ttlSeconds, now });
  return {
    signer: createSignedUrlCache(signer, now),
    source: { kind: 'here', objects },
    directory: { links, objects },
  };
}
