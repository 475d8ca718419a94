import type { Payment } from '../../../../../gateway/core/billing/subscription.js';
import {
  give,
  list,
  seconds,
  startCannedStripe,
  stripeCharge,
  stripeInvoicePayment,
  stripeItem,
  stripeSubscription,
  type CannedStripe,
  type Thing,
} from '../../../../support/stripe/canned-stripe.js';

const CHARGES = 'GET /v1/charges';
const INVOICE_PAYMENTS = 'GET /v1/invoice_payments';
const DISPUTES = 'GET /v1/disputes';
const AUGUST = Date.parse('2026-08-01T00:00:00Z');
const PAID = { paidAtMs: AUGUST, cents: 14_900, refundedCents: 0, dispute: 'none' } as const;
const REFUNDED = { amount_refunded: 14_900 };
const OF_JULY = { created: seconds('2026-07-01T00:00:00Z') };

let stripe: CannedStripe;
beforeAll(async () => {
  stripe = await startCannedStripe();
});
afterAll(() => stripe.dispose());
beforeEach(() => stripe.reset());

/** Creates a Stripe dispute of a charge. */
const aDispute = (charge: Thing, status: string): Thing => ({
  id: `dp_${charge.id}_${status}`,
  charge: charge.id,
  status,
});

type Canned = {
  readonly charges: readonly Thing[];
  readonly disputes?: readonly Thing[];
  /** One of the subscription for each charge by default. */
  readonly invoicePayments?: readonly Thing[];
  readonly subscription?: object;
};

/** Reads the payments of a subscription whose customer has these charges. */
async function read({ charges, disputes = [], invoicePayments, subscription }: Canned): Promise<unknown> {
  const paid = invoicePayments ?? charges.map(({ id }) => stripeInvoicePayment(id.replace('ch_', '')));
  const intentOf = ({ payment }: Thing): unknown => (payment as { payment_intent: string }).payment_intent;
  stripe.answer('GET /v1/customers/cus_1', give({ id: 'cus_1', metadata: {} }));
  stripe.answer('GET /v1/subscriptions', list([stripeSubscription(subscription)]));
  stripe.answer(CHARGES, list(charges));
  stripe.answer(
    INVOICE_PAYMENTS,
    list(paid, (each, params) => intentOf(each) === params['payment[payment_intent]']),
  );
  stripe.answer(
    DISPUTES,
    list(disputes, ({ charge }, params) => charge === params['charge']),
  );
  return (await stripe.billing.readCustomer('cus_1')).subscriptions[0]?.payments;
}

const routes = (): string[] => stripe.sent.slice(2).map(({ route }) => route);

describe('which payments are read', () => {
  it.each(['incomplete', 'incomplete_expired', 'unpaid', 'paused', 'canceled', 'dreaming'])(
    'none of a subscription that is %s, without any request',
    async (status) => {
      expect(await read({ charges: [stripeCharge('1', REFUNDED)], subscription: { status } })).toEqual([]);
      expect(routes()).toEqual([]);
    },
  );

  it.each(['active', 'trialing', 'past_due'])('those of a subscription that is %s', async (status) => {
    const payments = await read({ charges: [stripeCharge('1', REFUNDED)], subscription: { status } });
    expect(payments).toEqual([{ ...PAID, refundedCents: 14_900 }]);
  });

  it('none if nothing was refunded or disputed, and only the charges are requested', async () => {
    expect(await read({ charges: [stripeCharge('1'), stripeCharge('2')] })).toEqual([]);
    expect(routes()).toEqual([CHARGES]);
  });

  it('also those that were not refunded, if another was', async () => {
    const charges = [stripeCharge('1', { amount_refunded: 100 }), stripeCharge('2', { amount_captured: 1 })];
    expect(await read({ charges })).toEqual([
      { ...PAID, refundedCents: 100 },
      { ...PAID, cents: 1 },
    ]);
  });

  it('none that were not paid', async () => {
    expect(await read({ charges: [stripeCharge('1', { ...REFUNDED, paid: false })] })).toEqual([]);
    expect(routes()).toEqual([CHARGES]);
  });

  it('none of an earlier period that was refunded', async () => {
    expect(await read({ charges: [stripeCharge('1', { ...REFUNDED, ...OF_JULY })] })).toEqual([]);
    expect(routes()).toEqual([CHARGES]);
  });

  it('a disputed one of an earlier period, and then all of this period', async () => {
    const old = stripeCharge('1', { ...OF_JULY, disputed: true });
    const charges = [stripeCharge('3'), stripeCharge('2', OF_JULY), old];
    expect(await read({ charges, disputes: [aDispute(old, 'lost')] })).toEqual([
      PAID,
      { ...PAID, paidAtMs: Date.parse('2026-07-01T00:00:00Z'), dispute: 'lost' },
    ]);
  });

  it('those at most a day before the period', async () => {
    const created = seconds('2026-07-31T00:00:00Z');
    const early = [stripeCharge('1', { ...REFUNDED, created })];
    expect(await read({ charges: early })).toMatchObject([{ paidAtMs: created * 1000 }]);
    expect(await read({ charges: [stripeCharge('1', { ...REFUNDED, created: created - 1 })] })).toEqual([]);
  });

  it('those of the latest period of its items', async () => {
    const july = stripeItem({ current_period_start: OF_JULY.created });
    const charges = [stripeCharge('1', { ...REFUNDED, ...OF_JULY })];
    const both = { items: { data: [july, stripeItem()] } };
    expect(await read({ charges, subscription: both })).toEqual([]);
    expect(await read({ charges, subscription: { items: { data: [july] } } })).toHaveLength(1);
  });

  it('all of a subscription with an unknown period', async () => {
    const items = { data: [{ price: { id: 'price_1' } }] };
    const charges = [stripeCharge('1', { ...REFUNDED, ...OF_JULY })];
    expect(await read({ charges, subscription: { items } })).toHaveLength(1);
  });

  it.each(['cus_1', { id: 'cus_1', object: 'customer' }])(
    'those of the customer since a day before the subscription was created: %j',
    async (customer) => {
      await read({ charges: [], subscription: { customer } });
      const sinceSeconds = seconds('2026-05-31T00:00:00Z');
      expect(stripe.paramsOf(CHARGES)).toEqual([
        { customer: 'cus_1', 'created[gte]': String(sinceSeconds), limit: '100' },
      ]);
    },
  );
});

