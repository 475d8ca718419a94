import { randomUUID } from 'node:crypto';
import { startGateway, type GatewayServer, type GatewayServerOptions } from './gateway-server.js';
import { startIdentityProvider, type IdentityProvider } from './identity-provider.js';
import { openSmallRelease } from '../release/small-release.js';

export const KEYS_PATH = '/api/v1/keys';
export const ENTITLEMENTS_PATH = '/api/v1/entitlements';

/** A gateway with a small release and an identity provider. */
export type DashboardServer = {
  readonly gateway: GatewayServer;
  readonly provider: IdentityProvider;
  /** Opens a dashboard session, by default of a new account with the plan Research. */
  readonly openSession: (options?: {
    readonly account?: string;
    readonly granted?: boolean;
  }) => Promise<Dashboard>;
  readonly dispose: () => Promise<void>;
};

/** A session of an account. */
export type Dashboard = {
  readonly account: string;
  /** Value of the header Authorization. */
  readonly authorization: string;
  /** Sends a request with the session, by default to the keys. */
  readonly request: (method: string, parts?: RequestParts) => Promise<Response>;
};

/** Parts of a request besides the session. */
export type RequestParts = {
  readonly path?: string;
  readonly body?: NonNullable<RequestInit['body']>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Returns the parts of a request with a JSON body. */
export function asJson(document: unknown): RequestParts {
  return { body: JSON.stringify(document), headers: { 'Content-Type': 'application/json' } };
}

/** Starts a gateway and an identity provider. `now` is the clock of the gateway and of the tokens; `more` are further options of the gateway. */
export async function startDashboardServer(
  now: () => number,
  more: Partial<
    Pick<GatewayServerOptions, 'store' | 'billing' | 'accountsStore' | 'configuration' | 'hidden'>
  > = {},
): Promise<DashboardServer> {
  const store = more.store ?? (await openSmallRelease());
  const provider = await startIdentityProvider(now);
  const { jwksUrl: url, issuer, audience } = provider;
  const sessions = { jwks: { kind: 'url', url }, issuer, audience } as const;
  const configuration = { sessions, ...more.configuration };
  const gateway = await startGateway({ now, ...more, store, configuration });
  return {
    gateway,
    provider,
    async openSession({ account = `account-${randomUUID()}`, granted = true } = {}) {
      const until = '2999-01-01T00:00:00Z';
      const grant = { plan: 'research', chain: null, until, reason: 'a test' } as const;
      if (granted) await gateway.accounts.grant(account, grant);
      const authorization = `Bearer ${await provider.sign({ account })}`;
      return {
        account,
        authorization,
        request: (method, { path = KEYS_PATH, body, headers = {} } = {}) =>
          gateway.request(path, {
            method,
            headers: { Authorization: authorization, ...headers },
            ...(body === undefined ? {} : { body }),
          }),
      };
    },
    async dispose() {
      await gateway.stop();
      await provider.dispose();
    },
  };
}
