import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { ObjectStore } from '../infra/store/object-store.js';
import { openStore } from '../infra/store/open-store.js';
import { createApp, createFastLane, createOperatorApp } from './app.js';
import type { Configuration } from './core/configuration.js';
import { createDelivery } from './delivery.js';
import type { BillingPort } from './io/billing/billing-port.js';
import { createSelling } from './io/billing/selling.js';
import { createAccountsProbe } from './io/accounts-probe.js';
import { createAccounts } from './io/accounts.js';
import { openAccountsStore } from './io/accounts-store.js';
import { createAuthenticator } from './io/authenticator.js';
import { startHttpServer, type HttpServer } from './io/http-server.js';
import { createKeySet } from './io/key-set.js';
import type { ManifestIndexer } from './io/manifest-indexer.js';
import { createMetrics, type Metrics } from './io/metrics.js';
import { createRateLimits } from './io/rate-limits.js';
import { createReleases, type Releases } from './io/releases.js';
import { createRequestLog } from './io/request-log.js';
import { createSessions, type Sessions } from './io/sessions.js';
import { createStoreTouch } from './io/store-touch.js';
import { createStoreWatch } from './io/store-watch.js';
import { createTimedStore } from './io/timed-store.js';
import { createUsageRecorder } from './io/usage-recorder.js';
import { createDoorkeeper } from './routes/doorkeeper.js';

/** What the gateway needs of the outside world; `clock` is monotonic, in milliseconds, `random` unpredictable bytes. */
export type ServiceTerms = {
  readonly logger: Logger;
  readonly now: () => number;
  readonly clock: () => number;
  readonly newId: () => string;
  readonly random: (size: number) => Uint8Array;
  readonly fetch: typeof fetch;
  readonly indexer: ManifestIndexer;
  /** How long a store may take to answer, in milliseconds; 8 seconds where absent. */
  readonly storeMs?: number;
  /** Who takes the money; without it nothing is sold. */
  readonly billing?: BillingPort;
};

/** A gateway that answers requests, wherever they come from. */
export type Gateway = {
  readonly app: RequestListener;
  /** What operators ask: health and metrics. */
  readonly operatorApp: RequestListener;
  /** Looks at what is published, and resolves once it is known or its store does not answer. */
  readonly start: () => Promise<void>;
  /** Looks again, for whoever was not running meanwhile. */
  readonly catchUp: () => Promise<unknown>;
  /** Ends what goes on beside requests. */
  readonly stop: () => Promise<unknown>;
};

/** A gateway that serves. */
export type Service = {
  readonly url: string;
  readonly operatorUrl: string;
  /** Ends within ten seconds, what is under way first. */
  readonly stop: () => Promise<void>;
};

const STOP_MS = 8_000;
const DRAIN_MS = 1_000;
/** Longer than an S3 client waits for a silent server, shorter than a stop may take. */
const STORE_MS = 8_000;

/** Where releases and accounts live. */
export type Stores = { readonly store: ObjectStore; readonly accountsStore: ObjectStore };

/** How long a request to a store may be repeated: somebody waits. */
const PATIENCE_MS = 1_000;

/** Opens the stores of a configuration. @throws StoreError or OperatorError for an address that is wrong. */
export async function openStores({ store, accountsStore, s3 }: Configuration): Promise<Stores> {
  const terms = { s3, patienceMs: PATIENCE_MS };
  return {
    store: await openStore(store.address, terms),
    accountsStore: await openAccountsStore(accountsStore.address, { ...terms, mayBeDown: true }),
  };
}

/**
 * Makes the gateway of its parts; links of a directory store begin with `baseUrl`.
 * @throws Error when nothing says in which region S3 is.
 */
