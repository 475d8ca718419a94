import { GENRES } from '../../../../schemas/catalog.js';
import { bundlePath, manifestPath, objectKey, POINTER_KEY, PUBLIC_PATHS } from '../../../../schemas/paths.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../../infra/store/object-store.js';
import { locate, type ReleaseView } from '../../../../gateway/core/releases/release-view.js';
import { rollBack } from '../../../support/release/operate.js';
import { readCurrent, readManifests, versionAt } from '../../../support/release/read-release.js';
import { publishSeries } from '../../../support/release/publish-series.js';
import { editSeries, randomSeries } from '../../../support/release/random-series.js';
import { interceptStore } from '../../../support/stores/intercept-store.js';
import { createReleases, type Releases } from '../../../../gateway/io/releases/releases.js';

/** A reader of releases with its events so far. */
type ReleasesReader = {
  readonly releases: Releases;
  readonly seen: ReleaseView[];
  readonly errors: unknown[];
};

/** Creates a reader that polls only on request. */
function createReleasesReader(store: ObjectStore, waitMs: number): ReleasesReader {
  const seen: ReleaseView[] = [];
  const errors: unknown[] = [];
  const releases = createReleases({
    store,
    now: () => Date.now(),
    random: () => 0.5,
    pollMs: 3_600_000,
    pauseMs: 100,
    waitMs,
    onRelease: (release) => void seen.push(release),
    onError: (error) => void errors.push(error),
  });
  return { releases, seen, errors };
}

const series = (days: number) => randomSeries({ chain: 'base', seed: 7, days });
const META = { contentType: 'application/json', cacheControl: 'no-cache' };
const BUNDLE = { kind: 'bundle', genre: 'gold', chain: 'base', window: '7d' } as const;

const dayOf = (date: string, revision: string | null = null) =>
  ({ kind: 'day', genre: 'gold', chain: 'base', date, revision }) as const;

async function publish(store: ObjectStore, days: number, asOf: string): Promise<void> {
  await publishSeries(store, { inputs: [series(days)], asOf });
}

async function startReader(store: ObjectStore, waitMs = 60_000): Promise<ReleasesReader> {
  const reader = createReleasesReader(store, waitMs);
  await reader.releases.start();
  return reader;
}

