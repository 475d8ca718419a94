import type { ObjectStore } from '../infra/store/object-store.js';
import { readS3Address } from '../infra/store/s3/s3-address.js';
import type { Configuration } from './core/configuration/configuration.js';
import { createObjectLinks, type LinkReader, type ObjectLinks } from './core/signing/object-link.js';
import { createObjectReader, type ObjectReader } from './io/releases/object-reader.js';
import { createS3UrlSigner } from './io/signing/s3-url-signer.js';
import type { UrlSigner, SignedObject, SignedUrl } from './io/signing/url-signer.js';
import type { PublicSource } from './routes/public.js';

const MAX_URLS = 10_000;

/**
 * Returns the signer with a cache: within a second, an object gets the same URL. This helps after a new release, when
 * many subscribers request few files. These are not `FreshValues`, because all URLs of a second are dropped together.
 */
function createSignedUrlCache(signer: UrlSigner, now: () => number): UrlSigner {
  let second = Number.NaN;
  const urls = new Map<string, { readonly object: SignedObject; readonly signed: SignedUrl }>();
  return {
    sign(object, method = 'GET') {
      const current = Math.floor(now() / 1000);
      if (current !== second || urls.size >= MAX_URLS) {
        urls.clear();
        second = current;
      }
      const name = `${method} ${object.sha256}`;
      const cached = urls.get(name);
      if (cached !== undefined && isSame(cached.object, object)) return cached.signed;
      const signed = signer.sign(object, method);
      if (!(signed instanceof Promise)) urls.set(name, { object, signed });
      return signed;
    },
  };
}

function isSame(one: SignedObject, other: SignedObject): boolean {
  return one === other || (one.mediaType === other.mediaType && one.disposition === other.disposition);
}

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
    servesPublicFiles = false,
    urlTtlSeconds: ttlSeconds,
    linkSecrets,
    publicBaseUrl,
  } = configuration;
  if (storeAddress.kind === 's3') {
    const { resolveS3Signing } = await import('../infra/store/s3/s3-signing.js'); // loads the SDK
    const signing = await resolveS3Signing(readS3Address(storeAddress.address, s3), signerRole);
    const signer = createS3UrlSigner({ ...signing, ttlSeconds, now, onError });
    return {
      signer: createSignedUrlCache(signer, now),
      source: {
        objects: createObjectReader(store, { onError }),
        ...(servesPublicFiles || publicBaseUrl === undefined ? {} : { elsewhere: publicBaseUrl }),
      },
      directory: undefined,
    };
  }
  const links = createObjectLinks(linkSecrets);
  const objects = createObjectReader(store, { onError });
  const signer = createLinkUrlSigner({ links, baseUrl, ttlSeconds, now });
  return {
    signer: createSignedUrlCache(signer, now),
    source: { objects },
    directory: { links, objects },
  };
}

/** Options for `createLinkUrlSigner`. */
type LinkUrlSignerOptions = {
  readonly links: ObjectLinks;
  /** Returns the URL before the path, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly ttlSeconds: number;
  readonly now: () => number;
};

/** Creates a signer that links to the objects of a directory store at this gateway. Links live at least `ttlSeconds`. */
function createLinkUrlSigner({ links, baseUrl, ttlSeconds, now }: LinkUrlSignerOptions): UrlSigner {
  return {
    sign(object) {
      const expires = Math.floor(now() / 1000) + 1 + ttlSeconds; // rounded up, so that links are equal for a second
      return { url: `${baseUrl()}${links.format(object, expires)}`, expiresInSeconds: ttlSeconds };
    },
  };
}
