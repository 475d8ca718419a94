import fc from 'fast-check';
import { toPriceBook } from '../../gateway/core/billing/billing-settings.js';
import {
  grantFromSubscription,
  OUTCOMES,
  type Outcome,
  type SubscriptionGrant,
} from '../../gateway/core/billing/grant-from-subscription.js';
import { STATUSES, type Payment, type Subscription } from '../../gateway/core/billing/subscription.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { aSubscription, BILLING, PRICES } from '../fixtures/billing.js';

const DAY = 86_400_000;
const START = Date.parse('2026-08-01T00:00:00Z');
const END = Date.parse('2026-09-01T00:00:00Z');
const BOOK = toPriceBook(BILLING, 'test');
const grant = (said: Partial<Subscription> = {}): SubscriptionGrant =>
  grantFromSubscription(aSubscription(said), BOOK);
const item = (price: string, said = {}) => ({ price, periodStartMs: START, periodEndMs: END, ...said });
const BEFORE = START - 30 * DAY;
const paid = (said: Partial<Payment> = {}): Payment => ({
  paidAtMs: START,
  cents: 14_900,
  refundedCents: 0,
  dispute: 'none',
  ...said,
});
const single = (chain?: string): Partial<Subscription> => ({
  items: [item(PRICES['single-chain'])],
  metadata: { account: 'acme', ...(chain === undefined ? {} : { chain }) },
});

describe('a paid subscription', () => {
  it('gives its plan from its beginning until three days after its period', () => {
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

  it.each(CHAIN_IDS)('to Single Chain gives the chain that its metadata names: %s', (chain) => {
    expect(grant(single(chain))).toMatchObject({ outcome: 'granted', plan: 'single-chain', chain });
  });

  it('keeps an older price of its plan', () => {
    expect(grant({ ...single('base'), items: [item('price_oldsingle')] })).toMatchObject({
      outcome: 'granted',
      plan: 'single-chain',
    });
  });

  it('is of the plan of its price, whatever plan its metadata names', () => {
    expect(grant({ ...single('base'), metadata: { chain: 'base', plan: 'research' } }).plan).toBe(
      'single-chain',
    );
    expect(grant({ metadata: { plan: 'single-chain', chain: 'base' } })).toMatchObject({
      plan: 'research',
      chain: null,
    });
  });

  it('of several items gives the highest plan until the last period is over', () => {
    const items = [item(PRICES['single-chain'], { periodEndMs: END + DAY }), item(PRICES.research)];
    expect(grant({ items })).toMatchObject({ plan: 'research', untilMs: END + 4 * DAY });
  });

  it('ends when it is cancelled, where that is fixed', () => {
    expect(grant({ cancelsAtPeriodEnd: true })).toMatchObject({ untilMs: END, cancelAtMs: END });
    expect(grant({ cancelAtMs: END - DAY })).toMatchObject({ untilMs: END - DAY, cancelAtMs: END - DAY });
    expect(grant({ cancelAtMs: END + 90 * DAY })).toMatchObject({ untilMs: END + 3 * DAY });
  });

  it.each([
    ['a partial refund', [paid({ refundedCents: 14_899 })], 'granted'],
    ['a full refund', [paid({ refundedCents: 14_900 })], 'refunded'],
    ['a full refund of the upgrade alone', [paid(), paid({ cents: 900, refundedCents: 900 })], 'granted'],
    [
      'a full refund of both payments',
      [paid({ refundedCents: 14_900 }), paid({ refundedCents: 14_900 })],
      'refunded',
    ],
    [
      'a full refund of the period before',
      [paid(), paid({ paidAtMs: BEFORE, refundedCents: 14_900 })],
      'granted',
    ],
    [
      'a full refund of a payment made a little early',
      [paid({ paidAtMs: START - 1, refundedCents: 14_900 })],
      'refunded',
    ],
    ['an open dispute', [paid({ dispute: 'open' })], 'disputed'],
    [
      'an open dispute of the period before',
      [paid(), paid({ paidAtMs: BEFORE, dispute: 'open' })],
      'disputed',
    ],
    ['a lost dispute', [paid({ dispute: 'lost' })], 'disputed'],
    ['a won dispute', [paid({ refundedCents: 1, dispute: 'won' })], 'granted'],
  ] as const)('after %s', (_what, payments, outcome) => {
    expect(grant({ payments }).outcome).toBe(outcome);
  });
});

describe('a subscription whose renewal was not paid', () => {
  it('gives access until seven days after the beginning of the period that is not paid', () => {
    expect(grant({ status: 'past_due' })).toMatchObject({ outcome: 'grace', untilMs: START + 7 * DAY });
  });

  it('ends earlier where the period is short or the cancellation is fixed', () => {
    const items = [item(PRICES.research, { periodEndMs: START + DAY })];
    expect(grant({ status: 'past_due', items }).untilMs).toBe(START + 4 * DAY);
    expect(grant({ status: 'past_due', cancelAtMs: START + 2 * DAY }).untilMs).toBe(START + 2 * DAY);
  });
});

describe('nothing is given', () => {
  it.each<[string, Partial<Subscription>, Outcome]>([
    ['by an unknown status', { status: 'dormant' }, 'status-unknown'],
    ['by a status that is the name of something else', { status: 'toString' }, 'status-unknown'],
    ['by an unknown price', { items: [item('price_other')] }, 'price-unknown'],
    [
      'by an unknown price beside a known one',
      { items: [item(PRICES.research), item('price_other')] },
      'price-unknown',
    ],
    ['by nothing', { items: [] }, 'price-unknown'],
    ['in another currency', { currency: 'eur' }, 'currency-unknown'],
    ['to Single Chain without a chain', single(), 'chain-required'],
    ['to Single Chain with a chain that is none', single('dogecoin'), 'chain-required'],
    ['to Single Chain with a chain in other letters', single('Base'), 'chain-required'],
    [
      'without an end of the period',
      { items: [item(PRICES.research, { periodEndMs: NaN })] },
      'period-unknown',
    ],
    [
      'without a beginning of the period',
      { items: [item(PRICES.research, { periodStartMs: NaN })] },
      'period-unknown',
    ],
    ['with a cancellation that cannot be read', { cancelAtMs: NaN }, 'period-unknown'],
    ['in the other mode', { isLive: true }, 'mode-foreign'],
  ])('%s, and somebody is told', (_what, said, outcome) => {
    expect(grant(said)).toMatchObject({ outcome, untilMs: null });
    expect(OUTCOMES[outcome]).toMatchObject({ gives: false, alerts: true });
  });

  it.each(Object.entries(STATUSES).filter(([, { access }]) => access === 'no'))(
    'by the status %s',
    (status) => {
      expect(grant({ status })).toMatchObject({ outcome: 'inactive', untilMs: null, plan: 'research' });
    },
  );
});

it('never gives more than is paid for, whatever Stripe says', () => {
  const instant = fc.oneof(fc.integer({ min: START - 90 * DAY, max: END + 90 * DAY }), fc.constant(NaN));
  const anyItem = fc.record({
    price: fc.constantFrom(PRICES.research, PRICES['single-chain'], 'price_oldsingle', 'price_other'),
    periodStartMs: instant,
    periodEndMs: instant,
  });
  const any = fc.record({
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
    fc.property(any, (said) => {
      const subscription = aSubscription(said); // its words are Stripe's
      const { outcome, plan, chain, untilMs } = grantFromSubscription(subscription, BOOK);
      expect(OUTCOMES[outcome].gives).toBe(untilMs !== null);
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
    }),
    { numRuns: 1_000 },
  );
});
