import type { Account } from '../../../schemas/types.generated.js';
import { statusRuleOf } from '../billing/subscription.js';
import { GatewayError } from '../problems.js';
import { revokeKey } from './account.js';

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
