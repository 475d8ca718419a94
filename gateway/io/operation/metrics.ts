import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** The metrics of the gateway, for Prometheus. */
export type Metrics = {
  /** Counts a response and its duration. `decision` is the outcome, as in the log. */
  readonly count: (route: string, decision: string, status: number, seconds: number) => void;
  /** Counts a failed operation on a store. */
  readonly storeFailed: (store: 'releases' | 'accounts') => void;
  /** Records how long a URL took to sign. */
  readonly signed: (seconds: number) => void;
  /** Sets the release in force. */
  readonly released: (release: { readonly sequence: number; readonly publishedAtMs: number }) => void;
  /** Returns the metrics as text, and its media type. */
  readonly read: () => Promise<{ readonly text: string; readonly type: string }>;
};

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const SIGNING_BUCKETS = [0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.001, 0.01, 0.1, 1];

/** Creates metrics in a registry of their own; `now` determines the age of the release. */
export function createMetrics(now: () => number): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'gateway_requests_total',
    help: 'Responses by route template, decision and status.',
    labelNames: ['route', 'decision', 'status'],
    registers,
  });
  const latency = new Histogram({
    name: 'gateway_request_duration_seconds',
    help: 'Seconds from the head of a request to the end of its response, by route template.',
    labelNames: ['route'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  const failures = new Counter({
    name: 'gateway_store_errors_total',
    help: 'Failed reads and writes of a store.',
    labelNames: ['store'],
    registers,
  });
  const signing = new Histogram({
    name: 'gateway_url_signing_duration_seconds',
    help: 'Seconds to sign a URL.',
    buckets: SIGNING_BUCKETS,
    registers,
  });
  const childrenOf = cacheChildren((route: string) => ({
    latency: latency.labels({ route }),
    requestsOf: cacheChildren((decision: string) =>
      cacheChildren((status: number) => requests.labels({ route, decision, status: String(status) })),
    ),
  }));
  return {
    count(route, decision, status, seconds) {
      const children = childrenOf(route);
      children.requestsOf(decision)(status).inc();
      children.latency.observe(seconds);
    },
    storeFailed: (store) => failures.labels({ store }).inc(),
    signed: (seconds) => signing.observe(seconds),
    released: gaugeReleases(registry, now),
    read: async () => ({ text: await registry.metrics(), type: registry.contentType }),
  };
}

/** Adds the gauges of the release in force, and returns the function that sets them. */
function gaugeReleases(registry: Registry, now: () => number): Metrics['released'] {
  const registers = [registry];
  let publishedAtMs: number | undefined;
  const sequence = new Gauge({
    name: 'gateway_release_sequence',
    help: 'Sequence of the release in force.',
    registers,
  });
  new Gauge({
    name: 'gateway_release_age_seconds',
    help: 'Seconds since the release in force was published.',
    registers,
    collect() {
      this.set(publishedAtMs === undefined ? Number.NaN : (now() - publishedAtMs) / 1000); // 0 would mean a new release
    },
  });
  return (release) => {
    sequence.set(release.sequence);
    publishedAtMs = release.publishedAtMs;
  };
}

/** Caches the children of a metric: the library hashes all labels at each lookup, and there are few children. */
function cacheChildren<L extends string | number, T>(create: (label: L) => T): (label: L) => T {
  const children = new Map<L, T>();
  return (label) => {
    let child = children.get(label);
    if (child === undefined) children.set(label, (child = create(label)));
    return child;
  };
}
