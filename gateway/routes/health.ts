import type { Metrics } from '../io/metrics.js';
import type { Releases } from '../io/releases.js';
import type { Endpoint } from './endpoint.js';
import { exchangeOf } from './exchange.js';
import { reply } from './reply.js';
import { RETRY_SECONDS } from './problem-answer.js';
import { sendDocument } from './send-document.js';

/** What telling of the gateway's health needs. */
export type HealthTerms = {
  readonly releases: Releases;
  /** Whether the accounts store answered when it was last asked. */
  readonly accountsInTouch: () => boolean;
};

/** `/healthz`: the process answers. */
export function healthEndpoint(): Endpoint {
  return {
    template: '/healthz',
    has: (path) => path === '/healthz',
    crossOrigin: { origins: [], headers: [] },
    answers: { GET: (_req, res) => sendDocument(res, 200, { status: 'ok' }) },
  };
}

/**
 * `/readyz`: 503 before the first release; `degraded` while a store is down, with 200, for what is cached goes on being
 * served and every other copy has the same store.
 */
export function readinessEndpoint({ releases, accountsInTouch }: HealthTerms): Endpoint {
  return {
    template: '/readyz',
    has: (path) => path === '/readyz',
    crossOrigin: { origins: [], headers: [] },
    answers: {
      GET(_req, res) {
        const release = releases.current();
        const stores = { releases: toWord(releases.isInTouch()), accounts: toWord(accountsInTouch()) };
        const isDegraded = stores.releases !== 'ok' || stores.accounts !== 'ok';
        const status = release === undefined ? 'not-ready' : isDegraded ? 'degraded' : 'ready';
        const inForce = release && { revision: release.revision, sequence: release.sequence };
        exchangeOf(res).decision = status;
        const document = { status, stores, release: inForce ?? null };
        if (release === undefined) sendDocument(res, 503, document, { 'Retry-After': RETRY_SECONDS });
        else sendDocument(res, 200, document);
      },
    },
  };
}

function toWord(isInTouch: boolean): 'ok' | 'unreachable' {
  return isInTouch ? 'ok' : 'unreachable';
}

/** `/metrics`: what is counted, for Prometheus. On the operator's port alone. */
export function metricsEndpoint({ metrics }: { readonly metrics: Metrics }): Endpoint {
  return {
    template: '/metrics',
    has: (path) => path === '/metrics',
    crossOrigin: { origins: [], headers: [] },
    answers: {
      async GET(_req, res) {
        const { text, type } = await metrics.read();
        exchangeOf(res).decision = 'answered';
        reply(res, 200, { 'Content-Type': type, 'Cache-Control': 'no-store' }, Buffer.from(text));
      },
    },
  };
}
