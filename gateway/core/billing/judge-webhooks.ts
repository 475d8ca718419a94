import { STRIPE_EVENTS } from './stripe-events.js';

/** Path of the webhook, behind whatever leads to the gateway. */
export const WEBHOOK_PATH = '/api/v1/stripe/webhook';

/** A webhook as Stripe has it. */
export type WebhookFacts = {
  readonly url: string;
  readonly isEnabled: boolean;
  readonly isLive: boolean;
  /** Types of events, or `*` for all. */
  readonly events: readonly string[];
  /** Version of the API that its events are written in; `null` for the account's own. */
  readonly version: string | null;
};

/** What is wrong with the webhooks at Stripe: one of them must tell us of every event that we listen to. */
export function judgeWebhooks(
  webhooks: readonly WebhookFacts[],
  { isLive, version }: { readonly isLive: boolean; readonly version: string },
): string[] {
  const ours = webhooks.filter(
    (each) => each.isEnabled && each.isLive === isLive && each.url.endsWith(WEBHOOK_PATH),
  );
  const [best] = ours.map((each) => judge(each, version)).sort((one, other) => one.length - other.length);
  return best ?? [`Stripe has no enabled webhook whose address ends with ${WEBHOOK_PATH}`];
}

function judge({ url, events, version: its }: WebhookFacts, version: string): string[] {
  const faults: string[] = [];
  const missing = Object.keys(STRIPE_EVENTS).filter((type) => !events.includes(type));
  if (missing.length > 0 && !events.includes('*')) {
    faults.push(`the webhook ${url} is not told of ${missing.join(', ')}; add them at Stripe`);
  }
  if (its !== version) {
    faults.push(
      `the webhook ${url} has the API version ${its ?? "of Stripe's account"}; create it with ${version}`,
    );
  }
  return faults;
}
