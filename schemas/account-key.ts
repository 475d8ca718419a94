import { sha256Hex } from './digest.js';
import { accountKeyOf } from './paths.js';

/** Returns the key of an account. It contains only a digest of the id, because an id may be a mail address. */
export function accountKey(account: string): string {
  return accountKeyOf(sha256Hex(account));
}
