/** Each way in which verification can fail, by its code, with what it means to a reader. */
export const TRUST_FAULTS = {
  'jws-malformed': 'is not a complete signed document: it was cut off or replaced',
  'jws-algorithm': 'names a signature algorithm that does not belong to its key',
  'jws-kind': 'is a signed document of another kind, put in this place',
  'jws-altered': 'has a signature that does not belong to its content: one of them was altered',
  'key-unknown': 'is signed by a key that the key set does not list',
  'key-revoked': 'is signed by a key that was revoked',
  'key-expired': 'is signed by a key that is not valid at this time',
  'root-untrusted': 'is signed by another root key than the one you trust',
  'site-wrong': 'is about another site',
  'keys-expired': 'has expired: the site serves an old key set, or its owner did not renew it',
  'keys-old': 'is older than the key set that you have seen before',
  'timestamp-expired': 'has expired: the site shows an old state, as a frozen mirror does',
  'timestamp-early': 'is from the future: the clock of this machine or of the publisher is wrong',
  'release-unsigned': 'is missing, although the releases of this site are signed',
  'release-old': 'is about an older release than you have seen before: an old release is replayed',
  'release-forked': 'is about another release than the signed history has at this place: two histories exist',
  'file-missing': 'is missing, although the release lists it',
  'file-altered': 'has other bytes than the release says: it was altered, or is another file',
  mixed: 'belongs to another release than the rest: a release is being published, or a cache is old',
  unreachable: 'could not be read',
} as const satisfies Record<string, string>;

export type TrustFault = keyof typeof TRUST_FAULTS;

/** The faults that prove nothing false. They may be gone in the next try. */
export const UNPROVEN: ReadonlySet<TrustFault> = new Set(['mixed', 'unreachable']);

/** A failed verification. The message names what failed, and why. */
export class TrustError extends Error {
  readonly code: TrustFault;
  /** What failed: a URL path or a key of the store. */
  readonly subject: string;
  /** Why it failed, as the rest of a sentence that begins with the subject. */
  readonly reason: string;

  constructor(code: TrustFault, subject: string, detail = '', options?: ErrorOptions) {
    const reason = `${TRUST_FAULTS[code]}${detail === '' ? '' : ` (${detail})`}`;
    super(`${subject} ${reason}`, options);
    this.name = 'TrustError';
    this.code = code;
    this.subject = subject;
    this.reason = reason;
  }
}
