import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Stripe from 'stripe';
import { openStore } from '../../infra/store/open-store.js';
import { GatewayError } from '../../gateway/core/problems.js';
import { createBillingService, type BillingService } from '../../gateway/io/billing/billing-service.js';
import type { BillingPort } from '../../gateway/io/billing/billing-port.js';
import { toPriceBook } from '../../gateway/core/billing/billing-settings.js';
import { createFakeBilling, FAKE_SIGNATURE, type FakeBilling } from '../../scripts/stripe/fake-billing.js';
import { BILLING, PRICES } from '../support/stripe/billing.js';
import { runGateway, type GatewayRun } from '../support/gateway/gateway-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const NOW = '2026-08-20T12:00:00Z';
let folder: TemporaryFolder;
let env: Record<string, string>;
let billing: FakeBilling;
let service: BillingService;
let subscription: string;

beforeEach(async () => {
  folder = await createTemporaryFolder();
  const accounts = path.join(folder.path, 'accounts');
  env = {
    CRD_STORE: `file:${path.join(folder.path, 'store')}`,
    CRD_ACCOUNTS_STORE: `file:${accounts}`,
    CRD_LINK_SECRET: 'a secret of at least thirty-two bytes',
    CRD_KEY_MODE: 'test',
    CRD_STRIPE_SECRET_KEY: BILLING.secretKey,
    CRD_STRIPE_WEBHOOK_SECRET: BILLING.webhookSecrets.join(','),
    CRD_STRIPE_PRICE_SINGLE_CHAIN: 'price_single',
    CRD_STRIPE_PRICE_RESEARCH: 'price_research',
    CRD_DASHBOARD_URL: BILLING.dashboardUrl,
  };
  const now = (): number => Date.parse(NOW);
  billing = createFakeBilling({ now, prices: { ...PRICES } });
  service = createBillingService({
    store: await openStore(`file:${accounts}`),
    billing,
    book: toPriceBook(BILLING, 'test'),
    random: (size) => new Uint8Array(size),
    now,
    onAlert: () => undefined,
  });
  const { id } = await service.openCheckout('acme', { plan: 'research', chain: null });
  subscription = billing.complete(id);
  for (const event of billing.events) await service.handleEvent(billing.toBody(event), FAKE_SIGNATURE);
});
afterEach(() => folder.dispose());

const run = (line: string, port: BillingPort = billing): Promise<GatewayRun> =>
  runGateway(line.split(' '), { env, billing: port, now: NOW });

/** Returns the exit code, and the account and cause of each difference. */
async function findCauses(line: string, port: BillingPort = billing): Promise<[number, string[]]> {
  const { code, stdout } = await run(`${line} --json`, port);
  const { drifts } = JSON.parse(stdout) as { drifts: { account: string; cause: string; written: boolean }[] };
  return [
    code,
    drifts.map(({ account, cause, written }) => `${account} ${cause}${written ? ' written' : ''}`),
  ];
}

/** Buys Research for an account, and updates its record from Stripe. */
async function buy(account: string): Promise<string> {
  const { id } = await service.openCheckout(account, { plan: 'research', chain: null });
  const bought = billing.complete(id);
  await service.sync(account);
  return bought;
}

const fail = (): Promise<never> =>
  Promise.reject(
    new GatewayError('billing-unavailable', { cause: new Error(`no answer to ${BILLING.secretKey}`) }),
  );

it('exits 0 when every record matches Stripe', async () => {
  expect(await run('reconcile')).toEqual({ code: 0, stdout: 'every record matches Stripe\n', stderr: '' });
});

it('exits 1 and shows what a lost event would have changed, without writing it', async () => {
  billing.change(subscription, 'customer.subscription.deleted', { status: 'canceled' });
  const { code, stdout, stderr } = await run('reconcile');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'To correct the records:\n  gateway reconcile --apply\n',
  });
  expect(stdout).toMatch(
    /acme\s+sub_\w+\s+record-differs\s+active\/granted .*canceled\/inactive .*would be written/,
  );
  expect(await run('reconcile')).toMatchObject({ code: 1, stdout });
});

