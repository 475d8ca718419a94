import type { ObjectStore } from '../infra/store/object-store.js';
import { parseS3Address } from '../infra/store/s3-address.js';
import { resolveS3Signing } from '../infra/store/s3-signing.js';
import type { Configuration } from './core/configuration.js';
import { createObjectLinks, type LinkReader } from './core/object-link.js';
import { createLinkUrlSigner } from './io/link-url-signer.js';
import { createObjectReader, type ObjectReader } from './io/object-reader.js';
import { createS3UrlSigner } from './io/s3-url-signer.js';
import { createSignedUrlCache } from './io/signed-url-cache.js';
import type { UrlSigner } from './io/url-signer.js';
import type { PublicSource } from './routes/public.js';

/** How bytes reach readers. */
export type Delivery = {
  readonly signer: UrlSigner;
  readonly source: PublicSource;
  /** What serves the links to a directory store; there are none with S3. */
  readonly directory: { readonly links: LinkReader; readonly objects: ObjectReader } | undefined;
};

/** What making a delivery needs. */
export type DeliveryTerms = {
  readonly now: () => number;
  /** What comes before the path of a link. */
  readonly baseUrl: () => string;
  readonly onError: (error: unknown) => void;
};

/** From S3 bytes reach readers by its own signed URLs, from a directory by links to this gateway. */
export async function createDelivery(
  configuration: Configuration,
  store: ObjectStore,
  { now, baseUrl, onError }: DeliveryTerms,
): Promise<Delivery> {
  const {
    store: at,
    s3,
    signerRole,
    servesPublicFiles,
    urlTtlSeconds: ttlSeconds,
    linkSecrets,
    publicBaseUrl = '',
  } = configuration;
  if (at.kind === 's3') {
    const signing = await resolveS3Signing(parseS3Address(at.address, s3), signerRole);
    const signer = createS3UrlSigner({ ...signing, ttlSeconds, now, onError });
    return {
      signer: createSignedUrlCache(signer, now),
      source: servesPublicFiles
        ? { kind: 'here', objects: createObjectReader(store, onError) }
        : { kind: 'elsewhere', baseUrl: publicBaseUrl },
      directory: undefined,
    };
  }
  const links = createObjectLinks(linkSecrets);
  const objects = createObjectReader(store, onError);
  const signer = createLinkUrlSigner({ links, baseUrl, ttlSeconds, now });
  return {
    signer: createSignedUrlCache(signer, now),
    source: { kind: 'here', objects },
    directory: { links, objects },
  };
}
