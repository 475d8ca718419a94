import type { RequestListener } from 'node:http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { type ObjectStore, serverMembers, StoreError } from '../infra/store/object-store.js';
import { openStore } from '../infra/store/open-store.js';
import { createApp, createFastLane, createOperatorApp, type AppOptions } from './app.js';
import type { Configuration } from './core/configuration/configuration.js';
import { type AccountFiles, toStylesheet } from './core/http/account-page.js';
import { createDelivery } from './delivery.js';
import { createAuthentication } from './http/authentication.js';
import { startHttpServer, type HttpServer } from './http/http-server.js';
import { requireOrigin } from './http/origin-check.js';
import { createHostReader } from './http/trusted-proxies.js';
import { createAccountsProbe } from './io/accounts/accounts-probe.js';
import { createAccounts } from './io/accounts/accounts.js';
import { openAccountsStore } from './io/accounts/accounts-store.js';
import { createStoreHealth } from './io/accounts/store-health.js';
import { createUsageRecorder } from './io/accounts/usage-recorder.js';
import type { BillingPort } from './io/billing/billing-port.js';
import { createAuthenticator } from './io/identity/authenticator.js';
import { createSessionVerifier } from './io/identity/session-verifier.js';
import { atMostEvery } from './io/timing/at-most-every.js';
import { createMetrics, type Metrics } from './io/operation/metrics.js';
import { createRateLimits } from './io/operation/rate-limits.js';
import { createRequestLog } from './io/operation/request-log.js';
import { createCompressor } from './io/releases/compressor.js';
import { createReleases, type Releases } from './io/releases/releases.js';
import { createTrustFiles } from './io/releases/trust-files.js';
import { compileErrorPage } from './core/http/error-page.js';
import type { ErrorPage } from './http/problem-handler.js';
import type { KeyMode } from './core/access/api-key.js';
import { toPriceBook, type BillingSettings } from './core/billing/billing-settings.js';
import { createBillingService, type BillingService } from './io/billing/billing-service.js';
import { GatewayError } from './core/problems.js';
import { createStripeRefresh, NO_STRIPE_REFRESH, type StripeRefresh } from './io/billing/stripe-refresh.js';
import { withTimeLimit } from './io/timing/time-limit.js';

/** The gateway's connections to the outside world: log, clocks, randomness, network. */
type ServiceOptions = {
  readonly logger: Logger;
  readonly now: () => number;
  /** Monotonic clock in milliseconds. */
  readonly clock: () => number;
  readonly newId: () => string;
  /** Returns `size` unpredictable bytes. */
  readonly random: (size: number) => Uint8Array;
  readonly fetch: typeof fetch;
  /** Timeout for each request to a store, in milliseconds; 8 seconds by default. */
  readonly storeMs?: number;
  /** Access to Stripe; without it the gateway sells nothing. */
  readonly billing?: BillingPort;
  /** The texts of the account and error pages. Without them, the gateway serves neither. */
  readonly accountFiles?: AccountFiles;
};

/** A gateway that does not listen on a port. */
export type Gateway = {
  readonly app: Express;
  /** The application behind the fast lane for subscriber files. */
  readonly listener: RequestListener;
  /** Health and metrics, for the operator's port. */
  readonly operatorApp: Express;
  /** Reads the current release. Resolves when the release is known or the store did not respond in time. */
  readonly start: () => Promise<void>;
  /** Looks for a newer release. A process that may have been suspended calls this first. */
  readonly catchUp: () => Promise<unknown>;
  /** Stops all background work. */
  readonly stop: () => Promise<unknown>;
};

/** A gateway that listens on both ports. */
export type Service = {
  readonly url: string;
  readonly operatorUrl: string;
  /** Stops within ten seconds. Requests in progress may finish. */
  readonly stop: () => Promise<void>;
};

/** Time for requests in progress to finish when the service stops. */
const STOP_MS = 8_000;
/** Time after that for queued uses of keys to be recorded. */
const DRAIN_MS = 1_000;
/**
 * Longer than an S3 client waits for a silent server, and shorter than `STOP_MS` plus `DRAIN_MS`, so that an operation
 * in progress ends before the service does.
 */
const STORE_MS = 8_000;
/** Time limit for retries of a store request, while a client is waiting. */
const RETRY_MS = 1_000;

const MINUTE_MS = 60_000;

const REFUSED_ORIGIN =
  'A request without the secret of CRD_ORIGIN_SECRET was refused: it did not come through the proxy in front, or the proxy sends another secret.';
const UNTRUSTED_PROXY =
  'X-Forwarded-For was received, but no proxy is trusted, so all callers behind a proxy share the rate limits of its address. Set CRD_TRUST_PROXY.';

/** The store of releases and the store of accounts. */
type Stores = { readonly store: ObjectStore; readonly accountsStore: ObjectStore };

