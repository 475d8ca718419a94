import type Stripe from 'stripe';
import { eventRuleOf, type BillingEvent } from '../../core/billing/stripe-events.js';
import { GatewayError } from '../../core/problems.js';

const TOLERANCE_SECONDS = 300;

/** A body with what says whose it is; `nowMs` since the epoch. */
export type SignedBody = {
  readonly body: Uint8Array;
  readonly signature: string | undefined;
  readonly secrets: readonly string[];
  readonly nowMs: number;
};

/**
 * The event of a webhook's body, once one of the secrets signed it lately.
 * @throws GatewayError 'webhook-signature-invalid' for every other body, and for one that is no event.
 */
export function toBillingEvent(
  { webhooks }: Pick<Stripe, 'webhooks'>,
  { body, signature = '', secrets, nowMs }: SignedBody,
): BillingEvent {
  for (const secret of isFuture(signature, nowMs) ? [] : secrets) {
    try {
      const text = Buffer.from(body);
      return describe(webhooks.constructEvent(text, signature, secret, TOLERANCE_SECONDS, undefined, nowMs));
    } catch {
      continue; // of another secret, of another time, altered, or no event
    }
  }
  throw new GatewayError('webhook-signature-invalid');
}

/** Whether a signature was made later than clocks differ: the SDK looks for old ones alone. */
function isFuture(signature: string, nowMs: number): boolean {
  const [, seconds = '0'] = /(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature) ?? [];
  return Number(seconds) > nowMs / 1000 + TOLERANCE_SECONDS;
}

/** What an event says. @throws TypeError for a text that somebody signed and that is no event */
function describe({ id, type, livemode, data }: Stripe.Event): BillingEvent {
  if (!/^evt_\w{1,250}$/.test(id) || typeof type !== 'string') throw new TypeError('no event');
  const object = data.object as unknown as Readonly<Record<string, unknown>>; // looked into by name
  const source = eventRuleOf(type)?.source;
  const { metadata, client_reference_id: reference } = object;
  const account = (metadata as { account?: unknown } | null | undefined)?.account ?? reference;
  return {
    id,
    type,
    isLive: livemode,
    customer: idIn(source === 'itself' ? object : object['customer']),
    charge: source === 'charge' ? idIn(object['charge']) : null,
    account: typeof account === 'string' && account !== '' ? account : null,
  };
}

function idIn(thing: unknown): string | null {
  if (typeof thing === 'string') return thing;
  const id = typeof thing === 'object' && thing !== null ? (thing as { id?: unknown }).id : undefined;
  return typeof id === 'string' ? id : null;
}