it('corrects records with --apply, and keeps manual grants', async () => {
  await run('grant --account acme --plan research --until 2026-12-31 --reason invoice');
  billing.change(subscription, 'customer.subscription.deleted', { status: 'canceled' });
  const { code, stdout } = await run('reconcile --apply --json');
  const document = JSON.parse(stdout);
  expect({ code, document }).toMatchObject({
    code: 0,
    document: {
      outcome: 'in-step',
      applied: true,
      drifts: [{ account: 'acme', subscription, cause: 'record-differs' }],
      manual: [{ account: 'acme', plan: 'research', reason: 'invoice' }],
    },
  });
  const shown = JSON.parse((await run('accounts show --account acme --json')).stdout);
  expect(shown.entitlements).toMatchObject({ active: true, grants: [{ origin: 'manual' }] });
  expect((await run('reconcile')).stdout).toMatch(
    /^every record matches Stripe\n\nmanual grants, not changed/,
  );
});

it('finds a purchase whose events were all lost', async () => {
  billing.change(subscription, 'customer.subscription.deleted', { status: 'canceled' });
  const [bought] = billing.subscriptions();
  const again = await billing.createCheckout({
    account: 'acme',
    customer: bought?.customer ?? '',
    plan: 'single-chain',
    chain: 'base',
    idempotencyKey: 'by hand',
  });
  billing.complete(again.id);
  expect((await run('reconcile')).stdout).toMatch(/record-missing\s+-\s+active\/granted single-chain base/);
  expect((await run('reconcile --apply')).code).toBe(0);
  expect((await run('reconcile')).code).toBe(0);
});

it('reports subscriptions of unknown accounts, and damaged documents without changing them', async () => {
  billing.change(subscription, 'customer.subscription.updated', { metadata: { account: 'somebody else' } });
  const [file = ''] = await readdir(path.join(folder.path, 'accounts', 'accounts'));
  const broken = path.join(folder.path, 'accounts', 'accounts', `${'0'.repeat(64)}.json`);
  await mkdir(path.dirname(broken), { recursive: true });
  await writeFile(broken, '{}');
  const { code, stdout } = await run('reconcile --apply');
  expect(code).toBe(1);
  expect(stdout).toMatch(/somebody else\s+sub_\w+\s+account-unknown .*needs attention/);
  expect(stdout).toMatch(/record-damaged\s+accounts\/0{64}\.json/);
  expect(file).not.toBe(''); // the damaged document is beside that of an account
  expect(await readFile(broken, 'utf8')).toBe('{}');
});

describe('an error of Stripe', () => {
  it('for one account is reported, and the other accounts are corrected', async () => {
    const other = await buy('beta');
    for (const each of [subscription, other]) {
      billing.change(each, 'customer.subscription.deleted', { status: 'canceled' });
    }
    const { customer = '' } = billing.subscriptions().find(({ id }) => id === subscription) ?? {};
    const half = {
      ...billing,
      readCustomer: (id: string) => (id === customer ? fail() : billing.readCustomer(id)),
    };
    const [code, causes] = await findCauses('reconcile --apply', half);
    expect([code, causes.sort()]).toEqual([10, ['acme stripe-unreadable', 'beta record-differs written']]);
    expect(await findCauses('reconcile')).toEqual([1, ['acme record-differs']]);
  });

  it('for all accounts ends the run early with exit 10, and prints no secret', async () => {
    for (let i = 0; i < 6; i += 1) await buy(`account ${i}`);
    let calls = 0;
    const down = { ...billing, readCustomer: () => ((calls += 1), fail()) };
    const { code, stdout, stderr } = await run('reconcile --apply', down);
    expect([code, calls]).toEqual([10, 5]);
    expect(stdout).toContain(
      'Stripe did not answer for 5 accounts in a row, so the others were not compared',
    );
    expect(stdout).toMatch(/stripe-unreadable .*no answer to/);
    expect(stdout).toContain('\nstripe-unreadable: Stripe did not answer or refused');
    expect(stdout + stderr).not.toContain(BILLING.secretKey);
  });

  it('that is a refusal never ends the run early', async () => {
    for (let i = 0; i < 6; i += 1) await buy(`account ${i}`);
    const cause = new Stripe.errors.StripeInvalidRequestError({
      type: 'invalid_request_error',
      statusCode: 404,
    });
    const refused = {
      ...billing,
      readCustomer: () => Promise.reject(new GatewayError('billing-unavailable', { cause })),
    };
    const [code, causes] = await findCauses('reconcile', refused);
    expect([code, causes.length]).toEqual([10, 7]);
  });

  it('for a subscription without a record is reported, and the others are compared', async () => {
    const unrecorded = ['one', 'two'];
    for (const account of unrecorded) {
      const customer = await billing.createCustomer(account, `customer ${account}`);
      const what = { account, customer, plan: 'research', chain: null } as const;
      billing.complete((await billing.createCheckout({ ...what, idempotencyKey: account })).id);
    }
    let calls = 0;
    const half = {
      ...billing,
      readCustomerAccount: (id: string) => ((calls += 1) === 1 ? fail() : billing.readCustomerAccount(id)),
    };
    const [code, causes] = await findCauses('reconcile --apply', half);
    expect([code, causes]).toEqual([10, ['one stripe-unreadable', 'two customer-unrecorded written']]);
  });

  it('while subscriptions are listed is reported after the differences found so far', async () => {
    billing.change(subscription, 'customer.subscription.deleted', { status: 'canceled' });
    const half: BillingPort = {
      ...billing,
      async *listSubscriptions() {
        await fail();
      },
    };
    expect(await findCauses('reconcile', half)).toEqual([
      10,
      ['acme record-differs', 'null stripe-unreadable'],
    ]);
  });
});

