import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { publicKey, statementKey, TRUST_PATHS } from '../../../schemas/paths.js';
import { namedSequence } from '../../core/releases/named-sequence.js';
import type { ReleaseView } from '../../core/releases/release-view.js';
import { createFreshValues } from '../timing/fresh-values.js';
import type { Releases } from './releases.js';

/** URL path of a file by which readers verify signed releases. */
export type TrustPath = (typeof TRUST_PATHS)[keyof typeof TRUST_PATHS];

/** A file by which readers verify signed releases, as it is in the store. */
type TrustFile = { readonly bytes: Uint8Array; readonly sha256: string };

/** Reads the files by which readers verify signed releases. It does not verify them. */
export type TrustFiles = {
  /**
   * Returns a file; `null` if the store does not have it. While the store does not answer, returns what it had last. The
   * statement is that of the given release.
   * @throws StoreError if the store does not answer and nothing is known, or the file is too large
   */
  readonly read: (path: TrustPath, release: ReleaseView) => Promise<TrustFile | null>;
};

/** Options for `createTrustFiles`. */
type TrustFilesOptions = {
  readonly store: Pick<ObjectStore, 'get'>;
  readonly releases: Pick<Releases, 'current' | 'catchUp'>;
  readonly now: () => number;
  /** Receives the error of each failed read. */
  readonly onError: (error: unknown) => void;
};

/** Maximum size of a file: a list of 60,000 releases. */
const MAX_BYTES = 10_000_000;
/** The four files, and statements of the releases before. */
const MAX_FILES = 8;
/** Age from which a file is read again before it is sent. */
const STALE_MS = 1_000;
/** Pause after a failed read. */
const RETRY_MS = 1_000;
/** Time after a failed read during which a known file is sent without waiting. Longer than a read that times out. */
const OUTAGE_MS = 30_000;

/** Creates a reader with a cache of one second. Each file is read once at a time, whatever the number of requests. */
export function createTrustFiles({ store, releases, now, onError }: TrustFilesOptions): TrustFiles {
  const files = createFreshValues<TrustFile | null>({
    max: MAX_FILES,
    now,
    load,
    freshness: (_file, ageMs) => (ageMs >= 0 && ageMs < STALE_MS ? 'fresh' : 'stale'), // never expires: release files do not either
    retryMs: RETRY_MS,
    retryEmptyMs: RETRY_MS,
    outageMs: OUTAGE_MS,
    onSettled: (error) => {
      if (error !== undefined) onError(error);
    },
  });

  async function load(key: string): Promise<TrustFile | null> {
    const found = await store.get(key);
    if (found === undefined) return null;
    const { bytes } = found;
    if (bytes.length > MAX_BYTES)
      throw new StoreError('unavailable', `${key} has more than ${MAX_BYTES} bytes, so it is not sent`);
    if (key === TIMESTAMP_KEY) await catchUpWith(bytes);
    return { bytes, sha256: sha256Hex(bytes) };
  }

  /** Looks for the release of a timestamp. Otherwise, readers would find a mixture of two releases until the next poll. */
  async function catchUpWith(timestamp: Uint8Array): Promise<void> {
    const sequence = namedSequence(timestamp) ?? 0;
    if (sequence > (releases.current()?.sequence ?? sequence)) await releases.catchUp();
  }

  return {
    async read(path, release) {
      const key = keyOf(path, release);
      const file = files.peek(key);
      return file === undefined ? files.read(key) : file;
    },
  };
}

const TIMESTAMP_KEY = publicKey(TRUST_PATHS.timestamp);

function keyOf(path: TrustPath, { revision, sha256 }: ReleaseView): string {
  return path === TRUST_PATHS.statement ? statementKey(revision, sha256) : publicKey(path);
}
