import fc from 'fast-check';
import { findFile } from '../../../gateway/io/releases/find-file.js';
import { createReleases, type Releases } from '../../../gateway/io/releases/releases.js';
import { GatewayError } from '../../../gateway/core/problems.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import type { ObjectStore, StoredObject } from '../../../infra/store/object-store.js';
import { manifestPath, objectKey, POINTER_KEY } from '../../../schemas/paths.js';
import type { Manifest } from '../../../schemas/types.generated.js';
import { rollBack, setHold } from '../../support/release/operate.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { editSeries, randomSeries } from '../../support/release/random-series.js';
import { interceptStore } from '../../support/stores/intercept-store.js';

const store = createMemoryStore();
/** The pointers of the releases in the history, oldest first. */
const pointers: (StoredObject | undefined)[] = [];

beforeAll(async () => {
  const series = (days: number, value?: number) => {
    const whole = randomSeries({ chain: 'base', seed: 7, days });
    return { inputs: [value === undefined ? whole : editSeries(whole, 'tx_count', '2022-01-05', value)] };
  };
  const acceptance = { reason: 'corrected' };
  const history = [
    () => publishSeries(store, { ...series(10), asOf: '2022-01-11' }),
    () => publishSeries(store, { ...series(11), asOf: '2022-01-12' }),
    () => publishSeries(store, { ...series(12, 42), asOf: '2022-01-13', acceptance }),
    () => rollBack(store, { to: '2022-01-11.000001', reason: 'that was wrong', asOf: '2022-01-13' }),
    () => setHold(store, null, '2022-01-14'),
    () => publishSeries(store, { ...series(13), asOf: '2022-01-14', acceptance }),
    () => publishSeries(store, { ...series(13, 43), asOf: '2022-01-15', acceptance }),
    () => rollBack(store, { to: '2022-01-14.000002', reason: 'that was wrong', asOf: '2022-01-16' }),
  ];
  for (const publish of history) {
    await publish();
    pointers.push(await store.get(POINTER_KEY));
  }
});

/** An event: a release is published, the store fails or recovers, a copy of the gateway polls, or a subscriber requests a day. */
type Step =
  | { readonly kind: 'publish' | 'fail' | 'recover' }
  | { readonly kind: 'poll'; readonly copy: 0 | 1 }
  | { readonly kind: 'request'; readonly manifestFrom: 0 | 1; readonly nth: number };

const copy = fc.constantFrom<0 | 1>(0, 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'publish' }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'fail' }, { kind: 'recover' }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('poll' as const), copy }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('request' as const), manifestFrom: copy, nth: fc.nat(14) }),
  },
);

/** Starts two copies on one store; the scene controls its current release and whether it answers. */
async function startCopies(scene: { inForce: number; isDown: boolean }): Promise<readonly Releases[]> {
  const seen: ObjectStore = interceptStore(store, (operation, run) => {
    if (scene.isDown) return Promise.reject(new Error('connection refused'));
    if (operation.key !== POINTER_KEY) return run();
    return Promise.resolve(pointers[scene.inForce] as Awaited<ReturnType<typeof run>>); // the result of `get`
  });
  const copies = [0, 1].map(() =>
    createReleases({
      store: seen,
      now: () => Date.now(),
      random: () => 0.5,
      pollMs: 3_600_000,
      pauseMs: 0,
      waitMs: 10_000,
      onRelease: () => undefined,
      onError: () => undefined,
    }),
  );
  for (const each of copies) await each.start();
  return copies;
}

/** Returns the digest of a date as of a revision according to a copy, or the code of the problem. */
async function findDay(from: Releases | undefined, date: string, revision: string): Promise<string> {
  if (from === undefined) throw new TypeError('there are two copies');
  try {
    return (await findFile(from, { kind: 'day', genre: 'gold', chain: 'base', date, revision })).sha256;
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
}

const manifests = new Map<string, Manifest>();

/** Reads the current manifest of a copy. */
async function readManifest(from: Releases | undefined): Promise<Manifest> {
  const sha256 = from?.current()?.files.get(manifestPath('gold', 'base'))?.sha256 ?? '';
  const known = manifests.get(sha256);
  if (known !== undefined) return known;
  const found = await store.get(objectKey(sha256));
  const manifest = JSON.parse(Buffer.from(found?.bytes ?? []).toString()) as Manifest; // the generator has validated it
  manifests.set(sha256, manifest);
  return manifest;
}

it('one copy of the gateway finds every day of the manifest of the other, or answers store-unavailable', async () => {
  const tally = { agreed: 0, behind: 0, unable: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const scene = { inForce: 0, isDown: false };
      const copies = await startCopies(scene);
      for (const each of steps) {
        if (each.kind === 'publish') scene.inForce = Math.min(scene.inForce + 1, pointers.length - 1);
        if (each.kind === 'fail' || each.kind === 'recover') scene.isDown = each.kind === 'fail';
        if (each.kind === 'poll') await copies[each.copy]?.catchUp();
        if (each.kind === 'request') {
          const other = copies[1 - each.manifestFrom];
          const manifest = await readManifest(copies[each.manifestFrom]);
          const entry = manifest.dates[each.nth % manifest.dates.length];
          const isBehind = manifest.published_revision > (other?.current()?.revision ?? '');
          const outcome = await findDay(other, entry?.date ?? '', manifest.published_revision);
          if (isBehind && scene.isDown) {
            expect(outcome).toBe('store-unavailable');
            tally.unable += 1;
          } else {
            expect(outcome).toBe(entry?.status === 'withdrawn' ? 'gone' : entry?.sha256);
            tally[isBehind ? 'behind' : 'agreed'] += 1;
          }
        }
      }
      for (const each of copies) each.stop();
    }),
    { numRuns: 60, seed: 5 },
  );
  expect(tally.agreed).toBeGreaterThan(100);
  expect(tally.behind).toBeGreaterThan(10);
  expect(tally.unable).toBeGreaterThan(0);
});