/** Opens the stores of a configuration. @throws StoreError or OperatorError for an invalid address. */
export async function openStores({ store, accountsStore, s3 }: Configuration): Promise<Stores> {
  const options = { s3, retryPeriodMs: RETRY_MS };
  return {
    store: await openStore(store.address, options),
    accountsStore: await openAccountsStore(accountsStore.address, { ...options, mayBeDown: true }),
  };
}

/**
 * Composes a gateway from its parts. Links of a directory store begin with `baseUrl`.
 * @throws Error when the region of S3 is not configured.
 */
export async function composeGateway(
  configuration: Configuration,
  stores: Stores,
  options: ServiceOptions,
  baseUrl: () => string,
): Promise<Gateway> {
  const { logger, now, clock, newId, storeMs = STORE_MS, accountFiles: files } = options;
  const store = createTimedStore(stores.store, storeMs);
  const accountsStore = createTimedStore(stores.accountsStore, storeMs);
  const { corsOrigins, dashboardOrigins, signIn, trustProxy } = configuration;
  const metrics = createMetrics(now);
  const storeErrors = createStoreErrors(logger, metrics, now);
  const releases = createWatchedReleases(configuration, store, metrics, {
    ...options,
    onError: storeErrors('releases'),
  });
  const access = createAccess(configuration, accountsStore, { ...options, onError: storeErrors('accounts') });
  const { authentication, accounts, stripeRefresh, billingService, probe, usage } = access;
  const { signer, source, directory } = await createDelivery(configuration, store, {
    now,
    baseUrl,
    onError: storeErrors('releases'),
  });
  const trustFiles = createTrustFiles({ store, releases, now, onError: storeErrors('releases') });
  const sending = { authentication, releases, source, compressor: createCompressor() };
  const parts: AppOptions = {
    requests: { log: createRequestLog(logger), metrics, clock, newId },
    files: { ...sending, accounts, stripeRefresh, signer, metrics, now, clock, corsOrigins },
    health: { releases, isAccountsStoreReachable: access.isReachable },
    account: { authentication, accounts, billingService, stripeRefresh, now, dashboardOrigins },
    objects: directory && { ...directory, ...sending, corsOrigins, now },
    publicFiles: { ...sending, trustFiles, hostsOf: createHostReader(trustProxy) },
    accountPage: files && { ...sending, files, signIn, sells: billingService !== undefined },
    dayPages: files && { ...sending, template: files.day },
    errorPage:
      files && createErrorPage(files, releases, source.elsewhere === undefined ? baseUrl : undefined),
  };
  const app = createApp(parts);
  return {
    app,
    listener: requireOrigin(createFastLane(parts, app), {
      secrets: configuration.originSecrets,
      onRefused: atMostEvery(MINUTE_MS, now, () => logger.warn(REFUSED_ORIGIN)),
    }),
    operatorApp: createOperatorApp(parts.requests, { ...parts.health, now }),
    async start() {
      await Promise.all([releases.start(), probe.start()]);
      if (releases.current() === undefined)
        logger.warn('no release is published yet, or the store cannot be read');
    },
    catchUp: releases.catchUp,
    stop() {
      probe.stop();
      releases.stop();
      return usage.drain(DRAIN_MS);
    },
  };
}

/**
 * Starts the gateway. It also starts while a store is unreachable, and answers what it can.
 * @throws Error when it cannot listen, or the region of S3 is not configured.
 */
export async function startService(
  configuration: Configuration,
  stores: Stores,
  options: ServiceOptions,
): Promise<Service> {
  let url = configuration.publicBaseUrl ?? '';
  const gateway = await composeGateway(configuration, stores, options, () => url);
  await gateway.start();
  const [server, operator] = await listen(configuration, gateway);
  if (configuration.publicBaseUrl === undefined) url = server.url;
  return {
    url: server.url,
    operatorUrl: operator.url,
    async stop() {
      await server.stop(STOP_MS);
      await Promise.all([operator.stop(0), gateway.stop()]);
    },
  };
}

/** Options of a part that uses a store. `onError` receives each failure of the store. */
type StoreOptions = ServiceOptions & { readonly onError: (error: unknown) => void };

/** Creates accounts, authentication and billing on the accounts store. */
function createAccess(configuration: Configuration, store: ObjectStore, options: StoreOptions) {
  const { logger, now, random, billing, onError } = options;
  const { keyMode: mode, pollSeconds, limits, trustProxy, billing: settings } = configuration;
  const accounts = createAccounts(store, { now, random, mode });
  const { isReachable, watch } = createStoreHealth(onError);
  const usage = createUsageRecorder({ write: accounts.recordUsage, now, onError });
  const authentication = createAuthentication({
    authenticator: createAuthenticator({ accounts, mode, now, watch }),
    limits: createRateLimits({ ...limits, now }),
    sessions: createSessionVerifier(configuration.sessions, options),
    onUse: usage.record,
    trustProxy,
    onUntrustedProxy: () => logger.warn(UNTRUSTED_PROXY),
  });
  const probe = createAccountsProbe({ store, everyMs: pollSeconds * 1000, watch });
  const assembledBilling = assembleBilling({ billing, settings, mode, store, random, now, logger });
  return { accounts, authentication, usage, probe, isReachable, ...assembledBilling };
}

