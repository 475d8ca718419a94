import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { BillingPort } from '../../../gateway/io/billing/billing-port.js';
import {
  createStripeBilling,
  type StripeOptions,
} from '../../../gateway/io/billing/stripe/stripe-billing.js';
import { BILLING, PRICES } from './billing.js';
import { startLoopbackServer } from '../process/loopback-server.js';

/** A request that the server received. Parameter names are in bracket notation, such as `metadata[account]`. */
export type Sent = {
  /** Such as `GET /v1/customers/cus_1`. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  /** Idempotency key. */
  readonly key: string | undefined;
};

/** Answers a request, or leaves it unanswered. */
export type Reply = (sent: Sent, res: ServerResponse) => void;

/** A loopback server with canned responses of Stripe, and a billing adapter connected to it. */
export type CannedStripe = {
  readonly billing: BillingPort;
  readonly sent: Sent[];
  /** Errors passed to `onError`. */
  readonly errors: unknown[];
  /** Sets the responses of a route, or of `*`. They are used in order, and the last one repeatedly. */
  readonly answer: (route: string, ...replies: Reply[]) => void;
  /** Creates another adapter, with changed options. */
  readonly connect: (changes: Partial<StripeOptions>) => BillingPort;
  /** Returns the parameters of the requests to a route, in order. */
  readonly paramsOf: (route: string) => Sent['params'][];
  readonly reset: () => void;
  readonly dispose: () => Promise<void>;
};

/** An object of the Stripe API. */
export type Thing = Readonly<Record<string, unknown>> & { readonly id: string };

/** Number of objects in a page, regardless of the requested limit. */
export const PAGE = 2;

/** Starts the server. A route without a canned response answers 404. */
export async function startCannedStripe(): Promise<CannedStripe> {
  const sent: Sent[] = [];
  const errors: unknown[] = [];
  const routes = new Map<string, Reply[]>();
  const server = await startLoopbackServer((req, res) => {
    void receive(req).then((each) => {
      sent.push(each);
      const replies = routes.get(each.route) ?? routes.get('*') ?? [];
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      (reply ?? refuse(404, { message: `No canned answer to ${each.route}` }))(each, res);
    });
  });
  const connect = (changes: Partial<StripeOptions>): BillingPort =>
    createStripeBilling({
      ...BILLING,
      prices: PRICES,
      apiBase: server.endpoint,
      now: () => Date.now(),
      onError: (error) => errors.push(error),
      ...changes,
    });
  return {
    billing: connect({}),
    sent,
    errors,
    answer: (route, ...replies) => void routes.set(route, replies),
    connect,
    paramsOf: (route) => sent.filter((each) => each.route === route).map(({ params }) => params),
    reset() {
      sent.length = 0;
      errors.length = 0;
      routes.clear();
    },
    dispose: () => server.dispose(),
  };
}

async function receive(req: IncomingMessage): Promise<Sent> {
  const body = await text(req);
  const [path = '', query = ''] = (req.url ?? '').split('?');
  const key = req.headers['idempotency-key'];
  return {
    route: `${req.method ?? ''} ${path}`,
    params: Object.fromEntries(new URLSearchParams(body || query)),
    key: typeof key === 'string' ? key : undefined,
  };
}

/** Creates a reply with this JSON text. */
export function say(status: number, body: string): Reply {
  return (_sent, res) => void res.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
}

/** Creates a reply with a document. */
export function give(document: object): Reply {
  return say(200, JSON.stringify(document));
}

/** Creates a reply with an error of Stripe. */
export function refuse(status: number, error: object = {}): Reply {
  return say(status, JSON.stringify({ error: { type: 'invalid_request_error', message: 'no', ...error } }));
}

/** Creates a reply with a page of a list. `choose` selects the objects that a request asks for. */
export function list(
  things: readonly Thing[],
  choose: (thing: Thing, params: Sent['params']) => boolean = () => true,
): Reply {
  return (sent, res) => {
    const chosen = things.filter((each) => choose(each, sent.params));
    const after = sent.params['starting_after'];
    const from = after === undefined ? 0 : chosen.findIndex(({ id }) => id === after) + 1;
    const page = { data: chosen.slice(from, from + PAGE), has_more: chosen.length > from + PAGE };
    const isLost = after !== undefined && from === 0;
    const reply = isLost
      ? refuse(400, { message: `No such id: ${after}` })
      : give({ object: 'list', ...page });
    reply(sent, res);
  };
}

/** Returns seconds since the epoch, as Stripe writes instants. */
export function seconds(instant: string): number {
  return Date.parse(instant) / 1000;
}

/** Creates a Stripe subscription that began in June and is paid for August 2026, with the given changes. */
export function stripeSubscription(changes: object = {}): Thing {
  return {
    id: 'sub_1',
    object: 'subscription',
    customer: 'cus_1',
    status: 'active',
    livemode: false,
    currency: 'usd',
    metadata: { account: 'acme', plan: 'research' },
    created: seconds('2026-06-01T00:00:00Z'),
    items: { object: 'list', data: [stripeItem()], has_more: false },
    cancel_at: null,
    cancel_at_period_end: false,
    ...changes,
  };
}

/** Creates an item of a Stripe subscription, paid for August 2026, with the given changes. */
export function stripeItem(changes: object = {}): object {
  return {
    id: 'si_1',
    object: 'subscription_item',
    price: { id: PRICES.research, object: 'price' },
    current_period_start: seconds('2026-08-01T00:00:00Z'),
    current_period_end: seconds('2026-09-01T00:00:00Z'),
    ...changes,
  };
}

/** Creates a Stripe charge of 149 USD for August 2026, with the given changes. Its id is `ch_<id>`, that of its payment intent `pi_<id>`. */
export function stripeCharge(id: string, changes: object = {}): Thing {
  return {
    id: `ch_${id}`,
    object: 'charge',
    customer: 'cus_1',
    created: seconds('2026-08-01T00:00:00Z'),
    paid: true,
    amount: 14_900,
    amount_captured: 14_900,
    amount_refunded: 0,
    disputed: false,
    payment_intent: `pi_${id}`,
    ...changes,
  };
}

/** Creates the Stripe object by which a payment intent pays an invoice of a subscription. */
export function stripeInvoicePayment(id: string, subscription: unknown = 'sub_1'): Thing {
  const parent = { type: 'subscription_details', subscription_details: { subscription } };
  const payment = { type: 'payment_intent', payment_intent: `pi_${id}` };
  return { id: `inpay_${id}`, object: 'invoice_payment', payment, invoice: { id: 'in_1', parent } };
}
