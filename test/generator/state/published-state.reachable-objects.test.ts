import { toInstant } from '../../../schemas/dates.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import { retainedReleases, type StoredRelease } from '../../../generator/state/published-state.js';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-08-20T12:00:00Z');

/** Returns a release published at an instant; its digest is its name. */
function releaseAt(publishedMs: number, sha256: string): StoredRelease {
  return { record: { published_at: toInstant(publishedMs) } as ReleaseRecord, sha256 }; // all that retention reads
}

/** Returns the retained releases of a chain of `count`, numbered from the newest. `ageMs` returns the age of one. */
function retainedAmong(count: number, ageMs: (number: number) => number): string[] {
  const releases = Array.from({ length: count }, (_, index) =>
    releaseAt(NOW - ageMs(index + 1), String(index + 1)),
  );
  return retainedReleases(releases, NOW).map(({ sha256 }) => sha256);
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index + 1));

describe('the releases from which garbage collection deletes nothing', () => {
  it('are the newest thirty, however old they are', () => {
    expect(retainedAmong(40, () => 400 * DAY_MS)).toEqual(numbers(30));
  });

  it('are all of a shorter chain', () => {
    expect(retainedAmong(29, () => 400 * DAY_MS)).toEqual(numbers(29));
  });

  it('are all of the last thirty days, however many they are', () => {
    expect(retainedAmong(80, (number) => number * 0.5 * DAY_MS)).toEqual(numbers(60));
  });
});
