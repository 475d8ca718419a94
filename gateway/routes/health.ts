import type { Router } from 'express';
import { byChain, CHAIN_IDS } from '../../schemas/catalog.js';
import { toInstant } from '../../schemas/dates.js';
import { judgeFreshness } from '../../schemas/freshness.js';
import { ENDPOINTS } from '../../schemas/paths.js';
import type { Metrics } from '../io/operation/metrics.js';
import type { Releases } from '../io/releases/releases.js';
import { RETRY_SECONDS } from '../http/problem-handler.js';
import { contextOf } from '../http/request-context.js';
import { beginRoute, createRouter } from '../http/route.js';
import { sendJson } from '../http/send-json.js';

/** Options for `createHealthRouter`. */
export type HealthRouterOptions = {
  readonly releases: Releases;
  /** Returns whether the accounts store is considered reachable. */
  readonly isAccountsStoreReachable: () => boolean;
};

/**
 * Returns `/healthz`, which shows that the process responds, and `/readyz`. Readiness is 503 until the gateway has loaded a
 * release. While a store is down it is 200 with `degraded`: the gateway still serves what it has cached, and another gateway
 * would not help, because it uses the same store.
 */
export function createHealthRouter(options: HealthRouterOptions): Router {
  const router = createRouter();
  router
    .route(ENDPOINTS.health)
    .all(...beginRoute({ template: ENDPOINTS.health, methods: ['GET'], origins: [] }))
    .get((_req, res) => sendJson(res, 200, { status: 'ok' }));
  router
    .route(ENDPOINTS.readiness)
    .all(...beginRoute({ template: ENDPOINTS.readiness, methods: ['GET'], origins: [] }))
    .get((_req, res) => {
      const document = describeReadiness(options);
      contextOf(res).decision = document.status; // for log and metrics
      if (document.release === null) sendJson(res, 503, document, { 'Retry-After': RETRY_SECONDS });
      else sendJson(res, 200, document);
    });
  return router;
}

function describeReadiness({ releases, isAccountsStoreReachable }: HealthRouterOptions) {
  const release = releases.current();
  const stores = { releases: toState(releases.isReachable()), accounts: toState(isAccountsStoreReachable()) };
  const isDegraded = stores.releases !== 'ok' || stores.accounts !== 'ok';
  const status = release === undefined ? 'not-ready' : isDegraded ? 'degraded' : 'ready';
  const served = release && { revision: release.revision, sequence: release.sequence };
  return { status, stores, release: served ?? null };
}

function toState(isReachable: boolean): 'ok' | 'unreachable' {
  return isReachable ? 'ok' : 'unreachable';
}

/** Options for `createFreshnessRouter`. */
export type FreshnessRouterOptions = {
  readonly releases: Pick<Releases, 'current'>;
  readonly now: () => number;
};

/**
 * Returns `/health/freshness`: 503 while a chain of the release is stale, or no release is loaded. Mount it only on the
 * operator's port: it is for alarms. A load balancer must not use it, because another gateway has the same data.
 */
export function createFreshnessRouter(options: FreshnessRouterOptions): Router {
  const router = createRouter();
  router
    .route(ENDPOINTS.freshness)
    .all(...beginRoute({ template: ENDPOINTS.freshness, methods: ['GET'], origins: [] }))
    .get((_req, res) => {
      const document = describeFreshness(options);
      contextOf(res).decision = document.status;
      sendJson(res, document.status === 'current' ? 200 : 503, document);
    });
  return router;
}

function describeFreshness({ releases, now }: FreshnessRouterOptions) {
  const release = releases.current();
  const nowMs = now();
  const chains = byChain((chain) => {
    const limits = release?.limits[chain];
    return limits && { freshness: judgeFreshness(limits, nowMs), ...limits };
  });
  const stale = CHAIN_IDS.filter((chain) => chains[chain]?.freshness === 'stale');
  const status = release === undefined ? 'not-ready' : stale.length > 0 ? 'stale' : 'current';
  return { status, at: toInstant(nowMs), revision: release?.revision ?? null, stale, chains };
}

/** Returns `/metrics` for Prometheus. Mount it only on the operator's port. */
export function createMetricsRouter({ metrics }: { readonly metrics: Metrics }): Router {
  const router = createRouter();
  router
    .route(ENDPOINTS.metrics)
    .all(...beginRoute({ template: ENDPOINTS.metrics, methods: ['GET'], origins: [] }))
    .get(async (_req, res) => {
      const { text, type } = await metrics.read();
      contextOf(res).decision = 'answered';
      res.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text);
    });
  return router;
}
