import fc from 'fast-check';
import { toPriceBook } from '../../../../gateway/core/billing/billing-settings.js';
import {
  grantFromSubscription,
  OUTCOMES,
  type Outcome,
  type SubscriptionGrant,
} from '../../../../gateway/core/billing/grant-from-subscription.js';
import { STATUSES, type Payment, type Subscription } from '../../../../gateway/core/billing/subscription.js';
import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import { createSubscription, BILLING, PRICES } from '../../../support/stripe/billing.js';

const DAY = 86_400_000;
const START = Date.parse('2026-08-01T00:00:00Z');
const END = Date.parse('2026-09-01T00:00:00Z');
const BOOK = toPriceBook(BILLING, 'test');
const grant = (changes: Partial<Subscription> = {}): SubscriptionGrant =>
  grantFromSubscription(createSubscription(changes), BOOK);
const item = (price: string, changes = {}) => ({
  price,
  periodStartMs: START,
  periodEndMs: END,
  ...changes,
});
const BEFORE = START - 30 * DAY;
const paid = (changes: Partial<Payment> = {}): Payment => ({
  paidAtMs: START,
  cents: 14_900,
  refundedCents: 0,
  dispute: 'none',
  ...changes,
});
const single = (chain?: string): Partial<Subscription> => ({
  items: [item(PRICES['single-chain'])],
  metadata: { account: 'acme', ...(chain === undefined ? {} : { chain }) },
});

describe('a paid subscription', () => {
  it('grants its plan from its start until three days after its period', () => {
    expect(grant()).toEqual({
      outcome: 'granted',
      plan: 'research',
      chain: null,
      sinceMs: START,
      untilMs: END + 3 * DAY,
      periodEndMs: END,
      cancelAtMs: null,
    });
  });

  it.each(CHAIN_IDS)('to Single Chain grants the chain in its metadata: %s', (chain) => {
    expect(grant(single(chain))).toMatchObject({ outcome: 'granted', plan: 'single-chain', chain });
  });

  it('grants its plan at an older price too', () => {
    expect(grant({ ...single('base'), items: [item('price_oldsingle')] })).toMatchObject({
      outcome: 'granted',
      plan: 'single-chain',
    });
  });

  it('grants the plan of its price, not the plan in its metadata', () => {
    expect(grant({ ...single('base'), metadata: { chain: 'base', plan: 'research' } }).plan).toBe(
      'single-chain',
    );
    expect(grant({ metadata: { plan: 'single-chain', chain: 'base' } })).toMatchObject({
      plan: 'research',
      chain: null,
    });
  });

  it('with several items grants the highest plan until three days after the last period', () => {
    const items = [item(PRICES['single-chain'], { periodEndMs: END + DAY }), item(PRICES.research)];
    expect(grant({ items })).toMatchObject({ plan: 'research', untilMs: END + 4 * DAY });
  });

  it('ends at a scheduled cancellation', () => {
    expect(grant({ cancelsAtPeriodEnd: true })).toMatchObject({ untilMs: END, cancelAtMs: END });
    expect(grant({ cancelAtMs: END - DAY })).toMatchObject({ untilMs: END - DAY, cancelAtMs: END - DAY });
    expect(grant({ cancelAtMs: END + 90 * DAY })).toMatchObject({ untilMs: END + 3 * DAY });
  });

  it.each([
    ['a partial refund', 'granted', [paid({ refundedCents: 14_899 })]],
    ['a full refund', 'refunded', [paid({ refundedCents: 14_900 })]],
    ['a full refund of only the upgrade', 'granted', [paid(), paid({ cents: 900, refundedCents: 900 })]],
    [
      'a full refund of both payments',
      'refunded',
      [paid({ refundedCents: 14_900 }), paid({ refundedCents: 14_900 })],
    ],
    [
      'a full refund of the previous period',
      'granted',
      [paid(), paid({ paidAtMs: BEFORE, refundedCents: 14_900 })],
    ],
    [
      'a full refund of a payment made just before the period',
      'refunded',
      [paid({ paidAtMs: START - 1, refundedCents: 14_900 })],
    ],
    ['an open dispute', 'disputed', [paid({ dispute: 'open' })]],
    [
      'an open dispute of the previous period',
      'disputed',
      [paid(), paid({ paidAtMs: BEFORE, dispute: 'open' })],
    ],
    ['a lost dispute', 'disputed', [paid({ dispute: 'lost' })]],
    ['a won dispute', 'granted', [paid({ dispute: 'won' })]],
  ] as const)('after %s has the outcome %s', (_what, outcome, payments) => {
    expect(grant({ payments }).outcome).toBe(outcome);
  });
});

describe('a subscription with an unpaid renewal', () => {
  it('grants access until seven days after the start of the unpaid period', () => {
    expect(grant({ status: 'past_due' })).toMatchObject({ outcome: 'grace', untilMs: START + 7 * DAY });
  });

  it('ends earlier if the period is short or a cancellation is scheduled', () => {
    const items = [item(PRICES.research, { periodEndMs: START + DAY })];
    expect(grant({ status: 'past_due', items }).untilMs).toBe(START + 4 * DAY);
    expect(grant({ status: 'past_due', cancelAtMs: START + 2 * DAY }).untilMs).toBe(START + 2 * DAY);
  });
});

