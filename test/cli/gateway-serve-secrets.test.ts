import path from 'node:path';
import { randomBytes, randomUUID } from 'node:crypto';
import { runCli } from '../../gateway/cli.js';
import { createFakeBilling } from '../../scripts/stripe/fake-billing.js';
import { BILLING, PRICES } from '../support/stripe/billing.js';
import { BILLING_FAILURES, failBilling } from '../support/stripe/failing-billing.js';
import { startIdentityProvider, type IdentityProvider } from '../support/gateway/identity-provider.js';
import { WEBHOOK_SECRETS } from '../support/stripe/signed-events.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const LINK_SECRET = 'a secret of at least thirty-two bytes';
const SECRETS = [BILLING.secretKey, ...WEBHOOK_SECRETS, LINK_SECRET];
const SERVING = /serving on (\S+), for operators on (\S+)/;
let folder: TemporaryFolder;
let provider: IdentityProvider;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  provider = await startIdentityProvider(() => Date.now());
});
afterEach(() => Promise.all([folder.dispose(), provider.dispose()]));

const environment = (): Record<string, string> => ({
  CRD_PORT: '0',
  CRD_METRICS_PORT: '0',
  CRD_STORE: `file:${path.join(folder.path, 'store')}`,
  CRD_ACCOUNTS_STORE: `file:${path.join(folder.path, 'accounts')}`,
  CRD_LINK_SECRET: LINK_SECRET,
  CRD_KEY_MODE: 'test',
  CRD_JWKS: provider.jwksUrl,
  CRD_JWT_ISSUER: provider.issuer,
  CRD_JWT_AUDIENCE: provider.audience,
  CRD_STRIPE_SECRET_KEY: BILLING.secretKey,
  CRD_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRETS.join(','),
  CRD_STRIPE_PRICE_SINGLE_CHAIN: PRICES['single-chain'],
  CRD_STRIPE_PRICE_RESEARCH: PRICES.research,
  CRD_DASHBOARD_URL: BILLING.dashboardUrl,
});

/** Runs "gateway serve" with billing that fails with `error`, calls `use`, and returns all output. */
async function serve(error: Error, use: (url: string) => Promise<void>): Promise<string> {
  const output: string[] = [];
  const stop = new AbortController();
  const fake = createFakeBilling({ now: () => Date.now(), prices: PRICES });
  const ended = runCli(['serve'], {
    print: (text) => void output.push(text),
    warn(text) {
      output.push(text);
      const [, url] = SERVING.exec(text) ?? [];
      if (url !== undefined) void use(url).finally(() => stop.abort());
    },
    now: () => Date.now(),
    random: (size) => randomBytes(size),
    env: environment(),
    stopped: stop.signal,
    serving: {
      clock: () => performance.now(),
      newId: () => randomUUID(),
      fetch,
      readAccountFiles: () => Promise.resolve({ html: '', css: '', script: '', error: '', day: '' }),
      logDestination: { write: (line: string) => void output.push(line) },
      openBilling: (_settings, { onError }) =>
        failBilling(fake, () => {
          onError(error);
          return error;
        }),
    },
  });
  expect(await ended).toBe('done');
  return output.join('\n');
}

it.each(BILLING_FAILURES)(
  '"gateway serve" reports %s without its configured secrets',
  async (_name, fail) => {
    const authorization = `Bearer ${await provider.sign({ account: 'acme' })}`;
    const answers: string[] = [];
    const log = await serve(fail(`Invalid key ${SECRETS.join(' ')}`), async (url) => {
      const headers = { Authorization: authorization, 'Content-Type': 'application/json' };
      const response = await fetch(`${url}/api/v1/checkout`, {
        method: 'POST',
        headers,
        body: '{"plan":"pro"}',
      });
      answers.push(String(response.status), await response.text());
    });
    expect(Number(answers[0])).toBeGreaterThanOrEqual(500);
    expect([log.includes('Stripe did not answer'), log.includes('[hidden]')]).toEqual([true, true]);
    expect(SECRETS.filter((secret) => `${log}${answers.join('')}`.includes(secret))).toEqual([]);
  },
);
