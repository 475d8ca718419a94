import { parseInstant } from '../../../schemas/dates.js';
import { POINTER_KEY, statementKey } from '../../../schemas/paths.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { GeneratorError } from '../../../generator/core/generator-error.js';
import { TIMESTAMP_KEY } from '../../../generator/signing/signing.js';
import { verifyStore, type Verification } from '../../../generator/verify/verify-store.js';
import { createRandom } from '../../support/random/seeded.js';
import { rollBack } from '../../support/release/operate.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { createSignedSite, type SignedSite } from '../../support/release/signed-store.js';
import { interceptStore } from '../../support/stores/intercept-store.js';
import { createMemoryCopies, type MemoryCopies } from '../../support/stores/memory-copies.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { differingKeys, snapshotStore } from '../../support/stores/store-snapshot.js';
import { createStoppingStore, StoppedError } from '../../support/stores/stopping-store.js';
import { createTurns } from '../../support/stores/turns.js';

const SEEDS = Number(process.env['CRD_SEEDS'] ?? '12');
const STRIDE = SEEDS >= 1000 ? 1 : 13;
const SLOW_MS = 300_000;
const FIRST = '2022-02-01T00:00:00Z';
const SECOND = '2022-02-02T00:00:00Z';
const short = randomSeries({ chain: 'arbitrum', seed: 1, days: 3 });
const longer = randomSeries({ chain: 'arbitrum', seed: 1, days: 4 });

let site: SignedSite;
/** Copies of a signed store with one release of `short`. */
let published: MemoryCopies;
beforeAll(async () => {
  site = await createSignedSite(FIRST);
  const store = createMemoryStore();
  await site.install(store);
  await publishSeries(store, { inputs: [short], asOf: FIRST, signing: site.signingAt(FIRST) });
  published = await createMemoryCopies(store);
}, SLOW_MS);

const publishLonger = (store: ObjectStore, asOf = SECOND): Promise<unknown> =>
  publishSeries(store, { inputs: [longer], asOf, signing: site.signingAt(asOf) });

const verify = (store: ObjectStore, at: string): Promise<Verification> =>
  verifyStore(store, { deep: false, now: () => parseInstant(at) ?? NaN, trust: site.anchor });

async function readJson(store: ObjectStore, key: string): Promise<{ revision: string; sha256: string }> {
  return JSON.parse(Buffer.from((await store.get(key))?.bytes ?? []).toString()) as never; // our own format
}

/** Passes if the release that the pointer names has a statement. */
async function expectSignedPointer(store: ObjectStore): Promise<void> {
  const { revision, sha256 } = await readJson(store, POINTER_KEY);
  expect(await store.head(statementKey(revision, sha256))).toBeDefined();
}

