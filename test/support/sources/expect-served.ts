import type { Evidence } from '../../../generator/core/collection/day-values.js';
import type { FakeService } from './fake-service.js';

/** Checks that evidence names responses of the service, with the digests and sizes of what it served. */
export function expectServedBy(service: FakeService, evidence: Evidence, secret = ''): void {
  if (evidence.kind !== 'responses') throw new Error(`expected responses, got ${evidence.kind}`);
  expect(evidence.responses).not.toEqual([]);
  for (const { url, sha256, bytes } of evidence.responses) {
    expect(url.startsWith(service.endpoint)).toBe(true);
    expect({ sha256, bytes }).toEqual(service.served(url.slice(service.endpoint.length) + secret));
  }
}
