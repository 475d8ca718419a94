import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** What is counted of the gateway, for Prometheus. */
export type Metrics = {
  /** Counts an answer and the seconds that it took. */
  readonly count: (route: string, decision: string, status: number, seconds: number) => void;
  /** Counts a failure of one of the stores. */
  readonly storeFailed: (store: 'releases' | 'accounts') => void;
  /** Puts down the seconds that a signature took. */
  readonly signed: (seconds: number) => void;
  /** The release in force. */
  readonly released: (release: { readonly sequence: number; readonly publishedAtMs: number }) => void;
  /** The metrics as text, and its media type. */
  readonly read: () => Promise<{ readonly text: string; readonly type: string }>;
};

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const SIGNING_BUCKETS = [0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.001, 0.01, 0.1, 1];

/** Metrics in a registry of their own; `now` gives the age of a release. */
export function createMetrics(now: () => number): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'gateway_requests_total',
    help: 'Answers by route template, decision and status.',
    labelNames: ['route', 'decision', 'status'],
    registers,
  });
  const latency = new Histogram({
    name: 'gateway_request_duration_seconds',
    help: 'Seconds from the head of a request to the end of its answer, by route template.',
    labelNames: ['route'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  const failures = new Counter({
    name: 'gateway_store_errors_total',
    help: 'Failures to read or write a store.',
    labelNames: ['store'],
    registers,
  });
  const signing = new Histogram({
    name: 'gateway_url_signing_duration_seconds',
    help: 'Seconds that signing a URL took.',
    buckets: SIGNING_BUCKETS,
    registers,
  });
  const childrenOf = keepChildren((route: string) => ({
    latency: latency.labels({ route }),
    of: keepChildren((decision: string) =>
      keepChildren((status: number) => requests.labels({ route, decision, status: String(status) })),
    ),
  }));
  return {
    count(route, decision, status, seconds) {
      const children = childrenOf(route);
      children.of(decision)(status).inc();
      children.latency.observe(seconds);
    },
    storeFailed: (store) => failures.labels({ store }).inc(),
    signed: (seconds) => signing.observe(seconds),
    released: gaugeReleases(registry, now),
    read: async () => ({ text: await registry.metrics(), type: registry.contentType }),
  };
}

/** Adds the gauges of the release in force; what is returned sets them. */
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
      this.set(publishedAtMs === undefined ? Number.NaN : (now() - publishedAtMs) / 1000); // 0 would be a fresh one
    },
  });
  return (release) => {
    sequence.set(release.sequence);
    publishedAtMs = release.publishedAtMs;
  };
}

/** The library looks a child up by hashing its labels; ours are few, and each is kept. */
function keepChildren<L extends string | number, T>(create: (label: L) => T): (label: L) => T {
  const children = new Map<L, T>();
  return (label) => {
    let child = children.get(label);
    if (child === undefined) children.set(label, (child = create(label)));
    return child;
  };
}
