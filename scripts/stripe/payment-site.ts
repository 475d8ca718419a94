import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { CHAINS, PLANS, type PlanId } from '../../schemas/catalog.js';
import type { Subscription } from '../../gateway/core/billing/subscription.js';
import { toPage } from '../identity/plain-page.js';
import { createFakeBilling, FAKE_SIGNATURE, type FakeBilling } from './fake-billing.js';
import type { FakeBillingOptions } from './fake-billing-world.js';

/** A payment service on loopback with pages for buyers. No money moves. */
type PaymentSite = {
  readonly billing: FakeBilling;
  /** Connects the service to a gateway: buyers return to `returnUrl`, and events are sent to `webhookUrl`. */
  readonly connect: (gateway: { readonly returnUrl: string; readonly webhookUrl: string }) => void;
  readonly stop: () => Promise<void>;
};

/** Options for `startPaymentSite`. */
export type PaymentSiteOptions = Pick<FakeBillingOptions, 'now' | 'prices'> & {
  /** Resolves when the buyer's bank confirms a delayed payment; by default, after ten seconds. */
  readonly bank?: () => Promise<void>;
};

type Connection = Parameters<PaymentSite['connect']>[0];

const LATER_MS = 10_000;
const PATH = /^\/(pay|portal)\/(\w+)(?:\/([a-z-]+))?$/;

