import { sha256Hex } from './digest.js';
import { accountKeyOf } from './paths.js';

/** Returns the store key of an account's document. It contains only a digest of the id, which can be an email address. */
export function accountKey(account: string): string {
  return accountKeyOf(sha256Hex(account));
}
