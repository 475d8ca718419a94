import path from 'node:path';
import { createFakeBilling } from '../../scripts/fake-billing.js';
import { GatewayError } from '../../gateway/core/problems.js';
import { openStore } from '../../infra/store/open-store.js';
import { createBillingDesk } from '../../gateway/io/billing/billing-desk.js';
import { toPriceBook } from '../../gateway/core/billing/billing-settings.js';
import { BILLING, PRICES } from '../fixtures/billing.js';
import { BILLING_FAILURES, failBilling } from '../fixtures/failing-billing.js';
import { runGateway } from '../fixtures/gateway-run.js';
import { WEBHOOK_SECRETS } from '../fixtures/signed-events.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

const NOW = '2026-08-20T12:00:00Z';
const SECRETS = [BILLING.secretKey, ...WEBHOOK_SECRETS];
const WORDS = `Invalid API Key provided: ${SECRETS.join(' ')}; Authorization: Bearer ${BILLING.secretKey}`;
const COMMANDS = ['doctor', 'doctor --json', 'reconcile', 'reconcile --apply --json'];
const now = (): number => Date.parse(NOW);
const billing = createFakeBilling({ now, prices: PRICES });
let folder: TemporaryFolder;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  const accounts = `file:${path.join(folder.path, 'accounts')}`;
  env = {
    CRD_STORE: `file:${path.join(folder.path, 'store')}`,
    CRD_ACCOUNTS_STORE: accounts,
    CRD_LINK_SECRET: 'a secret of at least thirty-two bytes',
    CRD_KEY_MODE: 'test',
    CRD_STRIPE_SECRET_KEY: BILLING.secretKey,
    CRD_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRETS.join(','),
    CRD_STRIPE_PRICE_SINGLE_CHAIN: BILLING.prices['single-chain'].join(','),
    CRD_STRIPE_PRICE_RESEARCH: BILLING.prices.research.join(','),
    CRD_DASHBOARD_URL: BILLING.dashboardUrl,
  };
  const desk = createBillingDesk({
    store: await openStore(accounts),
    billing,
    book: toPriceBook(BILLING, 'test'),
    random: (size) => new Uint8Array(size),
    now,
    onAlert: () => undefined,
  });
  billing.complete((await desk.openCheckout('acme', { plan: 'research', chain: null })).id);
});
afterAll(() => folder.dispose());

/** Runs a command whose every call to Stripe fails, which it is told of as the gateway's own adapter tells it. */
async function runFailing(line: string, error: Error): Promise<{ code: number; said: string }> {
  let onError: (error: unknown) => void = () => undefined;
  const failing = failBilling(billing, () => {
    onError(error instanceof GatewayError ? error.cause : error);
    return error;
  });
  const { code, stdout, stderr } = await runGateway(line.split(' '), {
    env,
    billing: failing,
    now: NOW,
    onBilling: (terms) => ({ onError } = terms),
  });
  return { code, said: stdout + stderr };
}

const told = (said: string): string[] => SECRETS.filter((secret) => said.includes(secret));

describe.each(BILLING_FAILURES)('%s', (_name, fail) => {
  it.each(COMMANDS)('is told by "gateway %s" without its secrets', async (line) => {
    const { code, said } = await runFailing(line, fail(WORDS));
    expect(told(said)).toEqual([]);
    expect(code).not.toBe(0);
  });
});

it.each(COMMANDS.slice(2))(
  'is said in words by "gateway %s" that Stripe does not answer, without a stack',
  async (line) => {
    const { code, said } = await runFailing(
      line,
      new GatewayError('billing-unavailable', { cause: new Error('reset') }),
    );
    expect(said).not.toMatch(/this is a bug|\n +at |\\n +at /);
    expect(said).toMatch(/the payment service cannot be reached|stripe-unreadable/);
    expect(code).not.toBe(0);
  },
);

it.each(COMMANDS)('a sound run of "gateway %s" tells no secret', async (line) => {
  const { stdout, stderr } = await runGateway(line.split(' '), { env, billing, now: NOW });
  expect(stdout).not.toBe('');
  expect(told(stdout + stderr)).toEqual([]);
});

it.each(COMMANDS)('a configuration with faults is told by "gateway %s" without its secrets', async (line) => {
  const faulty = {
    ...env,
    CRD_STRIPE_SECRET_KEY: `${BILLING.secretKey}!`,
    CRD_STRIPE_WEBHOOK_SECRET: `${WEBHOOK_SECRETS.join(',')},${WEBHOOK_SECRETS[0]}`,
  };
  const { code, stdout, stderr } = await runGateway(line.split(' '), { env: faulty, billing, now: NOW });
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain('CRD_STRIPE_WEBHOOK_SECRET');
  expect(told(stdout + stderr)).toEqual([]);
});
