import path from 'node:path';
import { openStore } from '../../../infra/store/open-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { BILLING } from '../stripe/billing.js';
import type { FuzzContext } from './fuzz-requests.js';
import { runGatewayProcess, startGatewayProcess, type GatewayProcess } from '../gateway/gateway-process.js';
import { startIdentityProvider } from '../gateway/identity-provider.js';
import { rollBack } from '../release/operate.js';
import { publishSeries } from '../release/publish-series.js';
import { randomSeries } from '../release/random-series.js';
import { createTemporaryFolder } from '../process/temporary-folder.js';

/** The built gateway with a small release and without effective rate limits. */
export type FuzzGateway = {
  readonly gateway: GatewayProcess;
  /** Keys of Research and of Single Chain for base, and sessions of an account with a plan and of one without. */
  readonly context: FuzzContext;
  /** Returns the value of a metric. */
  readonly readMetric: (name: string) => Promise<number>;
  /** Returns the statuses and decisions of each route, from the gateway's metrics. */
  readonly readCounts: () => Promise<ReadonlyMap<string, RouteCounts>>;
  readonly dispose: () => Promise<void>;
};

/** Numbers of answers of a route by status, and its decisions: the outcomes in the log and the metrics. */
export type RouteCounts = {
  readonly statuses: Readonly<Record<string, number>>;
  readonly decisions: ReadonlySet<string>;
};

/** Publishes 2025-01-01 to 2025-01-13 of base and bitcoin, withdraws the last date, creates accounts, and starts the gateway. */
export async function startFuzzGateway(): Promise<FuzzGateway> {
  const folder = await createTemporaryFolder();
  const provider = await startIdentityProvider(() => Date.now());
  const env = {
    CRD_STORE: `file:${path.join(folder.path, 'store')}`,
    CRD_ACCOUNTS_STORE: `file:${path.join(folder.path, 'accounts')}`,
    CRD_LINK_SECRET: 'a secret of at least thirty-two bytes',
    CRD_KEY_MODE: 'test',
    CRD_JWKS: provider.jwksUrl,
    CRD_JWT_ISSUER: provider.issuer,
    CRD_JWT_AUDIENCE: provider.audience,
    CRD_CORS_ORIGINS: 'https://app.example.com',
    CRD_STRIPE_SECRET_KEY: BILLING.secretKey,
    CRD_STRIPE_WEBHOOK_SECRET: BILLING.webhookSecrets.join(','),
    CRD_STRIPE_PRICE_SINGLE_CHAIN: BILLING.prices['single-chain'].join(','),
    CRD_STRIPE_PRICE_RESEARCH: BILLING.prices.research.join(','),
    CRD_DASHBOARD_URL: BILLING.dashboardUrl,
    CRD_RATE_KEY_PER_MINUTE: '1000000',
    CRD_RATE_ADDRESS_PER_MINUTE: '1000000',
  };
  await publishReleases(await openStore(env.CRD_STORE));
  const keyOf = async (account: string, ...plan: string[]): Promise<string> => {
    const until = ['--until', '2999-01-01', '--reason', 'fuzz'];
    await runGatewayProcess(['grant', '--account', account, ...plan, ...until], env);
    return (await runGatewayProcess(['keys', 'create', '--account', account], env)).stdout.trim();
  };
  const single = ['--plan', 'single-chain', '--chain', 'base'];
  const keys = [await keyOf('research', '--plan', 'research'), await keyOf('single', ...single)];
  await keyOf('dashboard', '--plan', 'research');
  const sign = (account: string): Promise<string> => provider.sign({ account, claims: { exp: EXPIRY } });
  const sessions = [await sign('dashboard'), await sign('nobody')];
  const gateway = await startGatewayProcess(env);
  const readMetrics = async (): Promise<string> => (await fetch(`${gateway.operatorUrl}/metrics`)).text();
  return {
    gateway,
    context: { keys, sessions, seen: { links: [], etags: [], keyIds: [] } },
    async readMetric(name) {
      const line = (await readMetrics()).split('\n').find((each) => each.startsWith(`${name} `));
      return Number(line?.slice(name.length + 1));
    },
    readCounts: async () => parseCounts(await readMetrics()),
    async dispose() {
      const { code } = await gateway.stop();
      await Promise.all([provider.dispose(), folder.dispose()]);
      if (code !== 0) throw new Error(`the gateway ended with ${code ?? 'a signal'}: ${gateway.stderr()}`);
    },
  };
}

async function publishReleases(store: ObjectStore): Promise<void> {
  const series = (days: number) =>
    (['base', 'bitcoin'] as const).map((chain, seed) =>
      randomSeries({ chain, seed, days, firstDate: '2025-01-01' }),
    );
  await publishSeries(store, { inputs: series(12), asOf: '2025-01-13' });
  await publishSeries(store, { inputs: series(13), asOf: '2025-01-14' });
  await rollBack(store, { to: '2025-01-13.000001', reason: 'a test', asOf: '2025-01-15' });
}

/** The run may take longer than the hour of an ordinary token. */
const EXPIRY = Date.parse('2999-01-01T00:00:00Z') / 1000;
const COUNTED = /^gateway_requests_total\{route="(.+?)",decision="(.+?)",status="(\d+)"\} (\d+)$/gm;

function parseCounts(metrics: string): Map<string, RouteCounts> {
  const counts = new Map<string, { statuses: Record<string, number>; decisions: Set<string> }>();
  for (const [, route = '', decision = '', status = '', count] of metrics.matchAll(COUNTED)) {
    const row = counts.get(route) ?? { statuses: {}, decisions: new Set() };
    row.statuses[status] = (row.statuses[status] ?? 0) + Number(count);
    row.decisions.add(decision);
    counts.set(route, row);
  }
  return counts;
}