describe('a subscription grants nothing', () => {
  it.each<[string, Partial<Subscription>, Outcome]>([
    ['with an unknown status', { status: 'dormant' }, 'status-unknown'],
    ['with a status that is the name of an object member', { status: 'toString' }, 'status-unknown'],
    ['with an unknown price', { items: [item('price_other')] }, 'price-unknown'],
    [
      'with an unknown price in addition to a known one',
      { items: [item(PRICES.research), item('price_other')] },
      'price-unknown',
    ],
    ['without items', { items: [] }, 'price-unknown'],
    ['in another currency', { currency: 'eur' }, 'currency-unknown'],
    ['to Single Chain without a chain', single(), 'chain-required'],
    ['to Single Chain with an unknown chain', single('dogecoin'), 'chain-required'],
    ['to Single Chain with a capitalized chain', single('Base'), 'chain-required'],
    [
      'without an end of its period',
      { items: [item(PRICES.research, { periodEndMs: NaN })] },
      'period-unknown',
    ],
    [
      'without a start of its period',
      { items: [item(PRICES.research, { periodStartMs: NaN })] },
      'period-unknown',
    ],
    ['with an invalid cancellation date', { cancelAtMs: NaN }, 'period-unknown'],
    ['in the other mode', { isLive: true }, 'mode-foreign'],
  ])('%s, and raises an alert', (_what, changes, outcome) => {
    expect(grant(changes)).toMatchObject({ outcome, untilMs: null });
    expect(OUTCOMES[outcome]).toMatchObject({ grantsAccess: false, alerts: true });
  });

  it.each(Object.entries(STATUSES).filter(([, { access }]) => access === 'no'))(
    'with the status %s',
    (status) => {
      expect(grant({ status })).toMatchObject({ outcome: 'inactive', untilMs: null, plan: 'research' });
    },
  );
});

it('never grants more than was paid for, in any state of the subscription', () => {
  const instant = fc.oneof(fc.integer({ min: START - 90 * DAY, max: END + 90 * DAY }), fc.constant(NaN));
  const anyItem = fc.record({
    price: fc.constantFrom(PRICES.research, PRICES['single-chain'], 'price_oldsingle', 'price_other'),
    periodStartMs: instant,
    periodEndMs: instant,
  });
  const anyChanges = fc.record({
    status: fc.constantFrom(...Object.keys(STATUSES), 'dormant', ''),
    isLive: fc.boolean(),
    currency: fc.constantFrom('usd', 'usd', 'eur'),
    metadata: fc.dictionary(
      fc.constantFrom('chain', 'plan', 'account'),
      fc.constantFrom('base', 'research', 'x'),
    ),
    items: fc.array(anyItem, { maxLength: 3 }),
    cancelAtMs: fc.option(fc.integer({ min: START, max: END + 90 * DAY })),
    cancelsAtPeriodEnd: fc.boolean(),
    payments: fc.array(
      fc.record({
        paidAtMs: instant,
        cents: fc.constantFrom(900, 14_900),
        refundedCents: fc.constantFrom(0, 900, 14_900),
        dispute: fc.constantFrom('none', 'open', 'won', 'lost'),
      }),
      { maxLength: 2 },
    ),
  });
  fc.assert(
    fc.property(anyChanges, (changes) => {
      const subscription = createSubscription(changes);
      const { outcome, plan, chain, untilMs } = grantFromSubscription(subscription, BOOK);
      expect(OUTCOMES[outcome].grantsAccess).toBe(untilMs !== null);
      if (untilMs === null) return;
      expect(Number.isFinite(untilMs)).toBe(true);
      expect(['active', 'trialing', 'past_due']).toContain(subscription.status);
      expect([subscription.isLive, subscription.currency]).toEqual([false, 'usd']);
      expect(untilMs).toBeLessThanOrEqual(
        Math.max(...subscription.items.map((each) => each.periodEndMs)) + 3 * DAY,
      );
      if (subscription.cancelAtMs !== null) expect(untilMs).toBeLessThanOrEqual(subscription.cancelAtMs);
      expect(subscription.items.map(({ price }) => price)).not.toContain('price_other');
      if (plan === 'single-chain') expect(chain).toBe(subscription.metadata['chain']);
      else expect(subscription.items.map(({ price }) => price)).toContain(PRICES.research);
      expect(subscription.payments.map(({ dispute }) => dispute)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/open|lost/)]),
      );
      const startMs = Math.max(...subscription.items.map((each) => each.periodStartMs));
      // A payment up to a day before the period counts as its payment.
      const ofPeriod = subscription.payments.filter(({ paidAtMs }) => paidAtMs >= startMs - DAY);
      const kept = ofPeriod.filter(({ cents, refundedCents }) => refundedCents < cents);
      expect(kept.length > 0).toBe(ofPeriod.length > 0);
    }),
    { numRuns: 1_000 },
  );
});
