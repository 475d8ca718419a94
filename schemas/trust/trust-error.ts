/** Each way in which verification can fail, by its code, with what it means to a reader. */
export const TRUST_FAULTS = {
  'jws-malformed': 'is not a complete signed document: it was cut off or replaced',
  'jws-algorithm': 'names a signature algorithm that does not belong to its key',
  'jws-kind': 'is a different kind of signed document than expected here',
  'jws-altered': 'has an invalid signature: the content or the signature was altered',
  'key-unknown': 'is signed by a key that the key set does not list',
  'key-revoked': 'is signed by a key that was revoked',
  'key-expired': 'is signed by a key that is not valid at this time',
  'root-untrusted': 'is signed by a root key other than the one you trust',
  'site-wrong': 'is about another site',
  'keys-expired': 'has expired: the site serves an old key set, or its owner did not renew it',
  'keys-old': 'is older than the key set that you have seen before',
  'timestamp-expired': 'has expired: the site shows an old state, as a frozen mirror does',
  'timestamp-early': 'is from the future: the clock of this machine or of the publisher is wrong',
  'release-unsigned': 'is missing, but this site signs its releases',
  'release-old': 'is about an older release than you have seen before: the site serves an old state',
  'release-forked': 'names a different release than the signed history: two histories exist',
  'file-missing': 'is missing, although the release lists it',
  'file-altered': 'does not match its signed digest: it was altered or replaced',
  mixed: 'belongs to a different release from the rest: a release is being published, or a cache is old',
  unreachable: 'could not be read',
} as const satisfies Record<string, string>;

export type TrustFault = keyof typeof TRUST_FAULTS;

/** Faults that do not prove tampering: a retry may succeed. */
export const UNPROVEN: ReadonlySet<TrustFault> = new Set(['mixed', 'unreachable']);

const NO_KEY_SET = 'does not exist: this site does not sign its releases, or the signatures were removed';

/** Returns what a fault means. A site without a key set may sign nothing at all. */
function meaningOf(code: TrustFault, subject: string): string {
  return code === 'release-unsigned' && subject.endsWith('/keys.jws') ? NO_KEY_SET : TRUST_FAULTS[code];
}

/** A failed verification. The message names what failed, and why. */
export class TrustError extends Error {
  readonly code: TrustFault;
  /** What failed: a URL path or a key of the store. */
  readonly subject: string;
  /** Why it failed, as the rest of a sentence that begins with the subject. */
  readonly reason: string;

  constructor(code: TrustFault, subject: string, detail = '', options?: ErrorOptions) {
    const reason = `${meaningOf(code, subject)}${detail === '' ? '' : ` (${detail})`}`;
    super(`${subject} ${reason}`, options);
    this.name = 'TrustError';
    this.code = code;
    this.subject = subject;
    this.reason = reason;
  }
}
