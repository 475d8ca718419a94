import { parseInstant } from '../../../schemas/dates.js';
import { TEXT_FORMATS } from '../../../schemas/text-formats.js';
import accountSchema from '../../../schemas/json/account.schema.json' with { type: 'json' };
import type { Account, AccountKey, ManualGrant } from '../../../schemas/types.generated.js';
import { stripeGrantsOf } from '../billing/billing-record.js';
import type { Grant } from '../access/entitlements.js';
import { GatewayError } from '../problems.js';
import { statusRuleOf } from '../billing/subscription.js';

/** Maximum number of active keys of an account. */
export const ACTIVE_KEYS = 5;

/** Maximum number of keys that the owner of an account can create within 24 hours. */
export const KEYS_PER_DAY = 20;

/**
 * Number of keys of an account beyond which the oldest revoked keys expire. The keys that its owner created in the last 24
 * hours are always listed, so that they can be counted.
 */
export const LISTED_KEYS = ACTIVE_KEYS + KEYS_PER_DAY;

/** Number of days after which a revoked key expires: the account no longer lists it. It stays invalid. */
export const TOMBSTONE_DAYS = 90;

const DAY_MS = 86_400_000;
const ID_BYTES = 255;
const { label: labelSchema } = accountSchema.$defs;

/** A key as its owner sees it, without the secret. `last_used` is a day, or null if the key was never used. */
export type KeyDescription = AccountKey & { readonly id: string; readonly last_used: string | null };

/** Returns whether a text is a valid account id: 1 to 255 bytes of printable text. */
export function isAccountId(text: string): boolean {
  return text !== '' && TEXT_FORMATS.line.test(text) && Buffer.byteLength(text) <= ID_BYTES;
}

/** Returns whether a text is a valid label of a key: 1 to 64 printable characters, not all blank. */
export function isLabel(text: string): boolean {
  return Array.from(text).length <= labelSchema.maxLength && TEXT_FORMATS.sentence.test(text); // without the length check, it takes seconds on a long text
}

/** Creates an account without keys and grants. */
export function createAccount(id: string): Account {
  return { schema: 'account/1', account: id, keys: {}, grants: [] };
}

/** Returns the key with an id, revoked or not; `undefined` if the account does not list it. */
export function findKey({ keys }: Account, id: string): AccountKey | undefined {
  return Object.hasOwn(keys, id) ? keys[id] : undefined; // an inherited name such as toString has the form of a key id
}

/**
 * Returns the account with another active key, or the account itself if it lists the id already.
 * @throws GatewayError 'key-limit-reached'
 */
export function addKey(account: Account, id: string, key: AccountKey): Account {
  if (findKey(account, id) !== undefined) return account;
  assertCanAddKey(account);
  return { ...account, keys: { ...account.keys, [id]: key } };
}

/** Checks that an account can have another active key. @throws GatewayError 'key-limit-reached' */
export function assertCanAddKey({ keys }: Account): void {
  const active = Object.values(keys).filter(({ revoked_at: revokedAt }) => revokedAt === null);
  if (active.length >= ACTIVE_KEYS) throw new GatewayError('key-limit-reached');
}

/**
 * Checks that the owner of an account can create another key now. Revoked keys count too.
 * @throws GatewayError 'rate-limited'
 */
export function assertBelowDailyCap({ keys }: Account, nowMs: number): void {
  const recent = Object.values(keys)
    .map(({ created_at: createdAt }) => parseInstant(createdAt) ?? nowMs)
    .filter((createdMs) => createdMs > nowMs - DAY_MS)
    .sort((one, other) => one - other);
  const last = recent.at(-KEYS_PER_DAY); // there is room for another key when this one is a day old
  if (last === undefined) return;
  const seconds = Math.max(1, Math.ceil((last + DAY_MS - nowMs) / 1000));
  throw new GatewayError('rate-limited', {
    detail: `An account can create ${KEYS_PER_DAY} keys within 24 hours. Wait ${seconds} s.`,
    headers: { 'Retry-After': String(seconds) },
  });
}

/** Returns the ids of the revoked keys that have expired: by their age, or the oldest ones beyond `LISTED_KEYS`. */
export function findExpiredKeys({ keys }: Account, nowMs: number): string[] {
  const excess = Object.keys(keys).length - LISTED_KEYS;
  const expiredMs = nowMs - TOMBSTONE_DAYS * DAY_MS;
  return Object.entries(keys)
    .filter(([, key]) => key.revoked_at !== null)
    .sort(byCreation)
    .filter(([, key], i) => i < excess || (parseInstant(key.revoked_at ?? '') ?? Infinity) <= expiredMs)
    .map(([id]) => id);
}

