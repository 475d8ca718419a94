import { ENDPOINTS } from '../../../schemas/paths.js';
import { STRIPE_EVENTS } from './stripe-events.js';

/** Properties of a Stripe webhook that `gateway doctor` checks. */
export type WebhookFacts = {
  readonly url: string;
  readonly isEnabled: boolean;
  readonly isLive: boolean;
  /** Event types, or `*` for all. */
  readonly events: readonly string[];
  /** API version of its events; `null` for the default version of the Stripe account. */
  readonly version: string | null;
};

/**
 * Returns what is wrong with the webhooks at Stripe. At least one must send every event in `STRIPE_EVENTS` to the gateway;
 * the faults are those of the webhook that needs the fewest changes.
 */
export function findWebhookFaults(
  webhooks: readonly WebhookFacts[],
  { isLive, version }: { readonly isLive: boolean; readonly version: string },
): string[] {
  const candidates = webhooks.filter(
    (each) => each.isEnabled && each.isLive === isLive && each.url.endsWith(ENDPOINTS.webhook),
  );
  const [best] = candidates
    .map((each) => findFaults(each, version))
    .sort((one, other) => one.length - other.length);
  return (
    best ?? [
      `Stripe has no enabled webhook whose address ends with ${ENDPOINTS.webhook}; create or enable one at Stripe`,
    ]
  );
}

function findFaults({ url, events, version: actual }: WebhookFacts, version: string): string[] {
  const faults: string[] = [];
  const missing = Object.keys(STRIPE_EVENTS).filter((type) => !events.includes(type));
  if (missing.length > 0 && !events.includes('*')) {
    faults.push(`the webhook ${url} does not send ${missing.join(', ')}; add these events at Stripe`);
  }
  if (actual !== version) {
    faults.push(
      `the webhook ${url} has the ${actual === null ? 'default API version of the Stripe account' : `API version ${actual}`}; create it again with ${version}`,
    );
  }
  return faults;
}
