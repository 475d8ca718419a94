import { sha256Hex } from '../../schemas/digest.js';
import { objectKey, POINTER_KEY, PUBLIC_PATHS, releaseKey } from '../../schemas/paths.js';
import type { Changes, Pointer, ReleaseRecord } from '../../schemas/types.generated.js';
import { assertValid } from '../../schemas/validate.js';
import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';
import type { DayIndex } from '../core/day-index.js';
import { toReleaseView, type ReleaseView } from '../core/release-view.js';
import type { ManifestIndexer } from './manifest-indexer.js';
import { createPacedLook } from './paced-look.js';
import { withinTime } from './within-time.js';

/** The published state, as far as this process knows it. */
export type Releases = {
  /** The last good release; `undefined` before the first one. Never one of a lower sequence than before. */
  readonly current: () => ReleaseView | undefined;
  /** Whether the last look at the store succeeded. */
  readonly isInTouch: () => boolean;
  /**
   * Whether a look that began later than this call succeeded, and in time: then what is known now was in force after the
   * call. Looks are a second apart at least, however many ask. Never rejects.
   */
  readonly catchUp: () => Promise<boolean>;
  /** Looks at the store, and from then on again and again; resolves when the first look is over, or takes long. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** What a reader of releases needs. `random` gives numbers from 0 up to 1. */
export type ReleasesTerms = {
  readonly store: ObjectStore;
  readonly indexer: ManifestIndexer;
  readonly now: () => number;
  readonly random: () => number;
  readonly pollMs: number;
  /** Least time between the beginnings of two looks; a second where absent. */
  readonly pauseMs?: number;
  /** How long a request waits for a look; 3 seconds where absent. */
  readonly patienceMs?: number;
  /** How long a start waits for the first look; 10 seconds where absent. */
  readonly startMs?: number;
  /** Told of a release when it comes into force. */
  readonly onRelease: (release: ReleaseView) => void;
  /** Told of each look that failed. */
  readonly onError: (error: unknown) => void;
};

const PAUSE_MS = 1_000;
const PATIENCE_MS = 3_000;
const START_MS = 10_000;

/** Reads the published state and keeps reading it. Records, manifests and the rest are verified by their digests. */
export function createReleases(terms: ReleasesTerms): Releases {
  const { now, random, pollMs, pauseMs = PAUSE_MS, patienceMs = PATIENCE_MS, startMs = START_MS } = terms;
  let release: ReleaseView | undefined;
  let days: ReadonlyMap<string, DayIndex> = new Map();
  let inTouch = false;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Adopts the release that the pointer names, whole, once all of it has been read. */
  async function adopt(): Promise<void> {
    const pointer = await readPointer(terms.store);
    if (pointer === undefined) {
      if (release === undefined) return;
      throw new Error(`${POINTER_KEY} is gone, and was there before`);
    }
    if (pointer.sha256 === release?.sha256) return;
    if (release !== undefined && pointer.sequence <= release.sequence) {
      throw new Error(`${POINTER_KEY} went from sequence ${release.sequence} to ${pointer.sequence}`);
    }
    const loaded = await readRelease(terms, pointer, days);
    days = loaded.days;
    release = loaded.release;
    terms.onRelease(release);
  }

  async function look(): Promise<void> {
    try {
      await adopt();
      inTouch = true;
    } catch (error) {
      inTouch = false;
      if (!isStopped) terms.onError(error);
    }
  }
  const looks = createPacedLook({ look, pauseMs, now });

  function schedule(): void {
    if (isStopped) return;
    const jitter = 0.9 + 0.2 * random();
    timer = setTimeout(() => void looks.now().finally(schedule), pollMs * jitter);
    timer.unref();
  }

  return {
    current: () => release,
    isInTouch: () => inTouch,
    catchUp: async () => (await withinTime(looks.next(), patienceMs)) && inTouch,
    async start() {
      const looked = looks.now();
      void looked.then(schedule);
      await withinTime(looked, startMs);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await terms.indexer.stop();
    },
  };
}

async function readPointer(store: ObjectStore): Promise<Pointer | undefined> {
  const found = await store.get(POINTER_KEY);
  return found && assertValid('pointer', parse(found.bytes));
}

/** The release of a pointer; manifests that are known already are not read again. */
async function readRelease(
  { store, indexer }: ReleasesTerms,
  { revision, sequence, sha256 }: Pointer,
  known: ReadonlyMap<string, DayIndex>,
): Promise<{ release: ReleaseView; days: ReadonlyMap<string, DayIndex> }> {
  const record = assertValid(
    'release-record',
    parse(await readVerified(store, releaseKey(revision, sha256), sha256)),
  );
  if (record.revision !== revision || record.sequence !== sequence) {
    throw new Error(`${POINTER_KEY} says ${revision} at sequence ${sequence}, and its record says otherwise`);
  }
  const days = new Map<string, DayIndex>();
  for (const { sha256: digest } of Object.values(record.manifests)) {
    // One after the other: a release of the full history shall not fill the memory at once.
    const index = known.get(digest) ?? (await readIndex(store, indexer, digest));
    days.set(digest, index);
  }
  const release = toReleaseView({ record, sha256, changes: await readChanges(store, record), days });
  return { release, days };
}

async function readIndex(store: ObjectStore, indexer: ManifestIndexer, sha256: string): Promise<DayIndex> {
  const found = await store.get(objectKey(sha256));
  if (found === undefined) throw new Error(`${objectKey(sha256)} is missing`);
  return indexer.index({ bytes: found.bytes, sha256 });
}

async function readChanges(store: ObjectStore, record: ReleaseRecord): Promise<Changes> {
  const sha256 = record.public[PUBLIC_PATHS.changes]?.sha256 ?? '';
  return assertValid('changes', parse(await readVerified(store, objectKey(sha256), sha256)));
}

/** Reads an object whose bytes must have this digest. @throws StoreError when it is missing or has another. */
export async function readVerified(store: ObjectStore, key: string, sha256: string): Promise<Uint8Array> {
  const found = await store.get(key);
  if (found === undefined) throw new StoreError('unavailable', `${key} is missing`);
  if (sha256Hex(found.bytes) !== sha256) {
    throw new StoreError('unavailable', `${key} has other bytes than its digest says`);
  }
  return found.bytes;
}

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString('utf8'));
}
