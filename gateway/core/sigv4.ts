import { hmacSha256, sha256Hex } from '../../schemas/digest.js';

/** What a signature is made with. */
export type SigningKey = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

/** A bucket, or what of it lies below a path: `origin` has no path, `path` ends with a slash and is escaped already. */
export type SigningPlace = { readonly origin: string; readonly path: string; readonly region: string };

/** What is signed: a GET of one key, and what S3 shall say of its answer. */
export type SignedGet = {
  /** Below the place, of characters that need no escape. */
  readonly key: string;
  readonly expiresInSeconds: number;
  readonly responseType: string;
  readonly responseDisposition: string;
};

/** Makes URLs that S3 takes for a while. */
export type Presigner = { readonly presign: (get: SignedGet, nowMs: number) => string };

const ALGORITHM = 'AWS4-HMAC-SHA256';
const UNSIGNED = 'UNSIGNED-PAYLOAD';
/** Keys that need no escape: all of ours. */
const PLAIN = /^[A-Za-z0-9._~/-]*$/;

/**
 * Presigns GETs by Signature Version 4 in the query: only the host is signed, so that a reader may add `Range` and the
 * like. The result is that of the AWS SDK; the day's key and every text that stays the same for a second are made once.
 * Source: AWS, Authenticating Requests: Using Query Parameters (AWS Signature Version 4).
 */
export function createPresigner({ origin, path, region }: SigningPlace, credentials: SigningKey): Presigner {
  const { sessionToken } = credentials;
  const token = sessionToken === undefined ? '' : `&X-Amz-Security-Token=${escape(sessionToken)}`;
  const end = `\nhost:${new URL(origin).host}\n\nhost\n${UNSIGNED}`;
  let day: Day | undefined;
  let second: Second | undefined;

  /** What all signatures of one second have in common. */
  function secondOf(nowMs: number): Second {
    const seconds = Math.floor(nowMs / 1000);
    if (second?.seconds === seconds) return second;
    const instant = toBasicInstant(seconds * 1000);
    const date = instant.slice(0, 8);
    if (day?.date !== date) day = createDay(date, region, credentials);
    second = {
      seconds,
      key: day.key,
      query: `X-Amz-Algorithm=${ALGORITHM}&X-Amz-Content-Sha256=${UNSIGNED}&X-Amz-Credential=${day.credential}&X-Amz-Date=${instant}`,
      toSign: `${ALGORITHM}\n${instant}\n${day.scope}\n`,
    };
    return second;
  }

  return {
    presign({ key, expiresInSeconds, responseDisposition, responseType }, nowMs) {
      const now = secondOf(nowMs);
      const disposition = escape(responseDisposition);
      const query = `${now.query}&X-Amz-Expires=${expiresInSeconds}${token}&X-Amz-SignedHeaders=host&response-content-disposition=${disposition}&response-content-type=${escape(responseType)}&x-id=GetObject`;
      const uri = path + (PLAIN.test(key) ? key : key.split('/').map(escape).join('/'));
      const digest = sha256Hex(`GET\n${uri}\n${query}${end}`);
      const signature = toHex(hmacSha256(now.key, now.toSign + digest));
      return `${origin}${uri}?${query}&X-Amz-Signature=${signature}`;
    },
  };
}

type Second = {
  readonly seconds: number;
  readonly key: Uint8Array;
  readonly query: string;
  readonly toSign: string;
};

type Day = {
  readonly date: string;
  readonly scope: string;
  readonly credential: string;
  readonly key: Uint8Array;
};

/** What a region's signatures of one UTC day have in common. */
function createDay(date: string, region: string, { accessKeyId, secretAccessKey }: SigningKey): Day {
  const scope = `${date}/${region}/s3/aws4_request`;
  const dateKey = hmacSha256(`AWS4${secretAccessKey}`, date);
  const key = hmacSha256(hmacSha256(hmacSha256(dateKey, region), 's3'), 'aws4_request');
  return { date, scope, credential: escape(`${accessKeyId}/${scope}`), key };
}

/** An instant as `YYYYMMDDTHHMMSSZ`. */
function toBasicInstant(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/** Percent-encoding as AWS has it: all but letters, digits and `-._~` (RFC 3986 §2.3). */
function escape(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
