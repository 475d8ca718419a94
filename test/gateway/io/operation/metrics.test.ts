import { createMetrics } from '../../../../gateway/io/operation/metrics.js';

const PUBLISHED = Date.parse('2026-08-20T12:00:00Z');
const ROUTE = '/api/v1/files/{genre}/{chain}/{date}.json';

/** Metrics with a clock that the test controls, and the value of a line. */
function createScene() {
  const scene = { nowMs: PUBLISHED };
  const metrics = createMetrics(() => scene.nowMs);
  const valueOf = async (line: string): Promise<number | undefined> => {
    const { text } = await metrics.read();
    const found = text.split('\n').find((each) => each.startsWith(`${line} `));
    return found === undefined ? undefined : Number(found.slice(line.length + 1));
  };
  return { scene, metrics, valueOf };
}

describe('metrics', () => {
  it('count responses by route, decision and status, and time them by route', async () => {
    const { metrics, valueOf } = createScene();
    metrics.count(ROUTE, 'redirect', 307, 0.002);
    metrics.count(ROUTE, 'redirect', 307, 0.2);
    metrics.count(ROUTE, 'not-found', 404, 0.002);
    const requests = (decision: string, status: number): string =>
      `gateway_requests_total{route="${ROUTE}",decision="${decision}",status="${status}"}`;
    expect(await valueOf(requests('redirect', 307))).toBe(2);
    expect(await valueOf(requests('not-found', 404))).toBe(1);
    const latency = 'gateway_request_duration_seconds';
    expect(await valueOf(`${latency}_count{route="${ROUTE}"}`)).toBe(3);
    expect(await valueOf(`${latency}_bucket{le="0.0025",route="${ROUTE}"}`)).toBe(2);
    expect(await valueOf(`${latency}_bucket{le="0.25",route="${ROUTE}"}`)).toBe(3);
    const { text } = await metrics.read();
    const bounds = [
      ...text.matchAll(/^gateway_request_duration_seconds_bucket\{le="([\d.]+)",route="[^"]+"\}/gm),
    ];
    const seconds = bounds.map(([, bound]) => Number(bound));
    expect(seconds).toEqual([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]);
  });

  it('count failures by store, and time the signing of URLs in steps of a few microseconds', async () => {
    const { metrics, valueOf } = createScene();
    metrics.storeFailed('releases');
    metrics.storeFailed('accounts');
    metrics.storeFailed('accounts');
    metrics.signed(0.00002);
    expect(await valueOf('gateway_store_errors_total{store="releases"}')).toBe(1);
    expect(await valueOf('gateway_store_errors_total{store="accounts"}')).toBe(2);
    expect(await valueOf('gateway_url_signing_duration_seconds_bucket{le="0.00001"}')).toBe(0);
    expect(await valueOf('gateway_url_signing_duration_seconds_bucket{le="0.000025"}')).toBe(1);
  });

  it('contain the sequence and the current age of the release in force', async () => {
    const { scene, metrics, valueOf } = createScene();
    metrics.released({ sequence: 7, publishedAtMs: PUBLISHED });
    scene.nowMs += 90_500;
    expect(await valueOf('gateway_release_sequence')).toBe(7);
    expect(await valueOf('gateway_release_age_seconds')).toBe(90.5);
    metrics.released({ sequence: 8, publishedAtMs: scene.nowMs });
    expect(await valueOf('gateway_release_sequence')).toBe(8);
    expect(await valueOf('gateway_release_age_seconds')).toBe(0);
  });

  it('have the age NaN before the first release', async () => {
    const { valueOf } = createScene();
    expect(await valueOf('gateway_release_age_seconds')).toBeNaN();
  });

  it('are in the text format of Prometheus, separate for each gateway', async () => {
    const [one, other] = [createScene(), createScene()];
    one.metrics.count(ROUTE, 'redirect', 307, 0.001);
    const { text, type } = await one.metrics.read();
    expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
      // prom-client writes Nan
      expect(line).toMatch(/^[a-z0-9_]+(\{([a-zA-Z_]+="[^"]*",?)*\})? (Nan|NaN|[-+.0-9e]+)$/);
    }
    expect(text).toContain('process_resident_memory_bytes');
    expect((await other.metrics.read()).text).not.toContain('decision="redirect"');
  });
});