/** Creates the reader of releases, which records each new release in the log and the metrics. */
function createWatchedReleases(
  { pollSeconds }: Configuration,
  store: ObjectStore,
  metrics: Metrics,
  { logger, now, random, onError }: StoreOptions,
): Releases {
  return createReleases({
    store,
    now,
    random: () => (random(1)[0] ?? 0) / 256,
    pollMs: pollSeconds * 1000,
    onError,
    onRelease(release) {
      metrics.released(release);
      logger.info({ revision: release.revision, sequence: release.sequence }, 'read a new release');
    },
  });
}

/** Listens on both ports or on neither. */
async function listen(
  configuration: Configuration,
  { listener, operatorApp }: Gateway,
): Promise<[HttpServer, HttpServer]> {
  const server = await startHttpServer(listener, configuration);
  try {
    return [server, await startHttpServer(operatorApp, configuration.metrics)];
  } catch (error) {
    await server.stop(0);
    throw error;
  }
}

/** Creates the page of a problem. `origin` is absent if public files have another host, to which no key may be sent. */
function createErrorPage(
  { error, css }: Pick<AccountFiles, 'error' | 'css'>,
  releases: Pick<Releases, 'current'>,
  origin?: () => string,
): ErrorPage {
  const render = compileErrorPage(error, toStylesheet(css).path);
  return (facts) => {
    const publicPaths = new Set(releases.current()?.publicFiles.keys());
    return render({ ...facts, origin: origin?.(), publicPaths, site: releases.current()?.site });
  };
}

/** Returns a handler for the errors of a store: it counts each one, and logs at most one per second. */
type StoreErrors = (store: 'releases' | 'accounts') => (error: unknown) => void;

const LOG_PAUSE_MS = 1_000;

/** Creates the error handlers of both stores. */
function createStoreErrors(logger: Logger, metrics: Metrics, now: () => number): StoreErrors {
  return (store) => {
    const log = atMostEvery(LOG_PAUSE_MS, now, (error: unknown) =>
      logger.warn({ store, err: error }, 'a store, or the credentials for it, failed'),
    );
    return (error) => {
      metrics.storeFailed(store);
      log(error);
    };
  };
}

/** Billing of a gateway; `billingService` is undefined if billing is not configured. */
type AssembledBilling = {
  readonly billingService: BillingService | undefined;
  readonly stripeRefresh: StripeRefresh;
};

/** Options for `assembleBilling`. */
type AssembleBillingOptions = {
  readonly billing: BillingPort | undefined;
  readonly settings: Pick<BillingSettings, 'prices'> | undefined;
  readonly mode: KeyMode;
  readonly store: ObjectStore;
  readonly random: (size: number) => Uint8Array;
  readonly now: () => number;
  readonly logger: Logger;
};

/** Creates the billing of a gateway. Without a payment provider, nothing is sold. */
function assembleBilling({
  billing,
  settings,
  mode,
  logger,
  ...options
}: AssembleBillingOptions): AssembledBilling {
  if (billing === undefined || settings === undefined)
    return { billingService: undefined, stripeRefresh: NO_STRIPE_REFRESH };
  const billingService = createBillingService({
    ...options,
    billing,
    book: toPriceBook(settings, mode),
    onAlert: ({ what, id }) => logger.error({ alert: what, id }, 'an operator must check this at Stripe'),
  });
  const onError = (err: unknown): void => {
    if (err instanceof GatewayError) return; // the Stripe adapter has already logged it
    logger.warn({ err }, 'an account cannot be updated from Stripe');
  };
  return {
    billingService,
    stripeRefresh: createStripeRefresh({ service: billingService, now: options.now, onError }),
  };
}

/**
 * Returns the store with a time limit for each operation except listings. An operation that exceeds it fails as
 * 'unavailable', although a write may still take effect.
 */
export function createTimedStore(store: ObjectStore, timeMs: number): ObjectStore {
  const limited = <T>(work: Promise<T>): Promise<T> =>
    withTimeLimit(
      work,
      timeMs,
      () => new StoreError('unavailable', `${store.address} did not answer within ${timeMs} ms`),
    );
  return {
    address: store.address,
    get: (key, maxBytes) => limited(store.get(key, maxBytes)),
    head: (key) => limited(store.head(key)),
    putIfAbsent: (key, body, meta) => limited(store.putIfAbsent(key, body, meta)),
    compareAndSwap: (key, body, expected, meta) => limited(store.compareAndSwap(key, body, expected, meta)),
    list: (prefix) => store.list(prefix),
    delete: (key) => limited(store.delete(key)),
    ...serverMembers(store),
  };
}
