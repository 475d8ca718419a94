import { hmacSha256, sha256Hex } from '../../../schemas/digest.js';

/** Credentials that sign URLs. */
export type SigningKey = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

/** A bucket, or a prefix in it: `origin` has no path; `path` is percent-encoded and ends with a slash. */
type SigningLocation = { readonly origin: string; readonly path: string; readonly region: string };

/** A GET or HEAD of one key, and the headers of its response. */
export type SignedRead = {
  /** Default: GET. */
  readonly method?: ReadMethod;
  /** Key relative to `path`. */
  readonly key: string;
  readonly expiresInSeconds: number;
  readonly responseType: string;
  readonly responseDisposition: string;
};

/** The method that a signed URL is for. S3 accepts it for no other. */
export type ReadMethod = 'GET' | 'HEAD';

/** Creates URLs that S3 accepts until they expire. */
export type Presigner = { readonly presign: (read: SignedRead, nowMs: number) => string };

const ALGORITHM = 'AWS4-HMAC-SHA256';
const UNSIGNED = 'UNSIGNED-PAYLOAD';
/** Keys that need no escaping, which includes every key of a store of releases. */
const PLAIN = /^[A-Za-z0-9._~/-]*$/;

/**
 * Creates a presigner for reads by Signature Version 4 in the query. Only the header `Host` is signed, so that a client
 * can add headers such as `Range`. It creates the same URLs as the AWS SDK, but caches the signing key of the day and
 * the parts of the query that stay the same for a second.
 * Source: AWS, Authenticating Requests: Using Query Parameters (AWS Signature Version 4).
 */
export function createPresigner(
  { origin, path, region }: SigningLocation,
  credentials: SigningKey,
): Presigner {
  const { sessionToken } = credentials;
  const token = sessionToken === undefined ? '' : `&X-Amz-Security-Token=${percentEncode(sessionToken)}`;
  const canonicalTail = `\nhost:${new URL(origin).host}\n\nhost\n${UNSIGNED}`;
  let day: DayCache | undefined;
  let second: SecondCache | undefined;

  /** Returns the parts that all signatures of one second share. */
  function secondOf(nowMs: number): SecondCache {
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
    presign({ method = 'GET', key, expiresInSeconds, responseDisposition, responseType }, nowMs) {
      const now = secondOf(nowMs);
      const disposition = percentEncode(responseDisposition);
      const query = `${now.query}&X-Amz-Expires=${expiresInSeconds}${token}&X-Amz-SignedHeaders=host&response-content-disposition=${disposition}&response-content-type=${percentEncode(responseType)}${method === 'GET' ? '&x-id=GetObject' : ''}`;
      const uri = path + (PLAIN.test(key) ? key : key.split('/').map(percentEncode).join('/'));
      const digest = sha256Hex(`${method}\n${uri}\n${query}${canonicalTail}`);
      const signature = toHex(hmacSha256(now.key, now.toSign + digest));
      return `${origin}${uri}?${query}&X-Amz-Signature=${signature}`;
    },
  };
}

type SecondCache = {
  readonly seconds: number;
  readonly key: Uint8Array;
  readonly query: string;
  readonly toSign: string;
};

type DayCache = {
  readonly date: string;
  readonly scope: string;
  readonly credential: string;
  readonly key: Uint8Array;
};

/** Returns the parts that all signatures of a region and UTC day share. */
function createDay(date: string, region: string, { accessKeyId, secretAccessKey }: SigningKey): DayCache {
  const scope = `${date}/${region}/s3/aws4_request`;
  const dateKey = hmacSha256(`AWS4${secretAccessKey}`, date);
  const key = hmacSha256(hmacSha256(hmacSha256(dateKey, region), 's3'), 'aws4_request');
  return { date, scope, credential: percentEncode(`${accessKeyId}/${scope}`), key };
}

/** Returns an instant as `YYYYMMDDTHHMMSSZ`. */
function toBasicInstant(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/** Percent-encodes everything but letters, digits and `-._~` (RFC 3986 §2.3), as AWS requires. */
function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