export async function composeGateway(
  configuration: Configuration,
  stores: Stores,
  terms: ServiceTerms,
  baseUrl: () => string,
): Promise<Gateway> {
  const { logger, now, clock, newId, storeMs = STORE_MS } = terms;
  const store = createTimedStore(stores.store, storeMs);
  const accountsStore = createTimedStore(stores.accountsStore, storeMs);
  const { corsOrigins, dashboardOrigins } = configuration;
  const metrics = createMetrics(now);
  const watch = createStoreWatch(logger, metrics, now);
  const releases = createWatchedReleases(configuration, store, metrics, terms);
  const access = createAccess(configuration, accountsStore, { ...terms, onError: watch('accounts') });
  const { probe, usage } = access;
  const delivery = await createDelivery(configuration, store, { now, baseUrl, onError: watch('releases') });
  const log = createRequestLog(logger);
  const common = { log, metrics, now, clock, newId, releases, accountsInTouch: access.isInTouch };
  const parts = { ...common, ...delivery, ...access, corsOrigins, dashboardOrigins };
  return {
    app: createFastLane(parts, createApp(parts)),
    operatorApp: createOperatorApp(common),
    async start() {
      await Promise.all([releases.start(), probe.start()]);
      if (releases.current() === undefined)
        logger.warn('nothing is published yet, or the store cannot be read');
    },
    catchUp: releases.catchUp,
    stop() {
      probe.stop();
      return Promise.all([releases.stop(), usage.drain(DRAIN_MS)]);
    },
  };
}

/**
 * Starts the gateway. A store that cannot be reached does not keep it from starting: it answers as far as it can.
 * @throws Error when it cannot listen, or nothing says in which region S3 is.
 */
export async function startService(
  configuration: Configuration,
  stores: Stores,
  terms: ServiceTerms,
): Promise<Service> {
  let url = configuration.publicBaseUrl ?? '';
  const gateway = await composeGateway(configuration, stores, terms, () => url);
  await gateway.start();
  const [server, operator] = await listen(configuration, gateway.app, gateway.operatorApp);
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

/** Who may come in, what is theirs, and how more is sold to them. */
function createAccess(
  configuration: Configuration,
  store: ObjectStore,
  terms: ServiceTerms & { readonly onError: (error: unknown) => void },
) {
  const { logger, now, random, billing, onError } = terms;
  const { keyMode: mode, pollSeconds, limits, trustProxy, billing: settings } = configuration;
  const accounts = createAccounts(store, { now, random, mode });
  const { isInTouch, note: onAnswer } = createStoreTouch(onError);
  const authenticator = createAuthenticator({ accounts, mode, now, onAnswer });
  const usage = createUsageRecorder({ record: accounts.recordUsage, now, onError });
  const doorkeeper = createDoorkeeper({
    authenticator,
    limits: createRateLimits({ ...limits, now }),
    sessions: createDashboard(configuration, terms),
    onUse: usage.note,
    trustProxy,
  });
  const probe = createAccountsProbe({ store, everyMs: pollSeconds * 1000, onAnswer });
  const selling = createSelling({ billing, settings, mode, store, random, now, logger });
  return { accounts, doorkeeper, usage, probe, isInTouch, ...selling };
}

/** The published state, whose failures and whose progress are told to log and metrics. */
function createWatchedReleases(
  { pollSeconds }: Configuration,
  store: ObjectStore,
  metrics: Metrics,
  { logger, now, random, indexer }: ServiceTerms,
): Releases {
  return createReleases({
    store,
    indexer,
    now,
    random: () => (random(1)[0] ?? 0) / 256,
    pollMs: pollSeconds * 1000,
    onError: createStoreWatch(logger, metrics, now)('releases'),
    onRelease(release) {
      metrics.released(release);
      logger.info({ revision: release.revision, sequence: release.sequence }, 'a release is in force');
    },
  });
}

/** Listens on both ports, or on none. */
async function listen(
  configuration: Configuration,
  app: RequestListener,
  operatorApp: RequestListener,
): Promise<[HttpServer, HttpServer]> {
  const server = await startHttpServer(app, configuration);
  try {
    return [server, await startHttpServer(operatorApp, configuration.metrics)];
  } catch (error) {
    await server.stop(0);
    throw error;
  }
}

function createDashboard(
  { sessions }: Configuration,
  { fetch, now, logger }: ServiceTerms,
): Sessions | undefined {
  if (sessions === undefined) return undefined;
  const { jwks: address, issuer, audience } = sessions;
  const onError = (error: unknown): void => {
    logger.warn({ err: error }, "the identity provider's keys cannot be read");
  };
  const keySet = createKeySet({ address, fetch, now, onError });
  void keySet.prepare();
  return createSessions({ keySet, issuer, audience, now });
}