describe('a reader of releases', () => {
  let store: ObjectStore;
  beforeEach(async () => {
    store = createMemoryStore();
    await publish(store, 10, '2022-01-11');
  });

  it('has no release before the first one, and finds that one', async () => {
    const fresh = createMemoryStore();
    const { releases, errors } = await startReader(fresh);
    expect([releases.current(), releases.isReachable(), errors]).toEqual([undefined, true, []]);
    await publish(fresh, 10, '2022-01-11');
    await releases.catchUp();
    expect(releases.current()?.revision).toBe('2022-01-11.000001');
    releases.stop();
  });

  it('finds each file of the release with its digest, size and revision', async () => {
    const { releases } = await startReader(store);
    const record = await readCurrent(store);
    const release = releases.current();
    if (release === undefined) throw new Error('there is a release');
    for (const [path, entry] of [...Object.entries(record.bundles), ...Object.entries(record.manifests)]) {
      const { sha256, bytes: sizeBytes, revision } = entry;
      expect(release.files.get(path)).toMatchObject({ path, sha256, sizeBytes, revision });
    }
    for (const [path, { sha256, type: mediaType }] of Object.entries(record.public)) {
      expect(release.publicFiles.get(path)).toMatchObject({ sha256, mediaType });
    }
    const manifest = (await readManifests(store, record)).get('gold base');
    for (const { date, sha256 } of manifest?.dates ?? []) {
      expect(locate(release, dayOf(date))).toMatchObject({ kind: 'found', facts: { sha256 } });
    }
    expect(release.files.get(bundlePath('gold', 'base', '7d'))?.disposition).toBe(
      'attachment; filename="base-gold-7d-latest.json"',
    );
    releases.stop();
  });

  it('changes to a new release as a whole', async () => {
    const { releases, seen } = await startReader(store);
    await publish(store, 11, '2022-01-12');
    const later = releases.catchUp();
    while (releases.current()?.sequence === 1) {
      expect(releases.current()?.days.get('/api/v1/files/gold/base')?.updatedThrough).toBe('2022-01-10');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await later).toBe(true);
    expect(releases.current()?.sequence).toBe(2);
    expect(seen.map(({ sequence }) => sequence)).toEqual([1, 2]);
    releases.stop();
  });

  it('does not read unchanged manifests again', async () => {
    const read: string[] = [];
    const watched = interceptStore(store, ({ key }, run) => {
      read.push(key);
      return run();
    });
    const { releases } = await startReader(watched);
    await publishSeries(store, {
      inputs: [randomSeries({ chain: 'bitcoin', seed: 3, days: 10 })],
      asOf: '2022-01-12',
    });
    read.length = 0;
    await releases.catchUp();
    const known = (await readCurrent(store)).manifests[manifestPath('gold', 'base')];
    expect(read).not.toContain(objectKey(known?.sha256 ?? ''));
    expect(read.length).toBe(5 + GENRES.length); // pointer, record, site, changes, status, and the manifests of the new chain
    releases.stop();
  });

  it('never goes back to a lower sequence', async () => {
    const pointer = await store.get(POINTER_KEY);
    await publish(store, 11, '2022-01-12');
    const { releases, errors } = await startReader(store);
    const latest = await store.get(POINTER_KEY);
    await store.compareAndSwap(POINTER_KEY, pointer?.bytes ?? new Uint8Array(), latest?.etag ?? null, META);
    await releases.catchUp();
    expect(releases.current()?.sequence).toBe(2);
    expect(errors.map(String)).toEqual([expect.stringContaining('from sequence 2 to 1')]);
    expect(releases.isReachable()).toBe(false);
    releases.stop();
  });

  it('keeps the last good release when the pointer disappears, and reports it', async () => {
    const { releases, errors } = await startReader(store);
    const pointer = await store.get(POINTER_KEY);
    await store.delete(POINTER_KEY);
    expect(await releases.catchUp()).toBe(false);
    expect([releases.current()?.sequence, releases.isReachable()]).toEqual([1, false]);
    expect(errors.map(String)).toEqual([expect.stringContaining('has disappeared')]);
    await store.putIfAbsent(POINTER_KEY, pointer?.bytes ?? new Uint8Array(), META);
    expect(await releases.catchUp()).toBe(true);
    releases.stop();
  });

  it('rejects a pointer with another sequence than its record', async () => {
    const pointer = await store.get(POINTER_KEY);
    const forged = Buffer.from(pointer?.bytes ?? [])
      .toString()
      .replace('"sequence":1', '"sequence":7');
    await store.compareAndSwap(POINTER_KEY, Buffer.from(forged), pointer?.etag ?? null, META);
    const { releases, errors } = await startReader(store);
    expect(releases.current()).toBeUndefined();
    expect(errors.map(String)).toEqual([expect.stringContaining('at sequence 7')]);
    releases.stop();
  });

  it.each(['releases/', 'manifest', 'changes'])(
    'keeps the last good release when %s is damaged',
    async (what) => {
      const { releases, errors } = await startReader(store);
      await publish(store, 11, '2022-01-12');
      const record = await readCurrent(store);
      const keys = {
        'releases/': undefined,
        manifest: objectKey(record.manifests[manifestPath('gold', 'base')]?.sha256 ?? ''),
        changes: objectKey(record.public[PUBLIC_PATHS.changes]?.sha256 ?? ''),
      };
      let damagedKey = keys[what as keyof typeof keys];
      for await (const { key } of store.list('releases/2022-01-12')) damagedKey ??= key;
      const before = await store.get(damagedKey ?? '');
      await store.delete(damagedKey ?? '');
      await store.putIfAbsent(damagedKey ?? '', Buffer.from('{}'), META);
      await releases.catchUp();
      expect(releases.current()?.sequence).toBe(1);
      expect(errors).toHaveLength(1);
      await store.delete(damagedKey ?? '');
      await store.putIfAbsent(damagedKey ?? '', before?.bytes ?? new Uint8Array(), META);
      await releases.catchUp();
      expect(releases.current()?.sequence).toBe(2);
      releases.stop();
    },
  );

  it('keeps the last good release while the store is down, is unreachable then, and recovers', async () => {
    let isDown = false;
    const flaky = interceptStore(store, (_operation, run) =>
      isDown ? Promise.reject(new Error('connection refused')) : run(),
    );
    const { releases } = await startReader(flaky);
    isDown = true;
    await publish(store, 11, '2022-01-12');
    expect(await releases.catchUp()).toBe(false);
    expect(releases.current()?.sequence).toBe(1);
    expect(releases.isReachable()).toBe(false);
    isDown = false;
    expect(await releases.catchUp()).toBe(true);
    expect(releases.current()?.sequence).toBe(2);
    expect(releases.isReachable()).toBe(true);
    releases.stop();
  });

  it('shares polls between concurrent callers', async () => {
    let polls = 0;
    const counted = interceptStore(store, ({ key }, run) => {
      if (key === POINTER_KEY) polls += 1;
      return run();
    });
    const { releases } = await startReader(counted);
    await Promise.all(Array.from({ length: 100 }, () => releases.catchUp()));
    expect(polls).toBe(2); // at the start, and for all callers together
    releases.stop();
  });

  it('keeps the last good release while the store hangs', async () => {
    let hangs = false;
    const hanging = interceptStore(store, (_operation, run) =>
      hangs ? new Promise(() => undefined) : run(),
    );
    const { releases } = await startReader(hanging, 300);
    hangs = true;
    await releases.catchUp();
    expect(releases.current()?.sequence).toBe(1);
    releases.stop();
  });
});

