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

/**
 * Presigns GETs by Signature Version 4 in the query: only the host is signed, so that a reader may add `Range` and the
 * like. The result is that of the AWS SDK; the day's key and every text that stays the same are made once.
 * Source: AWS, Authenticating Requests: Using Query Parameters (AWS Signature Version 4).
 */
export function createPresigner({ origin, path, region }: SigningPlace, credentials: SigningKey): Presigner {
  const host = new URL(origin).host;
  const token = credentials.sessionToken;
  let day: Day | undefined;

  return {
    presign(get, nowMs) {
      const instant = toBasicInstant(nowMs);
      const date = instant.slice(0, 8);
      if (day?.date !== date) day = createDay(date, region, credentials);
      const query = [
        `X-Amz-Algorithm=${ALGORITHM}`,
        `X-Amz-Content-Sha256=${UNSIGNED}`,
        `X-Amz-Credential=${day.credential}`,
        `X-Amz-Date=${instant}`,
        `X-Amz-Expires=${get.expiresInSeconds}`,
        ...(token === undefined ? [] : [`X-Amz-Security-Token=${escape(token)}`]),
        'X-Amz-SignedHeaders=host',
        `response-content-disposition=${escape(get.responseDisposition)}`,
        `response-content-type=${escape(get.responseType)}`,
        'x-id=GetObject',
      ].join('&');
      const uri = path + get.key.split('/').map(escape).join('/');
      const canonical = `GET\n${uri}\n${query}\nhost:${host}\n\nhost\n${UNSIGNED}`;
      const toSign = `${ALGORITHM}\n${instant}\n${day.scope}\n${sha256Hex(canonical)}`;
      const signature = Buffer.from(hmacSha256(day.key, toSign)).toString('hex');
      return `${origin}${uri}?${query}&X-Amz-Signature=${signature}`;
    },
  };
}

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
