import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { ACCOUNT_PATHS, ENDPOINTS } from '../../schemas/paths.js';
import type { BillingPort } from '../../gateway/io/billing/billing-port.js';
import { secretsOf, toConfiguration } from '../../gateway/core/configuration/configuration.js';
import { createScrubber } from '../../gateway/core/scrub.js';
import { createLogger } from '../../gateway/io/operation/logger.js';
import { openStores, startService, type Service } from '../../gateway/service.js';
import { readAccountFiles } from '../../gateway/io/account-page/read-account-files.js';
import {
  startDemoProvider,
  type DemoProvider,
  type DemoProviderOptions,
} from '../identity/identity-provider.js';
import type { FakeBilling } from '../stripe/fake-billing.js';
import { startPaymentSite, type PaymentSiteOptions } from '../stripe/payment-site.js';

/** A gateway that sells, with an identity provider and a payment service, all on loopback. */
export type AccountSite = {
  readonly url: string;
  readonly accountUrl: string;
  readonly billing: FakeBilling;
  readonly provider: DemoProvider;
  readonly stop: () => Promise<void>;
};

/** Options for `startAccountSite`. */
type AccountSiteOptions = Pick<DemoProviderOptions, 'tokenSeconds'> &
  Pick<PaymentSiteOptions, 'bank'> & {
    /** Variables of the gateway: its stores and its secret. */
    readonly env: Readonly<Record<string, string>>;
    /** Folder of the built templates. */
    readonly templates: string;
    /** 0 means any free port. */
    readonly port: number;
    /** Clock of the gateway, in milliseconds since the epoch; the machine's by default. */
    readonly now?: () => number;
  };

const PRICES = { 'single-chain': 'price_demoSingleChain', research: 'price_demoResearch' } as const;

/** Starts all three, and passes the gateway their addresses. The gateway runs in this process. */
export async function startAccountSite(options: AccountSiteOptions): Promise<AccountSite> {
  const port = options.port === 0 ? await findFreePort() : options.port;
  const accountUrl = `http://127.0.0.1:${port}${ACCOUNT_PATHS.page}`;
  const { tokenSeconds, bank, now = () => Date.now() } = options;
  const provider = await startDemoProvider({
    pageUrl: accountUrl,
    ...(tokenSeconds === undefined ? {} : { tokenSeconds }),
  });
  const site = await startPaymentSite({
    now,
    prices: PRICES,
    ...(bank === undefined ? {} : { bank }),
  });
  const stopBoth = async (): Promise<void> => {
    await Promise.all([provider.stop(), site.stop()]);
  };
  const env = { ...options.env, ...variablesFor(provider, accountUrl), CRD_PORT: String(port) };
  const gateway = await serve({ env, billing: site.billing, templates: options.templates, now }).catch(
    async (error: unknown) => {
      await stopBoth();
      throw error;
    },
  );
  site.connect({ returnUrl: accountUrl, webhookUrl: gateway.url + ENDPOINTS.webhook });
  return {
    url: gateway.url,
    accountUrl,
    billing: site.billing,
    provider,
    async stop() {
      await gateway.stop();
      await stopBoth();
    },
  };
}

function variablesFor(
  { issuer, jwksUrl, clientId, resource }: DemoProvider,
  accountUrl: string,
): Record<string, string> {
  return {
    CRD_KEY_MODE: 'test',
    CRD_JWKS: jwksUrl,
    CRD_JWT_ISSUER: issuer,
    CRD_JWT_AUDIENCE: resource,
    CRD_JWT_TYPE: 'at+jwt',
    CRD_OIDC_CLIENT_ID: clientId,
    CRD_OIDC_SCOPES: 'openid profile',
    CRD_OIDC_RESOURCE: resource,
    CRD_STRIPE_SECRET_KEY: 'sk_test_nothingIsAskedOfStripe',
    CRD_STRIPE_WEBHOOK_SECRET: 'whsec_nothingComesFromStripe',
    CRD_STRIPE_PRICE_SINGLE_CHAIN: PRICES['single-chain'],
    CRD_STRIPE_PRICE_RESEARCH: PRICES.research,
    CRD_DASHBOARD_URL: accountUrl,
  };
}

type ServeOptions = Pick<AccountSiteOptions, 'env' | 'templates'> & {
  readonly billing: BillingPort;
  readonly now: () => number;
};

/** Starts the gateway as `gateway serve` does, but with another payment service than Stripe. @throws Error with every fault of `env` */
async function serve({ env, billing, templates, now }: ServeOptions): Promise<Service> {
  const parsed = toConfiguration(env);
  if ('faults' in parsed) throw new Error(parsed.faults.join('\n'));
  const { configuration } = parsed;
  const logger = createLogger({
    destination: process.stderr,
    level: configuration.logLevel,
    scrub: createScrubber(secretsOf(configuration)),
  });
  return startService(configuration, await openStores(configuration), {
    logger,
    now,
    billing,
    fetch,
    clock: () => performance.now(),
    newId: () => randomUUID(),
    random: (size) => randomBytes(size),
    accountFiles: await readAccountFiles(templates),
  });
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a TCP server
  await new Promise((resolve) => server.close(resolve));
  return port;
}
