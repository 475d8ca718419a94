import { downloadPath } from '../../../schemas/paths.js';
import { type BriefChoice, parseReturnPath, wantedBrief } from './arrival.js';

/** What must be known when the identity provider returns the browser to this page. */
type PendingSignIn = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnPath: string;
  /** True if the provider was told not to ask anything. */
  readonly isSilent: boolean;
};

const KEY = 'sign-in';

/** The browser does not let the page keep anything, not even until the callback. */
export class StorageRefusedError extends Error {}

/** Keeps a sign-in until the callback. `sessionStorage` is of this tab only. @throws StorageRefusedError */
export function keepPending(pending: PendingSignIn): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(pending));
  } catch (cause) {
    throw new StorageRefusedError('the browser blocks site data', { cause });
  }
}

const SIGNED_IN = 'signed-in';

/** Keeps or forgets that someone is signed in, so that this tab can ask the provider for a new session after a reload. */
export function keepSignedIn(isSignedIn: boolean): void {
  try {
    if (isSignedIn) sessionStorage.setItem(SIGNED_IN, 'yes');
    else sessionStorage.removeItem(SIGNED_IN);
  } catch {
    // the browser blocks site data: a reload asks to sign in
  }
}

/** Returns whether someone was signed in before this tab was reloaded. */
export function wasSignedIn(): boolean {
  try {
    return sessionStorage.getItem(SIGNED_IN) !== null;
  } catch {
    return false;
  }
}

const BRIEF = 'brief';

/** Keeps a brief that a plan would open, for when this tab comes back from the payment. */
export function keepBrief({ chain, date }: BriefChoice): void {
  try {
    sessionStorage.setItem(BRIEF, downloadPath(chain, { genre: 'briefs', date }));
  } catch {
    // the browser blocks site data: the reader follows the link again
  }
}

/** Returns the brief that was kept, and forgets it. */
export function takeBrief(): BriefChoice | undefined {
  try {
    const path = sessionStorage.getItem(BRIEF) ?? undefined;
    sessionStorage.removeItem(BRIEF);
    return wantedBrief(parseReturnPath(path));
  } catch {
    return undefined; // the browser blocks site data
  }
}

/** Returns the sign-in that this tab began, and forgets it, so that a response can be used only once. */
export function takePending(): PendingSignIn | undefined {
  try {
    const text = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return text === null ? undefined : parsePending(text);
  } catch {
    return undefined; // the browser blocks site data
  }
}

function parsePending(text: string): PendingSignIn | undefined {
  try {
    const { state, nonce, verifier, returnPath, isSilent } = JSON.parse(text) as Readonly<
      Record<string, unknown>
    >;
    if (![state, nonce, verifier, returnPath].every((each) => typeof each === 'string' && each !== ''))
      return undefined;
    return { state, nonce, verifier, returnPath, isSilent: isSilent === true } as PendingSignIn; // as just checked
  } catch {
    return undefined;
  }
}
