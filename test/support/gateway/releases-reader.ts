import { createReleases, type Releases } from '../../../gateway/io/releases/releases.js';
import type { ReleaseView } from '../../../gateway/core/releases/release-view.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';

/** A reader of releases with its events so far. */
export type ReleasesReader = {
  readonly releases: Releases;
  readonly seen: ReleaseView[];
  readonly errors: unknown[];
};

/** Creates a reader that polls only on request, unless `pollMs` is set, with short waits. */
export function createReleasesReader(store: ObjectStore, pollMs = 3_600_000): ReleasesReader {
  const seen: ReleaseView[] = [];
  const errors: unknown[] = [];
  const releases = createReleases({
    store,
    now: () => Date.now(),
    random: () => 0.5,
    pollMs,
    pauseMs: 100,
    waitMs: 300,
    onRelease: (release) => void seen.push(release),
    onError: (error) => void errors.push(error),
  });
  return { releases, seen, errors };
}