it('reports a customer who pays but has no access until a person fixes the cause', async () => {
  billing.change(subscription, 'customer.subscription.updated', {
    items: [{ price: 'price_other', periodStartMs: 0, periodEndMs: 1 }],
  });
  expect(await findCauses('reconcile --apply')).toEqual([
    1,
    ['acme record-differs written', 'acme needs-attention'],
  ]);
  const { code, stdout } = await run('reconcile --apply');
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/needs-attention .*a price that is not configured for any plan/),
  ]);
  expect((await run('accounts show --account acme')).stdout).toMatch(
    /customer cus_\w+ at Stripe\n[^]*unknown plan +active +- +price-unknown: The subscription has no items, or a price that is not configured/,
  );
});

it('restores the record of a customer that was lost', async () => {
  const accounts = path.join(folder.path, 'accounts', 'accounts');
  for (const file of await readdir(accounts)) await rm(path.join(accounts, file));
  expect(await findCauses('reconcile')).toEqual([1, ['acme customer-unrecorded']]);
  expect(await findCauses('reconcile --apply')).toEqual([0, ['acme customer-unrecorded written']]);
  expect((await run('accounts show --account acme')).stdout).toMatch(
    /Research +active +2026-09-22\S+ +granted: /,
  );
});

it('ignores what another product sells with the same Stripe account', async () => {
  billing.change(subscription, 'customer.subscription.deleted', { status: 'canceled' });
  await run('reconcile --apply');
  const foreignCustomer = await billing.createCustomer('', 'a customer of another product');
  const options = { account: '', customer: foreignCustomer, plan: 'research', chain: null } as const;
  const foreignSubscription = billing.complete(
    (await billing.createCheckout({ ...options, idempotencyKey: 'foreign' })).id,
  );
  const foreignPrice = [{ price: 'price_foreign', periodStartMs: 0, periodEndMs: 1 }];
  billing.change(foreignSubscription, 'customer.subscription.updated', { metadata: {}, items: foreignPrice });
  expect(await findCauses('reconcile')).toEqual([0, []]);
  billing.change(foreignSubscription, 'customer.subscription.updated', {
    items: [{ price: PRICES.research, periodStartMs: 0, periodEndMs: 1 }],
  });
  expect(await findCauses('reconcile')).toEqual([1, ['null account-unknown']]);
});

it.each(['{}', 'that of another account'])(
  'continues when the document of a customer is damaged: %s',
  async (text) => {
    const accounts = path.join(folder.path, 'accounts', 'accounts');
    const [file = ''] = await readdir(accounts);
    await buy('beta');
    const [other = ''] = (await readdir(accounts)).filter((each) => each !== file);
    const foreign = await readFile(path.join(accounts, other), 'utf8');
    await writeFile(path.join(accounts, file), text === '{}' ? text : foreign);
    expect(await findCauses('reconcile')).toEqual([1, ['null record-damaged']]);
  },
);

it('exits 2 without a Stripe key', async () => {
  const { CRD_STRIPE_SECRET_KEY: _key, CRD_STRIPE_WEBHOOK_SECRET: _secret, ...rest } = env;
  const {
    CRD_STRIPE_PRICE_SINGLE_CHAIN: _a,
    CRD_STRIPE_PRICE_RESEARCH: _b,
    CRD_DASHBOARD_URL: _c,
    ...plain
  } = rest;
  const { code, stderr } = await runGateway(['reconcile'], { env: plain, now: NOW });
  expect([code, stderr]).toEqual([
    2,
    'gateway: Billing is not configured. Set CRD_STRIPE_SECRET_KEY.\n  gateway reconcile\n',
  ]);
});