it('writes the statement before it moves the pointer, and the timestamp last', async () => {
  const memory = await published.create();
  const writes: string[] = [];
  const store = interceptStore(memory, async ({ name, key }, run) => {
    if (name === 'putIfAbsent' || name === 'compareAndSwap') writes.push(key);
    return run();
  });
  await publishLonger(store);
  const statement = writes.findIndex((key) => key.endsWith('.jws'));
  expect(writes[statement]).toMatch(/^releases\//);
  expect(statement).toBeLessThan(writes.indexOf(POINTER_KEY));
  expect(writes.at(-1)).toBe(TIMESTAMP_KEY);
  expect(await verify(memory, SECOND)).toMatchObject({
    faults: [],
    lagging: [],
    signatures: { trusted: true, statements: 2, current_until: '2022-02-04T00:00:00Z' },
  });
});

it('signs the first release of a store before it is visible', async () => {
  const store = createMemoryStore();
  await site.install(store);
  await publishLonger(store);
  expect((await verify(store, SECOND)).faults).toEqual([]);
});

it('shows no unsigned release, wherever it stops, and the next run completes it', async () => {
  let at = 1;
  for (let stopped = true; stopped; at += STRIDE) {
    const memory = await published.create();
    stopped = await publishLonger(createStoppingStore(memory, at).store).then(
      () => false,
      (error: unknown) => {
        if (error instanceof StoppedError || error instanceof GeneratorError) return true;
        throw error;
      },
    );
    await expectSignedPointer(memory);
    expect((await verify(memory, SECOND)).faults).toEqual([]);
    await publishLonger(memory);
    expect(await verify(memory, SECOND)).toMatchObject({ faults: [], lagging: [], sequence: 2 });
  }
  expect(at / STRIDE).toBeGreaterThan(10);
}, 600_000);

it('stays sound when two runs publish at the same time', async () => {
  for (let seed = 1; seed <= SEEDS / 3; seed += 1) {
    const memory = await published.create();
    const turns = createTurns(createRandom(seed));
    const runs = [longer, randomSeries({ chain: 'arbitrum', seed: 1, days: 5 })].map((series) =>
      publishSeries(turns.join(memory), {
        inputs: [series],
        asOf: SECOND,
        signing: site.signingAt(SECOND),
      }).catch((error: unknown) => {
        if (!(error instanceof GeneratorError && error.exit === 'conflict')) throw error;
      }),
    );
    await turns.run(runs);
    expect(await verify(memory, SECOND)).toMatchObject({ faults: [], lagging: [] });
  }
});

it('changes nothing that readers see if the key does not answer', async () => {
  const memory = await published.create();
  const before = await snapshotStore(memory);
  const signing = {
    ...site.signingAt(SECOND),
    signer: {
      ...site.signer,
      sign: () => Promise.reject(new GeneratorError('store-unavailable', 'KMS does not answer')),
    },
  };
  await expect(publishSeries(memory, { inputs: [longer], asOf: SECOND, signing })).rejects.toMatchObject({
    exit: 'store-unavailable',
  });
  const changed = differingKeys(before, await snapshotStore(memory));
  expect(changed.length).toBeGreaterThan(0); // artifacts, which nothing names
  expect(changed.filter((key) => key.startsWith('public/') || key === POINTER_KEY)).toEqual([]);
});

describe('the timestamp', () => {
  const HOUR_MS = 3_600_000;
  const later = (hours: number): string =>
    new Date(Date.parse(FIRST) + hours * HOUR_MS).toISOString().replace('.000Z', 'Z');
  const publishAgain = (store: ObjectStore, at: string): Promise<unknown> =>
    publishSeries(store, { inputs: [short], asOf: at, signing: site.signingAt(at) });

  it('stays in an unchanged run while 30 hours are left, so that nothing is written', async () => {
    const store = await published.create();
    const before = await snapshotStore(store);
    await publishAgain(store, later(18));
    expect(await snapshotStore(store)).toEqual(before);
  });

  it('is renewed by an unchanged run when less is left', async () => {
    const store = await published.create();
    const before = await snapshotStore(store);
    await publishAgain(store, later(23));
    const changed = differingKeys(before, await snapshotStore(store));
    expect(changed).toEqual([TIMESTAMP_KEY]);
    expect((await verify(store, later(70))).faults).toEqual([]);
  });

  it.each(['', 'damaged', 'e30.e30.e30'])('is renewed if it reads %p', async (text) => {
    const store = await published.create();
    const found = await store.get(TIMESTAMP_KEY);
    const meta = { contentType: 'application/jose', cacheControl: 'no-cache' };
    await store.compareAndSwap(TIMESTAMP_KEY, Buffer.from(text), found?.etag ?? null, meta);
    await publishAgain(store, SECOND);
    expect(await verify(store, SECOND)).toMatchObject({ faults: [], lagging: [] });
  });

  it('proves a frozen copy by its age', async () => {
    const { faults } = await verify(await published.create(), later(49));
    expect(faults).toEqual([{ key: TIMESTAMP_KEY, message: expect.stringContaining('frozen mirror') }]);
  });
});

it('signs a rollback as a new release', async () => {
  const store = await published.create();
  await publishLonger(store);
  const at = '2022-02-03T00:00:00Z';
  const options = { to: '2022-02-01.000001', reason: 'a test', asOf: at, signing: site.signingAt(at) };
  await rollBack(store, options);
  expect(await verify(store, at)).toMatchObject({ faults: [], sequence: 3, signatures: { statements: 3 } });
});

it('signs with P-256 too, where every signature differs, and keeps a valid one', async () => {
  const other = await createSignedSite(FIRST, { kind: 'p256' });
  const store = createMemoryStore();
  await other.install(store);
  const publish = (): Promise<unknown> =>
    publishSeries(store, { inputs: [short], asOf: FIRST, signing: other.signingAt(FIRST) });
  await publish();
  const before = await snapshotStore(store);
  await publish();
  expect(await snapshotStore(store)).toEqual(before);
  const now = (): number => parseInstant(FIRST) ?? NaN;
  const { faults } = await verifyStore(store, { deep: false, now, trust: other.anchor });
  expect(faults).toEqual([]);
});

it('signs the release that was published before signing began', async () => {
  const store = createMemoryStore();
  await publishSeries(store, { inputs: [short], asOf: FIRST });
  const late = await createSignedSite(FIRST, { signedFromSequence: 2 });
  await late.install(store);
  await publishSeries(store, { inputs: [short], asOf: SECOND, signing: late.signingAt(SECOND) });
  const now = (): number => parseInstant(SECOND) ?? NaN;
  const verified = await verifyStore(store, { deep: false, now, trust: late.anchor });
  expect(verified).toMatchObject({ faults: [], lagging: [], sequence: 1, signatures: { statements: 1 } });
});
