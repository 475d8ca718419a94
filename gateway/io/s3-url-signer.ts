import { objectKey } from '../../schemas/paths.js';
import { GatewayError } from '../core/problems.js';
import type { S3Signing } from '../../infra/store/s3-signing.js';
import { createPresigner, type Presigner } from '../core/sigv4.js';
import type { UrlSigner } from './url-signer.js';
import { inTime } from './within-time.js';

/** What signing for S3 needs. */
export type S3UrlSignerTerms = S3Signing & {
  readonly ttlSeconds: number;
  readonly now: () => number;
  /** Told of each failure to get credentials. */
  readonly onError: (error: unknown) => void;
};

/** How long before their end credentials are renewed, beside a URL's life. */
const AHEAD_MS = 300_000;
/** Least time between two tries, also after one that brought nothing newer. */
const PAUSE_MS = 10_000;
/** How long credentials are waited for. */
const PATIENCE_MS = 5_000;
/** A URL ends so long before its credentials. */
const MARGIN_MS = 10_000;
/** Life below which a URL is worth waiting for newer credentials. */
const SHORT_MS = 60_000;

type Held = { readonly presigner: Presigner; readonly endMs: number };

/**
 * Hands out the objects of an S3 store by URLs that never outlive the credentials they are signed with. Credentials are
 * renewed ahead of their end, beside the requests; only where hardly any life is left a request waits for newer ones.
 */
export function createS3UrlSigner({ place, provide, ttlSeconds, now, onError }: S3UrlSignerTerms): UrlSigner {
  let held: Held | undefined;
  let renewing: Promise<void> | undefined;
  let triedMs = -Infinity;

  function renew(): Promise<void> {
    renewing ??= inTime(provide(), PATIENCE_MS, 'the provider of credentials')
      .then((credentials) => {
        const endMs = credentials.expiration?.getTime() ?? Infinity;
        held = { presigner: createPresigner(place, credentials), endMs };
      })
      .catch(onError)
      .finally(() => {
        triedMs = now();
        renewing = undefined;
      });
    return renewing;
  }

  const lifeMs = (): number => (held === undefined ? 0 : held.endMs - MARGIN_MS - now());

  return {
    sign(object) {
      const key = objectKey(object.sha256);
      const get = { key, responseType: object.mediaType, responseDisposition: object.disposition };
      const signWith = ({ presigner }: Held) => {
        const expiresInSeconds = Math.min(ttlSeconds, Math.floor(lifeMs() / 1000));
        return { url: presigner.presign({ ...get, expiresInSeconds }, now()), expiresInSeconds };
      };
      const isSoonOver = lifeMs() < ttlSeconds * 1000 + AHEAD_MS;
      const mayTry = Math.abs(now() - triedMs) >= PAUSE_MS; // a clock may be set back
      if (held !== undefined && lifeMs() >= SHORT_MS) {
        if (isSoonOver && mayTry) void renew();
        return signWith(held);
      }
      const renewed = mayTry || renewing !== undefined ? renew() : Promise.resolve();
      return renewed.then(() => {
        if (held !== undefined && lifeMs() >= 1000) return signWith(held);
        throw new GatewayError('store-unavailable');
      });
    },
  };
}
