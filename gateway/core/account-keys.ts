/**
 * Every key of the accounts store; no other file spells one.
 *
 *   accounts/<hex SHA-256 of the account id>.json   an account
 *   keys/<key id>.json                              whose key it is
 *   usage/<key id>.json                             when it was last used
 */
import { sha256Hex } from '../../schemas/digest.js';

/** What the keys of accounts begin with. */
export const ACCOUNTS_PREFIX = 'accounts/';

/** Key of an account. The id itself is in the document alone: it may be a mail address. */
export function accountKey(account: string): string {
  return `${ACCOUNTS_PREFIX}${sha256Hex(account)}.json`;
}

/** Key of the record of an API key. */
export function keyRecordKey(keyId: string): string {
  return `keys/${keyId}.json`;
}

/** Key of an API key's usage. */
export function keyUsageKey(keyId: string): string {
  return `usage/${keyId}.json`;
}
