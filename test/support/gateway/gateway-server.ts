import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { PlanId } from '../../../schemas/catalog.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { createMemoryStore } from '../stores/memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { Configuration } from '../../../gateway/core/configuration/configuration.js';
import type { AccountFiles } from '../../../gateway/core/http/account-page.js';
import { createScrubber } from '../../../gateway/core/scrub.js';
import { createAccounts, type Accounts } from '../../../gateway/io/accounts/accounts.js';
import { createLogger } from '../../../gateway/io/operation/logger.js';
import type { BillingPort } from '../../../gateway/io/billing/billing-port.js';
import { startService, type Service } from '../../../gateway/service.js';

/** Link secret of all tests. */
export const LINK_SECRET = 'a secret of at least thirty-two bytes';

/** A gateway on loopback with its accounts. */
export type GatewayServer = Service & {
  readonly accounts: Accounts;
  /** Returns the log so far. */
  readonly log: () => string;
  /** Creates a key of an account, by default a new one, and grants the plan if there is one. */
  readonly createKey: (options?: KeyHolder) => Promise<string>;
  /** Sends a request with fetch, without following redirects. */
  readonly request: (path: string, init?: RequestInit) => Promise<Response>;
};

/** Options for `createKey`. */
export type KeyHolder = {
  readonly account?: string;
  readonly plan?: PlanId;
  readonly chain?: Chain;
  /** End of the access. */
  readonly until?: string;
};

/** Options for `startGateway`. */
export type GatewayServerOptions = {
  readonly store: ObjectStore;
  readonly accountsStore?: ObjectStore;
  readonly configuration?: Partial<Configuration>;
  readonly now?: () => number;
  /** Secrets that the log must not contain, besides the link secret. */
  readonly hidden?: readonly string[];
  /** Time-out for stores in milliseconds. */
  readonly storeMs?: number;
  /** Access to Stripe; without it the gateway sells nothing. */
  readonly billing?: BillingPort;
  /** The texts of the account page, by default short ones. */
  readonly accountFiles?: AccountFiles;
};

/** The default configuration: a directory store, no identity provider, very high limits, free ports. */
export const CONFIGURATION: Configuration = {
  host: '127.0.0.1',
  port: 0,
  metrics: { host: '127.0.0.1', port: 0 },
  store: { kind: 'directory', address: 'file:/unused' },
  accountsStore: { kind: 'directory', address: 'file:/unused-accounts' },
  s3: { pathStyle: false },
  urlTtlSeconds: 300,
  pollSeconds: 300,
  linkSecrets: [LINK_SECRET],
  originSecrets: [],
  keyMode: 'test',
  trustProxy: false,
  corsOrigins: ['https://app.example.com'],
  dashboardOrigins: ['https://dashboard.example.com'],
  limits: { keyPerMinute: 1_000_000, addressPerMinute: 1_000_000 },
  logLevel: 'info',
};

/** Short texts of an account page. */
const ACCOUNT_FILES: AccountFiles = {
  html: '<script type="module" src="{{script}}"></script><link rel="stylesheet" href="{{stylesheet}}">',
  css: 'body{}',
  script: 'void 0;',
  error: readFileSync(new URL('../../../templates/pages/error.html.hbs', import.meta.url), 'utf8'),
  day: readFileSync(new URL('../../../templates/pages/day-content.html.hbs', import.meta.url), 'utf8'),
};

export async function startGateway({
  store,
  accountsStore = createMemoryStore(),
  configuration = {},
  now = () => Date.now(),
  hidden = [],
  storeMs,
  billing,
  accountFiles = ACCOUNT_FILES,
}: GatewayServerOptions): Promise<GatewayServer> {
  const lines: string[] = [];
  const logger = createLogger({
    destination: { write: (line: string) => void lines.push(line) },
    level: 'info',
    scrub: createScrubber([LINK_SECRET, ...hidden]),
  });
  const random = (size: number): Uint8Array => randomBytes(size);
  const settings = { ...CONFIGURATION, ...configuration };
  const service = await startService(
    settings,
    { store, accountsStore },
    {
      logger,
      now,
      random,
      fetch,
      clock: () => performance.now(),
      newId: () => randomUUID(),
      accountFiles,
      ...(storeMs === undefined ? {} : { storeMs }),
      ...(billing === undefined ? {} : { billing }),
    },
  );
  const accounts = createAccounts(accountsStore, { now, random, mode: settings.keyMode });
  return {
    ...service,
    accounts,
    log: () => lines.join(''),
    async createKey({
      account = `account-${randomUUID()}`,
      plan,
      chain,
      until = '2999-01-01T00:00:00Z',
    } = {}) {
      if (plan !== undefined) {
        await accounts.grant(account, { plan, chain: chain ?? null, until, reason: 'a test' });
      }
      return (await accounts.createKey(account, { label: null, needsGrant: false })).key;
    },
    request: (path, init = {}) => fetch(`${service.url}${path}`, { redirect: 'manual', ...init }),
  };
}
