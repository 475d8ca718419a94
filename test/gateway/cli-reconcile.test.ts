import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../../infra/store/open-store.js';
import { createBillingDesk } from '../../gateway/io/billing/billing-desk.js';
import { toPriceBook } from '../../gateway/core/billing/billing-settings.js';
import { createFakeBilling, FAKE_SIGNATURE, type FakeBilling } from '../../scripts/fake-billing.js';
import { BILLING, PRICES } from '../fixtures/billing.js';
import { runGateway, type GatewayRun } from '../fixtures/gateway-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

const NOW = '2026-08-20T12:00:00Z';
let folder: TemporaryFolder;
let env: Record<string, string>;
let billing: FakeBilling;
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
  const desk = createBillingDesk({
    store: await openStore(`file:${accounts}`),
    billing,
    book: toPriceBook(BILLING, 'test'),
    random: (size) => new Uint8Array(size),
    now,
    onAlert: () => undefined,
  });
  const { id } = await desk.openCheckout('acme', { plan: 'research', chain: null });
  subscription = billing.complete(id);
  for (const event of billing.events) await desk.takeEvent(billing.toBody(event), FAKE_SIGNATURE);
});
afterEach(() => folder.dispose());

const run = (line: string): Promise<GatewayRun> => runGateway(line.split(' '), { env, billing, now: NOW });

it('says that every record is as Stripe says, and ends with 0', async () => {
  expect(await run('reconcile')).toEqual({ code: 0, stdout: 'every record is as Stripe says\n', stderr: '' });
});

it('tells what an event that was lost would have changed, writes nothing, and ends with 1', async () => {
  billing.change(subscription, 'customer.subscription.deleted', { status: 'canceled' });
  const { code, stdout } = await run('reconcile');
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /acme\s+sub_\w+\s+record-differs\s+active\/granted .*canceled\/inactive .*would be written/,
  );
  expect(await run('reconcile')).toMatchObject({ code: 1, stdout });
});

it('puts records right with --apply, and leaves what operators granted', async () => {
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
  expect((await run('reconcile')).stdout).toMatch(/^every record is as Stripe says\n\ngranted by hand/);
});

it('finds a purchase whose every event was lost', async () => {
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

it('tells of what nobody here has bought, and of documents that are damaged, and does not touch them', async () => {
  billing.change(subscription, 'customer.subscription.updated', { metadata: { account: 'somebody else' } });
  const [file = ''] = await readdir(path.join(folder.path, 'accounts', 'accounts'));
  const broken = path.join(folder.path, 'accounts', 'accounts', `${'0'.repeat(64)}.json`);
  await mkdir(path.dirname(broken), { recursive: true });
  await writeFile(broken, '{}');
  const { code, stdout } = await run('reconcile --apply');
  expect(code).toBe(1);
  expect(stdout).toMatch(/somebody else\s+sub_\w+\s+account-unknown .*look at it/);
  expect(stdout).toMatch(/record-damaged\s+accounts\/0{64}\.json/);
  expect(file).not.toBe('');
});

it('needs Stripe', async () => {
  const { CRD_STRIPE_SECRET_KEY: _key, CRD_STRIPE_WEBHOOK_SECRET: _secret, ...rest } = env;
  const {
    CRD_STRIPE_PRICE_SINGLE_CHAIN: _a,
    CRD_STRIPE_PRICE_RESEARCH: _b,
    CRD_DASHBOARD_URL: _c,
    ...plain
  } = rest;
  const { code, stderr } = await runGateway(['reconcile'], { env: plain, now: NOW });
  expect([code, stderr]).toEqual([2, 'gateway: nothing is sold here: CRD_STRIPE_SECRET_KEY is not set\n']);
});