/** Starts a payment service on a free port. */
export async function startPaymentSite({ now, prices, bank }: PaymentSiteOptions): Promise<PaymentSite> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a TCP server
  const url = `http://127.0.0.1:${port}`;
  const billing = createFakeBilling({ now, prices, pageUrl: (page, id) => `${url}/${page}/${id}` });
  const notify = createNotifier(billing);
  const stopping = new AbortController();
  const confirmed = bank ?? (() => setTimeout(LATER_MS, undefined, { ref: false, signal: stopping.signal }));
  let connection: Connection | undefined;

  async function pay(id: string, action: string, webhookUrl: string): Promise<void> {
    const complete = async (): Promise<void> => {
      billing.complete(id);
      await notify(webhookUrl);
    };
    if (action !== 'later') await complete();
    else
      void confirmed()
        .then(complete)
        .catch(() => undefined);
  }

  async function change(id: string, action: string, webhookUrl: string): Promise<void> {
    for (const each of currentOf(billing, id)) CHANGES[action]?.(billing, each, now());
    await notify(webhookUrl);
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const [, page, id, action] = PATH.exec(req.url ?? '') ?? [];
    if (connection === undefined || page === undefined || id === undefined) {
      res.writeHead(404).end();
      return;
    }
    const { returnUrl, webhookUrl } = connection;
    const isPayment = page === 'pay';
    if (req.method === 'POST' && action !== undefined) {
      await (isPayment ? pay : change)(id, action, webhookUrl);
      const next = isPayment ? `${returnUrl}?checkout=success&session_id=${id}` : `${url}/portal/${id}`;
      res.writeHead(303, { Location: next }).end();
      return;
    }
    const html = isPayment ? await payPage(billing, id, returnUrl) : portalPage(billing, id, returnUrl);
    res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' }).end(html);
  }

  server.on('request', (req, res) => void answer(req, res).catch(() => res.writeHead(400).end()));
  return {
    billing,
    connect: (gateway) => (connection = gateway),
    async stop() {
      stopping.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a function that sends a webhook all events not sent yet, as the payment service would. */
function createNotifier(billing: FakeBilling): (webhookUrl: string) => Promise<void> {
  let sent = 0;
  return async (webhookUrl) => {
    const events = billing.events.slice(sent);
    sent = billing.events.length;
    for (const event of events) {
      const headers = { 'Stripe-Signature': FAKE_SIGNATURE };
      await fetch(webhookUrl, { method: 'POST', headers, body: Buffer.from(billing.toBody(event)) });
    }
  };
}

/** What each button of the portal does to a subscription. */
const CHANGES: Readonly<
  Record<string, (billing: FakeBilling, subscription: Subscription, nowMs: number) => void>
> = {
  'cancel-later': (billing, { id, items }) =>
    billing.change(id, 'customer.subscription.updated', {
      cancelsAtPeriodEnd: true,
      cancelAtMs: items[0]?.periodEndMs ?? null,
    }),
  keep: (billing, { id }) =>
    billing.change(id, 'customer.subscription.updated', { cancelsAtPeriodEnd: false, cancelAtMs: null }),
  'cancel-now': (billing, { id }, nowMs) =>
    billing.change(id, 'customer.subscription.deleted', { status: 'canceled', cancelAtMs: nowMs }),
  'fail-payment': (billing, { id, items }, nowMs) =>
    billing.change(id, 'invoice.payment_failed', {
      status: 'past_due',
      items: items.map((item) => ({ ...item, periodStartMs: nowMs })),
    }),
  'pay-again': (billing, { id }) => billing.change(id, 'invoice.paid', { status: 'active' }),
};

/** Returns the buttons of the portal for a subscription, by their actions. */
function buttonsOf({ status, cancelsAtPeriodEnd }: Subscription): Readonly<Record<string, string>> {
  return {
    ...(cancelsAtPeriodEnd
      ? { keep: 'Keep the subscription' }
      : { 'cancel-later': 'Cancel at the end of the period' }),
    'cancel-now': 'Cancel now',
    ...(status === 'active'
      ? { 'fail-payment': 'Let the payment of the renewal fail' }
      : { 'pay-again': 'Pay the renewal' }),
  };
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  active: 'active',
  past_due: 'the payment of the renewal failed',
};

function currentOf(billing: FakeBilling, customer: string): Subscription[] {
  return billing.subscriptions().filter((each) => each.customer === customer && each.status !== 'canceled');
}

async function payPage(billing: FakeBilling, id: string, returnUrl: string): Promise<string> {
  const { state } = await billing.readCheckout(id);
  const { plan, chain } = billing.purchaseOf(id);
  const { name, monthlyCents } = PLANS[plan];
  const form = (action: string, label: string): string =>
    `<form method="post" action="/pay/${id}/${action}"><button>${label}</button></form>`;
  const forms = [form('now', 'Pay'), form('later', 'Pay, and let the bank confirm it later')].join('\n');
  return toPage(
    'Pay in the demo',
    `<p>${name}${chain === null ? '' : ` for ${CHAINS[chain].name}`}: $${monthlyCents / 100} a month. No money moves. In a real shop, the buyer's bank would confirm the payment, now or later.</p>
${state === 'open' ? forms : '<p>This checkout is closed.</p>'}
<p><a href="${returnUrl}?checkout=cancelled">Back without paying</a></p>`,
  );
}

function portalPage(billing: FakeBilling, id: string, returnUrl: string): string {
  const subscriptions = currentOf(billing, id);
  const rows = subscriptions.map(({ metadata, status, cancelsAtPeriodEnd }) => {
    const { name } = PLANS[metadata['plan'] as PlanId]; // written at checkout
    const words = STATUS_WORDS[status] ?? status;
    return `<p>${name}: ${words}${cancelsAtPeriodEnd ? ', ends at the end of the period' : ''}</p>`;
  });
  const buttons = subscriptions.map(buttonsOf).reduce((all, each) => ({ ...all, ...each }), {});
  const forms = Object.entries(buttons).map(
    ([action, label]) =>
      `<form method="post" action="/portal/${id}/${action}"><button>${label}</button></form>`,
  );
  return toPage(
    'Billing portal of the demo',
    `${rows.length === 0 ? '<p>No subscription.</p>' : [...rows, ...forms].join('\n')}
<p><a href="${returnUrl}?portal=returned">Back to the account</a></p>`,
  );
}
