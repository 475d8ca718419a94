import path from 'node:path';
import { createFakeBilling } from '../../scripts/stripe/fake-billing.js';
import { GatewayError } from '../../gateway/core/problems.js';
import { openStore } from '../../infra/store/open-store.js';
import { createBillingService } from '../../gateway/io/billing/billing-service.js';
import { toPriceBook } from '../../gateway/core/billing/billing-settings.js';
import { BILLING, PRICES } from '../support/stripe/billing.js';
import { BILLING_FAILURES, failBilling } from '../support/stripe/failing-billing.js';
import { runGateway } from '../support/gateway/gateway-run.js';
import { WEBHOOK_SECRETS } from '../support/stripe/signed-events.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const NOW = '2026-08-20T12:00:00Z';
const SECRETS = [BILLING.secretKey, ...WEBHOOK_SECRETS];
const MESSAGE_WITH_SECRETS = `Invalid API Key provided: ${SECRETS.join(' ')}; Authorization: Bearer ${BILLING.secretKey}`;
const RECONCILE_COMMANDS = ['reconcile', 'reconcile --apply --json'];
const COMMANDS = ['doctor', 'doctor --json', ...RECONCILE_COMMANDS];
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
  const service = createBillingService({
    store: await openStore(accounts),
    billing,
    book: toPriceBook(BILLING, 'test'),
    random: (size) => new Uint8Array(size),
    now,
    onAlert: () => undefined,
  });
  billing.complete((await service.openCheckout('acme', { plan: 'research', chain: null })).id);
});
afterAll(() => folder.dispose());

/** Runs a command for which every call to Stripe fails, reported as the real Stripe adapter reports it. */
async function runFailing(line: string, error: Error): Promise<{ code: number; output: string }> {
  let onError: (error: unknown) => void = () => undefined;
  const failing = failBilling(billing, () => {
    onError(error instanceof GatewayError ? error.cause : error);
    return error;
  });
  const { code, stdout, stderr } = await runGateway(line.split(' '), {
    env,
    billing: failing,
    now: NOW,
    onBilling: (options) => ({ onError } = options),
  });
  return { code, output: stdout + stderr };
}

const leakedIn = (output: string): string[] => SECRETS.filter((secret) => output.includes(secret));

describe.each(BILLING_FAILURES)('%s', (_name, createError) => {
  it.each(COMMANDS)('is reported by "gateway %s" without secrets', async (line) => {
    const { code, output } = await runFailing(line, createError(MESSAGE_WITH_SECRETS));
    expect(leakedIn(output)).toEqual([]);
    expect(code).not.toBe(0);
  });
});

it.each(RECONCILE_COMMANDS)(
  '"gateway %s" reports that Stripe does not answer, without a stack trace',
  async (line) => {
    const { code, output } = await runFailing(
      line,
      new GatewayError('billing-unavailable', { cause: new Error('reset') }),
    );
    expect(output).not.toMatch(/this is a bug|\n +at |\\n +at /);
    expect(output).toMatch(/stripe-unreadable/);
    expect(code).not.toBe(0);
  },
);

it.each(COMMANDS)('a successful run of "gateway %s" prints no secret', async (line) => {
  const { stdout, stderr } = await runGateway(line.split(' '), { env, billing, now: NOW });
  expect(stdout).not.toBe('');
  expect(leakedIn(stdout + stderr)).toEqual([]);
});

it.each(COMMANDS)('"gateway %s" explains an invalid configuration without its secrets', async (line) => {
  const faulty = {
    ...env,
    CRD_STRIPE_SECRET_KEY: `${BILLING.secretKey}!`,
    CRD_STRIPE_WEBHOOK_SECRET: `${WEBHOOK_SECRETS.join(',')},${WEBHOOK_SECRETS[0]}`,
  };
  const { code, stdout, stderr } = await runGateway(line.split(' '), { env: faulty, billing, now: NOW });
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain('CRD_STRIPE_WEBHOOK_SECRET');
  expect(leakedIn(stdout + stderr)).toEqual([]);
});
