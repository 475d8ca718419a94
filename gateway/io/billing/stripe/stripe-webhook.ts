import type Stripe from 'stripe';
import { eventRuleOf, type BillingEvent } from '../../../core/billing/stripe-events.js';
import { GatewayError } from '../../../core/problems.js';

const TOLERANCE_SECONDS = 300;

/** A webhook body and what its signature is verified with. `nowMs` is in milliseconds since the epoch. */
type SignedBody = {
  readonly body: Uint8Array;
  readonly signature: string | undefined;
  readonly secrets: readonly string[];
  readonly nowMs: number;
};

/**
 * Verifies a webhook body and returns its event.
 * @throws GatewayError 'webhook-signature-invalid' if none of the secrets signed the body within the last five minutes;
 * 'request-malformed' if the body is signed and not an event with its object
 */
export function toBillingEvent(
  { webhooks }: Pick<Stripe, 'webhooks'>,
  { body, signature = '', secrets, nowMs }: SignedBody,
): BillingEvent {
  const bytes = Buffer.from(body);
  const hasSigned = (secret: string): boolean => {
    try {
      const signatures = webhooks.signature;
      return signatures?.verifyHeader(bytes, signature, secret, TOLERANCE_SECONDS, undefined, nowMs) === true;
    } catch {
      return false; // signed with another secret, too old, or altered
    }
  };
  if (isFuture(signature, nowMs) || !secrets.some(hasSigned))
    throw new GatewayError('webhook-signature-invalid');
  try {
    return toEvent(JSON.parse(bytes.toString()) as Stripe.Event); // its members are checked
  } catch (cause) {
    throw new GatewayError('request-malformed', { detail: describeBody(bytes.toString()), cause });
  }
}

/** Returns what is wrong with a signed body, and what to change at Stripe. */
function describeBody(text: string): string {
  return /"object"\s*:\s*"v2\.core\.event"/.test(text)
    ? 'The signature is valid, but this is a thin event, without its object. At Stripe, choose the payload style Snapshot.'
    : 'The signature is valid, but the body is not an event of Stripe.';
}

/** Returns whether a signature is from the future. The SDK rejects only signatures that are too old. */
function isFuture(signature: string, nowMs: number): boolean {
  const [, seconds = '0'] = /(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature) ?? [];
  return Number(seconds) > nowMs / 1000 + TOLERANCE_SECONDS;
}

/** Converts an event of Stripe. @throws TypeError for signed JSON that is not an event */
function toEvent({ id, type, livemode, data }: Stripe.Event): BillingEvent {
  if (!/^evt_\w{1,250}$/.test(id) || typeof type !== 'string') throw new TypeError('not an event');
  const object = data.object as unknown as Readonly<Record<string, unknown>>; // its members are checked below
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

/** Returns the id of an object that Stripe sends as its id or expanded. */
function idIn(object: unknown): string | null {
  if (typeof object === 'string') return object;
  const id = typeof object === 'object' && object !== null ? (object as { id?: unknown }).id : undefined;
  return typeof id === 'string' ? id : null;
}
