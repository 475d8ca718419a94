import { objectKey } from '../../../schemas/paths.js';
import { GatewayError } from '../../core/problems.js';
import type { S3Signing } from '../../../infra/store/s3/s3-signing.js';
import { createPresigner, type Presigner, type ReadMethod } from '../../core/signing/sigv4.js';
import { createFreshValue } from '../timing/fresh-value.js';
import type { Freshness } from '../timing/freshness.js';
import { noAnswerFrom, PROVIDER_LIMIT_MS, withTimeLimit } from '../timing/time-limit.js';
import type { SignedObject, SignedUrl, UrlSigner } from './url-signer.js';

/** Options for `createS3UrlSigner`. */
type S3UrlSignerOptions = S3Signing & {
  readonly ttlSeconds: number;
  readonly now: () => number;
  /** Receives the error of each failed renewal of the credentials. */
  readonly onError: (error: unknown) => void;
};

/** Credentials are renewed in the background when their remaining life is less than that of a URL plus this. */
export const RENEWAL_MS = 300_000;
/** A request waits for new credentials when they can sign for less than this. */
const MIN_LIFE_MS = 60_000;
/** A URL expires this long before its credentials. */
const MARGIN_MS = 10_000;
const RETRY_MS = 10_000;

type Credentials = { readonly presigner: Presigner; readonly expiresMs: number };

/** Creates a signer for the objects of an S3 store. A URL never outlives the credentials that sign it. */
export function createS3UrlSigner(options: S3UrlSignerOptions): UrlSigner {
  const { location, getCredentials, ttlSeconds, now, onError } = options;
  const lifeMs = ({ expiresMs }: Credentials): number => expiresMs - MARGIN_MS - now();
  const credentials = createFreshValue<Credentials>({
    async load() {
      const provided = await withTimeLimit(
        getCredentials(),
        PROVIDER_LIMIT_MS,
        noAnswerFrom('the credentials provider'),
      );
      const expiresMs = provided.expiration?.getTime() ?? Infinity;
      return { presigner: createPresigner(location, provided), expiresMs };
    },
    now,
    freshness: (current) => freshnessByLife(lifeMs(current), ttlSeconds * 1000),
    retryMs: RETRY_MS,
    retryEmptyMs: RETRY_MS,
    onSettled: (error) => {
      if (error !== undefined) onError(error);
    },
  });

  function signWith(
    current: Credentials,
    { sha256, mediaType, disposition }: SignedObject,
    method: ReadMethod,
  ): SignedUrl {
    const expiresInSeconds = Math.min(ttlSeconds, Math.floor(lifeMs(current) / 1000));
    const read = { method, responseType: mediaType, responseDisposition: disposition, expiresInSeconds };
    return { url: current.presigner.presign({ ...read, key: objectKey(sha256) }, now()), expiresInSeconds };
  }

  return {
    sign(object, method = 'GET') {
      const current = credentials.peek();
      if (current !== undefined) return signWith(current, object, method);
      return credentials.read().then(
        (renewed) => signWith(renewed, object, method),
        () => {
          throw new GatewayError('store-unavailable');
        },
      );
    },
  };
}

function freshnessByLife(lifeMs: number, ttlMs: number): Freshness {
  if (lifeMs < 1000) return 'expired';
  if (lifeMs < MIN_LIFE_MS) return 'stale';
  return lifeMs < ttlMs + RENEWAL_MS ? 'aging' : 'fresh';
}
