import type { Billing } from '../../../schemas/types.generated.js';
import { MAX_EVENTS, MAX_SUBSCRIPTIONS } from './billing-record.js';

/**
 * Adds the billing state of a backup to the state of an account, which takes precedence. Processed events stay processed,
 * and a checkout attempt is never taken back, so that no attempt is made twice. Subscriptions that the account does not
 * list are added only while it can list more: otherwise it may have dropped them.
 */
export function mergeBilling(current: Billing | undefined, saved: Billing | undefined): Billing | undefined {
  if (current === undefined || saved === undefined) return current ?? saved;
  if (current.customer !== saved.customer) return current;
  const unlisted = saved.events.filter((id) => !current.events.includes(id));
  return {
    ...current,
    checkout: laterCheckout(current.checkout, saved.checkout),
    subscriptions: mergeSubscriptions(current.subscriptions, saved.subscriptions),
    events: [...current.events, ...unlisted].slice(0, MAX_EVENTS),
  };
}

/** Returns the later checkout: attempts only count up, and each has at most one session. */
function laterCheckout(current: Billing['checkout'], saved: Billing['checkout']): Billing['checkout'] {
  if (current.attempt !== saved.attempt) return current.attempt > saved.attempt ? current : saved;
  return current.session === null ? saved : current;
}

function mergeSubscriptions(
  current: Billing['subscriptions'],
  saved: Billing['subscriptions'],
): Billing['subscriptions'] {
  const room = MAX_SUBSCRIPTIONS - Object.keys(current).length;
  const unlisted = Object.entries(saved).filter(([id]) => !Object.hasOwn(current, id));
  return { ...current, ...Object.fromEntries(unlisted.slice(0, Math.max(0, room))) };
}
