import { parseInstant } from '../../schemas/dates.js';
import { SCHEMAS } from '../../schemas/schemas.generated.js';
import type { Account, AccountKey, ManualGrant } from '../../schemas/types.generated.js';
import { stripeGrantsOf } from './billing/billing-record.js';
import type { Grant } from './entitlements.js';
import { GatewayError } from './problems.js';

/** Number of active keys that an account may have. */
export const ACTIVE_KEYS = 5;

/** Number of keys that an account lists; beyond it the oldest revoked ones are left out, and stay as unknown as before. */
export const LISTED_KEYS = 25;

const ID_BYTES = 255;
const { account_id: idWords, label: labelWords } = SCHEMAS.account.$defs;
const ID = new RegExp(idWords.pattern, 'u');
const LABEL = new RegExp(labelWords.pattern, 'u');

/** A key as its owner sees it, without the secret. `last_used` is a day, or null where none is known. */
export type KeyDescription = AccountKey & { readonly id: string; readonly last_used: string | null };

/** Whether a text can name an account: 1 to 255 bytes of printable text. */
export function isAccountId(text: string): boolean {
  return ID.test(text) && Buffer.byteLength(text) <= ID_BYTES;
}

/** Whether a text can be the label of a key: 1 to 64 printable characters, not all blank. */
export function isLabel(text: string): boolean {
  return Array.from(text).length <= labelWords.maxLength && LABEL.test(text); // of a long text it would take seconds
}

/** An account that has nothing yet. */
export function createAccount(id: string): Account {
  return { schema: 'account/1', account: id, keys: {}, grants: [] };
}

/** The key that an account lists under an id, revoked or not; `undefined` for any other text. */
export function findKey({ keys }: Account, id: string): AccountKey | undefined {
  return Object.hasOwn(keys, id) ? keys[id] : undefined; // toString is a possible id
}

/**
 * The account with one more active key; the account itself when it lists the id already.
 * @throws GatewayError 'key-limit-reached'
 */
export function addKey(account: Account, id: string, key: AccountKey): Account {
  if (findKey(account, id) !== undefined) return account;
  assertRoom(account);
  return { ...account, keys: Object.fromEntries(keepListed([...Object.entries(account.keys), [id, key]])) };
}

/** Passes an account that may have one more active key. @throws GatewayError 'key-limit-reached' */
export function assertRoom({ keys }: Account): void {
  const active = Object.values(keys).filter(({ revoked_at: revokedAt }) => revokedAt === null);
  if (active.length >= ACTIVE_KEYS) throw new GatewayError('key-limit-reached');
}

function keepListed(keys: [string, AccountKey][]): [string, AccountKey][] {
  const revoked = keys.filter(([, key]) => key.revoked_at !== null).sort(byRevocation);
  const left = new Set(revoked.slice(0, Math.max(0, keys.length - LISTED_KEYS)).map(([id]) => id));
  return keys.filter(([id]) => !left.has(id));
}

function byRevocation([, one]: [string, AccountKey], [, other]: [string, AccountKey]): number {
  return (one.revoked_at ?? '') < (other.revoked_at ?? '') ? -1 : 1;
}

/**
 * The account with a key revoked; the account itself when it is revoked already.
 * @throws GatewayError 'not-found' for a key that the account does not list.
 */
export function revokeKey(account: Account, id: string, revokedAt: string): Account {
  const key = findKey(account, id);
  if (key === undefined) throw new GatewayError('not-found', { detail: 'the account has no such key' });
  if (key.revoked_at !== null) return account;
  return { ...account, keys: { ...account.keys, [id]: { ...key, revoked_at: revokedAt } } };
}

/** The grant of an account for a plan and chain, active or not. */
export function findGrant(
  { grants }: Account,
  { plan, chain }: Pick<ManualGrant, 'plan' | 'chain'>,
): ManualGrant | undefined {
  return grants.find((each) => each.plan === plan && each.chain === chain);
}

/** The account with `grant` in place of what it had of the same plan and chain. */
export function putGrant(account: Account, grant: ManualGrant): Account {
  const before = findGrant(account, grant);
  const grants =
    before === undefined
      ? [...account.grants, grant]
      : account.grants.map((each) => (each === before ? grant : each));
  return { ...account, grants };
}

/** What an account was granted and has bought, with its instants as numbers; one that cannot be read is never active. */
export function grantsOf(account: Account): Grant[] {
  return [...account.grants.map(toGrant), ...stripeGrantsOf(account)];
}

function toGrant({ plan, chain, origin, since, until }: ManualGrant): Grant {
  const [sinceMs, untilMs] = [parseInstant(since) ?? Number.NaN, parseInstant(until) ?? Number.NaN];
  return { plan, chain, origin, sinceMs, untilMs };
}

/** The keys of an account, oldest first; `usage` has their last days of use by id. */
export function describeKeys({ keys }: Account, usage: ReadonlyMap<string, string>): KeyDescription[] {
  return Object.entries(keys)
    .map(([id, key]) => ({ id, ...key, last_used: usage.get(id) ?? null }))
    .sort((one, other) => (toOrder(one) < toOrder(other) ? -1 : 1));
}

function toOrder({ created_at: createdAt, id }: KeyDescription): string {
  return `${createdAt} ${id}`;
}
