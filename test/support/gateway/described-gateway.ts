import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createFakeBilling } from '../../../scripts/stripe/fake-billing.js';
import { BILLING, PRICES } from '../stripe/billing.js';
import { startDashboardServer } from './dashboard.js';
import { runGatewayProcess, startGatewayProcess, type Variables } from './gateway-process.js';
import { startIdentityProvider } from './identity-provider.js';
import { publishSample } from '../release/published-sample.js';
import { assertSuccess } from '../process/run-program.js';

/** The highest rate limit that can be configured. */
const LIMIT = '1000000';

/** Credentials of an account. */
export type Caller = { readonly apiKey: string; readonly session: string };

/** A running gateway that schemathesis compares with its OpenAPI document, and its callers. */
export type DescribedGateway = {
  readonly url: string;
  readonly callers: { readonly research: Caller; readonly singleChain: Caller };
  readonly dispose: () => Promise<void>;
};

/** Starts the built gateway on the published sample, with an account on each plan and an identity provider, without billing. */
export async function startDescribedGateway(folder: string): Promise<DescribedGateway> {
  const store = `file:${await publishSample()}`;
  const provider = await startIdentityProvider(() => Date.now());
  const accounts = { CRD_ACCOUNTS_STORE: `file:${path.join(folder, 'accounts')}`, CRD_KEY_MODE: 'test' };
  const caller = async (account: string, plan: readonly string[]): Promise<Caller> => ({
    apiKey: await createAccount(account, plan, accounts),
    session: await provider.sign({ account }),
  });
  const callers = {
    research: await caller('research', ['research']),
    singleChain: await caller('single', ['single-chain', '--chain', 'base']),
  };
  const gateway = await startGatewayProcess({
    ...accounts,
    CRD_STORE: store,
    CRD_LINK_SECRET: randomBytes(32).toString('hex'),
    CRD_JWKS: provider.jwksUrl,
    CRD_JWT_ISSUER: provider.issuer,
    CRD_JWT_AUDIENCE: provider.audience,
    CRD_RATE_KEY_PER_MINUTE: LIMIT,
    CRD_RATE_ADDRESS_PER_MINUTE: LIMIT,
    CRD_LOG_LEVEL: 'silent',
  });
  return {
    url: gateway.url,
    callers,
    async dispose() {
      await gateway.stop();
      await provider.dispose();
    },
  };
}

/** Starts a gateway with a fake of Stripe. */
export async function startSellingGateway(): Promise<DescribedGateway> {
  const now = (): number => Date.now();
  const billing = createFakeBilling({ now, prices: PRICES });
  const server = await startDashboardServer(now, { billing, configuration: { billing: BILLING } });
  const caller = async (plan: 'research' | 'single-chain'): Promise<Caller> => {
    const { account, authorization } = await server.openSession({ granted: false });
    const chain = plan === 'research' ? {} : ({ chain: 'base' } as const);
    const apiKey = await server.gateway.createKey({ account, plan, ...chain });
    return { apiKey, session: authorization.replace('Bearer ', '') };
  };
  return {
    url: server.gateway.url,
    callers: { research: await caller('research'), singleChain: await caller('single-chain') },
    dispose: () => server.dispose(),
  };
}

async function createAccount(account: string, plan: readonly string[], env: Variables): Promise<string> {
  const options = ['--plan', ...plan, '--until', '2999-12-31', '--reason', 'a test'];
  assertSuccess(await runGatewayProcess(['grant', '--account', account, ...options], env));
  return assertSuccess(await runGatewayProcess(['keys', 'create', '--account', account], env)).stdout.trim();
}
