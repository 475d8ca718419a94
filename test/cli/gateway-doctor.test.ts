import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../../infra/store/open-store.js';
import { findPriceFaults } from '../../gateway/core/billing/price-faults.js';
import { ENDPOINTS } from '../../schemas/paths.js';
import { findWebhookFaults } from '../../gateway/core/billing/webhook-faults.js';
import { STRIPE_EVENTS } from '../../gateway/core/billing/stripe-events.js';
import { STRIPE_API_VERSION } from '../../gateway/io/billing/stripe/stripe-refusal.js';
import type { BillingPort } from '../../gateway/io/billing/billing-port.js';
import { createFakeBilling } from '../../scripts/stripe/fake-billing.js';
import { BILLING, PRICES } from '../support/stripe/billing.js';
import { runGateway } from '../support/gateway/gateway-run.js';
import { publishSeries } from '../support/release/publish-series.js';
import { randomSeries } from '../support/release/random-series.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const WEBHOOK = {
  url: `https://api.example.com${ENDPOINTS.webhook}`,
  isEnabled: true,
  isLive: false,
  events: Object.keys(STRIPE_EVENTS),
  version: STRIPE_API_VERSION,
};
const fake = createFakeBilling({ now: () => 0, prices: PRICES });
const billing: BillingPort = { ...fake, listWebhooks: () => Promise.resolve([WEBHOOK]) };
let folder: TemporaryFolder;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await createTemporaryFolder();
  env = {
    CRD_STORE: `file:${path.join(folder.path, 'store')}`,
    CRD_ACCOUNTS_STORE: `file:${path.join(folder.path, 'accounts')}`,
    CRD_LINK_SECRET: 'a secret of at least thirty-two bytes',
    CRD_KEY_MODE: 'test',
    CRD_STRIPE_SECRET_KEY: BILLING.secretKey,
    CRD_STRIPE_WEBHOOK_SECRET: BILLING.webhookSecrets.join(','),
    CRD_STRIPE_PRICE_SINGLE_CHAIN: PRICES['single-chain'],
    CRD_STRIPE_PRICE_RESEARCH: PRICES.research,
    CRD_DASHBOARD_URL: BILLING.dashboardUrl,
  };
});
afterEach(() => folder.dispose());

/** Runs `doctor`, and returns the verdict of each check. */
async function examine(
  port: BillingPort = billing,
): Promise<{ code: number; verdicts: Record<string, string>; text: string }> {
  const { code, stdout } = await runGateway(['doctor', '--json'], { env, billing: port });
  const { findings } = JSON.parse(stdout) as { findings: { what: string; verdict: string; says: string }[] };
  const verdicts = Object.fromEntries(findings.map(({ what, verdict }) => [what, verdict]));
  return { code, verdicts, text: findings.map(({ says }) => says).join('\n') };
}

it('exits 0 when everything is fine', async () => {
  const store = await openStore(`file:${path.join(folder.path, 'store')}`);
  await publishSeries(store, {
    inputs: [randomSeries({ chain: 'base', seed: 7, days: 3 })],
    asOf: '2022-01-04',
  });
  const { code, verdicts, text } = await examine();
  expect({ code, verdicts }).toEqual({
    code: 0,
    verdicts: {
      configuration: 'fine',
      store: 'fine',
      'accounts store': 'fine',
      clock: 'skipped',
      signer: 'skipped',
      'identity provider': 'skipped',
      links: 'skipped',
      'public files': 'skipped',
      'account page': 'skipped',
      'price price_single': 'fine',
      'price price_research': 'fine',
      'Stripe key': 'fine',
      webhook: 'fine',
    },
  });
  expect(text).toContain('the current release is 2022-01-04.000001, sequence 1');
});

it('exits 1 and explains every fault', async () => {
  const jwks = path.join(folder.path, 'keys.json');
  await writeFile(jwks, 'no keys');
  Object.assign(env, { CRD_JWKS: `file:${jwks}`, CRD_JWT_ISSUER: 'a', CRD_JWT_AUDIENCE: 'b' });
  const { code, verdicts, text } = await examine({
    ...billing,
    readPrice: (price) =>
      price === PRICES.research
        ? Promise.reject(new Error(`no such price ${BILLING.secretKey}`))
        : fake.readPrice('other'),
    findMissingPermissions: () => Promise.resolve(['charges', 'disputes']),
    listWebhooks: () => Promise.resolve([]),
  });
  expect(code).toBe(1);
  expect(Object.values(verdicts).filter((verdict) => verdict === 'fault')).toHaveLength(6);
  expect(text).toContain('nothing is published there yet');
  expect(text).toContain('its keys cannot be read');
  expect(text).toContain('a fractional number of cents, but the price list says 4900 for Single Chain');
  expect(text).toContain('CRD_STRIPE_SECRET_KEY has no permission to read disputes; grant it at Stripe');
  expect(text).toContain('Stripe has no enabled webhook');
  expect(text).not.toContain(BILLING.secretKey);
});

it('lists every fault of the configuration', async () => {
  const { CRD_LINK_SECRET: _secret, ...rest } = env;
  env = { ...rest, CRD_PORT: 'a', CRD_KEY_MODE: 'live' };
  const { code, verdicts, text } = await examine();
  expect({ code, verdicts }).toEqual({ code: 1, verdicts: { configuration: 'fault' } });
  for (const name of ['CRD_LINK_SECRET', 'CRD_PORT', 'CRD_STRIPE_SECRET_KEY']) expect(text).toContain(name);
});

describe('a price', () => {
  const good = {
    isActive: true,
    isLive: true,
    currency: 'usd',
    cents: 14_900,
    interval: 'month',
    intervalCount: 1,
  };
  it.each([
    [{}, []],
    [{ isLive: false }, ['test mode']],
    [{ currency: 'eur' }, ['is in eur']],
    [{ isActive: false }, ['archived']],
    [{ interval: 'year' }, ['not billed monthly']],
    [{ intervalCount: 3 }, ['not billed monthly']],
    [{ cents: 100 }, ['100 cents']],
    [{ cents: null, interval: null }, ['not billed monthly', 'fractional number']],
  ])('on sale must match the price list: %j', (changed, faults) => {
    const found = findPriceFaults('research', { ...good, ...changed }, { isSold: true, isLive: true });
    expect(found).toEqual(faults.map((each) => expect.stringContaining(each) as string));
  });

  it('no longer on sale may differ from the price list', () => {
    const old = { ...good, isActive: false, cents: 9_900 };
    expect(findPriceFaults('research', old, { isSold: false, isLive: true })).toEqual([]);
  });
});

describe('the webhooks', () => {
  it.each([
    [{}, []],
    [{ events: ['*'] }, []],
    [{ events: WEBHOOK.events.slice(1) }, [/does not send checkout\.session\.completed/]],
    [{ version: null }, [/default API version of the Stripe account/]],
    [{ isEnabled: false }, [/no enabled webhook/]],
    [{ isLive: true }, [/no enabled webhook/]],
    [{ url: 'https://api.example.com/hook' }, [/no enabled webhook/]],
  ])('must send every event, in our API version: %j', (changed, faults) => {
    const found = findWebhookFaults([{ ...WEBHOOK, ...changed }], {
      isLive: false,
      version: STRIPE_API_VERSION,
    });
    expect(found).toEqual(faults.map((each) => expect.stringMatching(each) as string));
  });
});