describe('a day file by revision', () => {
  const revisions = ['2022-01-11.000001', '2022-01-12.000001', '2022-01-13.000001'];
  let store: ObjectStore;
  beforeAll(async () => {
    store = createMemoryStore();
    await publish(store, 10, '2022-01-11');
    const edited = editSeries(series(11), 'tx_count', '2022-01-05', 4242);
    const acceptance = { reason: 'corrected upstream' };
    await publishSeries(store, { inputs: [edited], asOf: '2022-01-12', acceptance });
    await rollBack(store, { to: revisions[0] ?? '', reason: 'that was wrong', asOf: '2022-01-13' });
  });

  it('is the version of that revision: withdrawn if it was, and missing before its first publication', async () => {
    const { releases } = await startReader(store);
    const release = releases.current();
    if (release === undefined) throw new Error('there is a release');
    const manifest = (await readManifests(store, await readCurrent(store))).get('gold base');
    for (const entry of manifest?.dates ?? []) {
      for (const revision of revisions) {
        const expected = versionAt(entry, revision);
        const found = locate(release, dayOf(entry.date, revision));
        const actual =
          found.kind === 'found' ? found.facts.sha256 : found.kind === 'gone' ? 'withdrawn' : undefined;
        expect([entry.date, revision, actual]).toEqual([entry.date, revision, expected]);
      }
    }
    expect(locate(release, dayOf('2022-01-11')).kind).toBe('gone');
    expect(locate(release, dayOf('2022-01-11', '2022-01-12.000001')).kind).toBe('found');
    expect(locate(release, dayOf('2021-12-31')).kind).toBe('absent');
    expect(locate(release, dayOf('2022-01-05', '2022-01-10.000001')).kind).toBe('absent');
    expect(locate(release, dayOf('2022-01-05', '2022-01-12.000002')).kind).toBe('absent');
    expect(locate(release, dayOf('2022-01-05', '2022-01-14.000001')).kind).toBe('ahead');
    expect(locate(release, { ...BUNDLE, chain: 'bitcoin' }).kind).toBe('ahead');
    releases.stop();
  });
});