/** Returns the account without these keys, or the account itself if there are none. */
export function removeKeys(account: Account, ids: readonly string[]): Account {
  if (ids.length === 0) return account;
  const kept = Object.entries(account.keys).filter(([id]) => !ids.includes(id));
  return { ...account, keys: Object.fromEntries(kept) };
}

function byCreation([, one]: [string, AccountKey], [, other]: [string, AccountKey]): number {
  return one.created_at < other.created_at ? -1 : 1;
}

/**
 * Returns the account with a key revoked, or the account itself if the key is revoked already.
 * @throws GatewayError 'not-found' for a key that the account does not list.
 */
export function revokeKey(account: Account, id: string, revokedAt: string): Account {
  const key = findKey(account, id);
  if (key === undefined) throw new GatewayError('not-found', { detail: 'The account has no such key.' });
  if (key.revoked_at !== null) return account;
  return { ...account, keys: { ...account.keys, [id]: { ...key, revoked_at: revokedAt } } };
}

/** Returns the manual grant of a plan and chain, active or not. */
export function findGrant(
  { grants }: Account,
  { plan, chain }: Pick<ManualGrant, 'plan' | 'chain'>,
): ManualGrant | undefined {
  return grants.find((each) => each.plan === plan && each.chain === chain);
}

/** Returns the account with `grant`, which replaces a grant of the same plan and chain. */
export function putGrant(account: Account, grant: ManualGrant): Account {
  const before = findGrant(account, grant);
  const grants =
    before === undefined
      ? [...account.grants, grant]
      : account.grants.map((each) => (each === before ? grant : each));
  return { ...account, grants };
}

/** Returns all grants of an account, manual and bought. A manual grant with an invalid instant is never active. */
export function grantsOf(account: Account): Grant[] {
  return [...account.grants.map(toGrant), ...stripeGrantsOf(account)];
}

function toGrant({ plan, chain, origin, since, until }: ManualGrant): Grant {
  const [sinceMs, untilMs] = [parseInstant(since) ?? Number.NaN, parseInstant(until) ?? Number.NaN];
  return { plan, chain, origin, sinceMs, untilMs };
}

/** Returns the keys of an account, oldest first; `usage` contains their last days of use by id. */
export function describeKeys({ keys }: Account, usage: ReadonlyMap<string, string>): KeyDescription[] {
  return Object.entries(keys)
    .map(([id, key]) => ({ id, ...key, last_used: usage.get(id) ?? null }))
    .sort((one, other) => (toOrder(one) < toOrder(other) ? -1 : 1));
}

function toOrder({ created_at: createdAt, id }: KeyDescription): string {
  return `${createdAt} ${id}`;
}

/** Outcomes of subscriptions that Stripe no longer charges, whatever their last known status is. */
const GONE = ['absent', 'customer-deleted'];

/**
 * Returns the account as it is kept after its owner has deleted it: without keys that work, subscriptions and customer. The
 * grants of operators are kept, ended, because operators must be able to account for them. The revoked keys are listed
 * until their records are deleted. Returns the account itself if there is nothing to delete.
 * @throws GatewayError 'already-subscribed' while a subscription has not ended or a checkout is not closed
 */
export function deleteAccount(account: Account, instant: string): Account {
  assertNothingIsCharged(account);
  const { billing, ...kept } = account;
  const keys = Object.values(account.keys);
  const isVoid =
    billing === undefined &&
    keys.every(({ revoked_at: revokedAt }) => revokedAt !== null) &&
    account.grants.every(({ until }) => until <= instant);
  if (isVoid && (keys.length === 0 || account.deleted_at !== undefined)) return account;
  const revoked = Object.keys(account.keys).reduce((each, id) => revokeKey(each, id, instant), account);
  const grants = account.grants.map((grant) =>
    grant.until <= instant ? grant : { ...grant, until: instant },
  );
  return { ...kept, keys: revoked.keys, grants, deleted_at: instant };
}

/** Refuses while a subscription can still charge the owner. @throws GatewayError 'already-subscribed' */
function assertNothingIsCharged({ billing }: Account): void {
  if (billing !== undefined && billing.checkout.session !== null) {
    throw new GatewayError('already-subscribed', {
      detail:
        'A purchase was started while the account was being deleted. Delete the account again to stop it.',
    });
  }
  const current = Object.values(billing?.subscriptions ?? {}).find(
    ({ status, outcome }) => statusRuleOf(status)?.isTerminal !== true && !GONE.includes(outcome),
  );
  if (current === undefined) return;
  const detail =
    current.cancel_at === null
      ? 'The account has a subscription. Cancel it in the billing portal, then delete the account when it has ended.'
      : `The subscription is cancelled and ends at ${current.cancel_at}. Delete the account after that, or cancel it at once in the billing portal.`;
  throw new GatewayError('already-subscribed', { detail });
}
