import { hmacSha256, isEqualInConstantTime } from '../../../schemas/digest.js';
import { OBJECTS_PATH } from '../../../schemas/paths.js';

/** The target of a link to an object of a directory store. */
export type LinkedObject = {
  readonly sha256: string;
  readonly mediaType: string;
  /** Value of `Content-Disposition`. */
  readonly disposition: string;
};

/** A link of this gateway that has expired, at this number of milliseconds since the epoch. */
type ExpiredLink = { readonly expiredMs: number };

/** Verifies links. A link that was altered is `invalid`, also if it has expired. */
export type LinkReader = {
  readonly parse: (digest: string, query: string, nowMs: number) => LinkedObject | ExpiredLink | 'invalid';
};

/** Creates and verifies links to objects. The first secret signs, every secret is accepted. */
export type ObjectLinks = LinkReader & {
  /** Returns the path and query of a link that is valid until `expires`, in seconds since the epoch. */
  readonly format: (object: LinkedObject, expires: number) => string;
};

const MIN_SECRET_BYTES = 32;
const MAX_SECRETS = 2;
const PARAMETERS = ['expires', 'type', 'name', 'signature'] as const;
const DIGEST = /^[0-9a-f]{64}$/;
const EXPIRES = /^[1-9]\d{0,11}$/;
const TYPE = /^[a-z0-9.+-]+\/[a-z0-9.+-]+(; charset=utf-8)?$/;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;
const ATTACHMENT = /^attachment; filename="([A-Za-z0-9._-]{1,100})"$/;

/**
 * Creates links that are signed with HMAC-SHA-256 over version, digest, expiry, media type and file name.
 * @throws TypeError unless there are one or two secrets of at least 32 bytes.
 */
export function createObjectLinks(secrets: readonly string[]): ObjectLinks {
  const [first] = secrets;
  const isShort = secrets.some((secret) => Buffer.byteLength(secret) < MIN_SECRET_BYTES);
  if (first === undefined || secrets.length > MAX_SECRETS || isShort) {
    throw new TypeError('links need one or two secrets of at least 32 bytes');
  }
  return {
    format({ sha256, mediaType, disposition }, expires) {
      const name = ATTACHMENT.exec(disposition)?.[1];
      if (name === undefined)
        throw new TypeError('a link needs a Content-Disposition with a plain file name');
      if (!TYPE.test(mediaType)) throw new TypeError(`a link cannot have the media type ${mediaType}`);
      const signature = toHex(sign(first, sha256, String(expires), mediaType, name));
      const query = new URLSearchParams({ expires: String(expires), type: mediaType, name, signature });
      return `${OBJECTS_PATH}${sha256}?${query.toString()}`;
    },
    parse(digest, query, nowMs) {
      const parameters = [...new URLSearchParams(query)];
      const values = new Map(parameters);
      const isExact = parameters.length === PARAMETERS.length && PARAMETERS.every((name) => values.has(name));
      const [expires = '', mediaType = '', name = '', signature = ''] = PARAMETERS.map((each) =>
        values.get(each),
      );
      const isWellFormed = [
        isExact,
        DIGEST.test(digest),
        EXPIRES.test(expires),
        TYPE.test(mediaType),
        NAME.test(name),
        DIGEST.test(signature),
      ].every(Boolean);
      if (!isWellFormed) return 'invalid';
      const received = Buffer.from(signature, 'hex');
      const isAuthentic = secrets
        .map((secret) => isEqualInConstantTime(sign(secret, digest, expires, mediaType, name), received))
        .includes(true);
      if (!isAuthentic) return 'invalid';
      const expiresMs = Number(expires) * 1000;
      if (nowMs >= expiresMs) return { expiredMs: expiresMs };
      return { sha256: digest, mediaType, disposition: `attachment; filename="${name}"` };
    },
  };
}

function sign(secret: string, ...parts: readonly string[]): Uint8Array {
  return hmacSha256(secret, ['v1', ...parts].join('\n'));
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
