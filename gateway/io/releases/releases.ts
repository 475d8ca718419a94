import { POINTER_KEY } from '../../../schemas/paths.js';
import type { ReleaseView } from '../../core/releases/release-view.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { loadRelease, readPointer, type LoadedRelease } from './load-release.js';
import { createPacedRefresh } from '../timing/paced-refresh.js';
import { REFRESH_LIMIT_MS, settlesWithin } from '../timing/time-limit.js';

/** The published state, as far as this process knows it. */
export type Releases = {
  /** Returns the newest known release; `undefined` before the first one. Its sequence never decreases. */
  readonly current: () => ReleaseView | undefined;
  /** Returns whether the last poll of the store succeeded. */
  readonly isReachable: () => boolean;
  /**
   * Polls the store. Resolves to `true` if a poll that started after this call succeeded within the time limit: the
   * current release is then not older than this call. Callers share polls; a call starts one at the earliest a second after
   * the last. Never rejects.
   */
  readonly catchUp: () => Promise<boolean>;
  /** Starts to poll the store. Resolves after the first poll, or when that takes too long. */
  readonly start: () => Promise<void>;
  readonly stop: () => void;
};

/** Options for `createReleases`. */
type ReleasesOptions = {
  readonly store: ObjectStore;
  readonly now: () => number;
  /** Returns random numbers from 0 up to 1, for jitter. */
  readonly random: () => number;
  readonly pollMs: number;
  /** Minimum time from the start of the last poll to one that `catchUp` starts; one second by default. */
  readonly pauseMs?: number;
  /** Time limit of `catchUp`; `REFRESH_LIMIT_MS` by default. */
  readonly waitMs?: number;
  /** Time limit of `start` for the first poll; 10 seconds by default. */
  readonly startMs?: number;
  /** Receives each release when it comes into force. */
  readonly onRelease: (release: ReleaseView) => void;
  /** Receives the error of each failed poll. */
  readonly onError: (error: unknown) => void;
};

const PAUSE_MS = 1_000;
const START_MS = 10_000;

/**
 * Creates a reader of releases; it does not poll before `start`. A release is not a `FreshValue`: it never becomes
 * stale, and `catchUp` needs a poll that starts after the call.
 */
export function createReleases(options: ReleasesOptions): Releases {
  const { store, now, random, pollMs, onRelease, onError } = options;
  const { pauseMs = PAUSE_MS, waitMs = REFRESH_LIMIT_MS, startMs = START_MS } = options;
  let loaded: LoadedRelease | undefined;
  let didSucceed = false;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Loads the release of the pointer. It replaces the current one only when all of it has been read. */
  async function update(): Promise<void> {
    const current = loaded?.release;
    const pointer = await readPointer(store);
    if (pointer === undefined) {
      if (current === undefined) return;
      throw new Error(`${POINTER_KEY} has disappeared`);
    }
    if (pointer.sha256 === current?.sha256) return;
    if (current !== undefined && pointer.sequence <= current.sequence) {
      throw new Error(`${POINTER_KEY} went from sequence ${current.sequence} to ${pointer.sequence}`);
    }
    loaded = await loadRelease(store, pointer, loaded?.days ?? new Map());
    onRelease(loaded.release);
  }

  async function poll(): Promise<void> {
    try {
      await update();
      didSucceed = true;
    } catch (error) {
      didSucceed = false;
      if (!isStopped) onError(error);
    }
  }
  const polls = createPacedRefresh({ refresh: poll, pauseMs, now });

  function schedule(): void {
    if (isStopped) return;
    const jitter = 0.9 + 0.2 * random();
    timer = setTimeout(() => void polls.refreshNow().finally(schedule), pollMs * jitter);
    timer.unref();
  }

  return {
    current: () => loaded?.release,
    isReachable: () => didSucceed,
    catchUp: async () => (await settlesWithin(polls.refreshNext(), waitMs)) && didSucceed,
    async start() {
      const first = polls.refreshNow();
      void first.then(schedule);
      await settlesWithin(first, startMs);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
