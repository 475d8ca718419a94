import type { KeySet, ReleaseStatement, Timestamp } from '../types.generated.js';

/** The signed documents, by the name of their schema. */
export type TrustDocuments = {
  readonly 'key-set': KeySet;
  readonly 'release-statement': ReleaseStatement;
  readonly timestamp: Timestamp;
};

export type TrustDocumentName = keyof TrustDocuments;

/** The `typ` of each signed document (RFC 7515 §4.1.9). A document of one kind is never taken for one of another. */
export const TRUST_TYPES = {
  'key-set': 'crd-key-set+jws',
  'release-statement': 'crd-release+jws',
  timestamp: 'crd-timestamp+jws',
} as const satisfies Record<TrustDocumentName, string>;

/** Media type of a compact JWS. */
export const JWS_TYPE = 'application/jose';

/** How long a timestamp is valid. */
export const TIMESTAMP_MS = 48 * 3_600_000;
/** How far a timestamp may be ahead of a reader's clock. */
export const CLOCK_TOLERANCE_MS = 300_000;
/** The longest signed document, 256 KiB: a key set with a hundred revoked keys has less. */
export const MAX_SIGNED_BYTES = 262_144;