describe('a payment', () => {
  const withInvoice = (invoice: unknown): Thing => ({ ...stripeInvoicePayment('1'), invoice });

  it.each<[string, Thing]>([
    ['the subscription by its id', stripeInvoicePayment('1')],
    ['the expanded subscription', stripeInvoicePayment('1', { id: 'sub_1', object: 'subscription' })],
  ])('counts when its invoice is of %s', async (_what, each) => {
    const charges = [stripeCharge('1', REFUNDED)];
    expect(await read({ charges, invoicePayments: [each] })).toEqual([{ ...PAID, refundedCents: 14_900 }]);
  });

  it.each<[string, Thing[]]>([
    ['is of another subscription', [stripeInvoicePayment('1', 'sub_2')]],
    ['is of another, expanded subscription', [stripeInvoicePayment('1', { id: 'sub_2' })]],
    ['is of no subscription', [withInvoice({ id: 'in_1', parent: null })]],
    ['is of a quote', [withInvoice({ id: 'in_1', parent: { subscription_details: null } })]],
    ['was deleted', [withInvoice({ id: 'in_1', deleted: true })]],
    ['is not expanded', [withInvoice('in_1')]],
    ['is missing', []],
  ])('does not count when its invoice %s', async (_what, invoicePayments) => {
    expect(await read({ charges: [stripeCharge('1', REFUNDED)], invoicePayments })).toEqual([]);
    expect(routes()).toEqual([CHARGES, INVOICE_PAYMENTS]);
  });

  it('counts when one of the invoices that it paid is of the subscription', async () => {
    const other = { ...stripeInvoicePayment('1', 'sub_2'), id: 'inpay_other' };
    const invoicePayments = [other, stripeInvoicePayment('1')];
    expect(await read({ charges: [stripeCharge('1', REFUNDED)], invoicePayments })).toHaveLength(1);
  });

  it('does not count without a payment intent, and sends no request', async () => {
    expect(await read({ charges: [stripeCharge('1', { ...REFUNDED, payment_intent: null })] })).toEqual([]);
    expect(routes()).toEqual([CHARGES]);
  });

  it.each(['pi_1', { id: 'pi_1', object: 'payment_intent' }])(
    'is looked up by its payment intent: %j',
    async (intent) => {
      expect(
        await read({ charges: [stripeCharge('1', { ...REFUNDED, payment_intent: intent })] }),
      ).toHaveLength(1);
      expect(stripe.paramsOf(INVOICE_PAYMENTS)).toEqual([
        {
          'payment[type]': 'payment_intent',
          'payment[payment_intent]': 'pi_1',
          'expand[0]': 'data.invoice',
          limit: '100',
        },
      ]);
    },
  );
});

describe('a dispute', () => {
  const charge = stripeCharge('1', { disputed: true });

  it.each<[string, Payment['dispute']]>([
    ['needs_response', 'open'],
    ['under_review', 'open'],
    ['a_new_status', 'open'],
    ['constructor', 'open'],
    ['won', 'won'],
    ['prevented', 'won'],
    ['lost', 'lost'],
    ['warning_needs_response', 'none'],
    ['warning_under_review', 'none'],
    ['warning_closed', 'none'],
  ])('with the status %s counts as %s', async (status, dispute) => {
    expect(await read({ charges: [charge], disputes: [aDispute(charge, status)] })).toEqual([
      { ...PAID, dispute },
    ]);
    expect(stripe.paramsOf(DISPUTES)).toEqual([{ charge: 'ch_1', limit: '100' }]);
  });

  it.each<[string[], Payment['dispute']]>([
    [['won', 'lost', 'under_review'], 'open'],
    [['warning_closed', 'won', 'lost'], 'lost'],
    [['warning_closed', 'won'], 'won'],
    [[], 'none'],
  ])('counts by the worst of several statuses: %j', async (statuses, dispute) => {
    const disputes = statuses.map((status) => aDispute(charge, status));
    expect(await read({ charges: [charge], disputes })).toEqual([{ ...PAID, dispute }]);
  });

  it('is not requested for a charge that was not disputed', async () => {
    const charges = [stripeCharge('1', { amount_refunded: 1 })];
    expect(await read({ charges, disputes: [aDispute(charge, 'lost')] })).toEqual([
      { ...PAID, refundedCents: 1 },
    ]);
    expect(routes()).toEqual([CHARGES, INVOICE_PAYMENTS]);
  });
});
