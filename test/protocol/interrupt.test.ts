import { createMemoryStore } from '../../infra/store/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { POINTER_KEY } from '../../schemas/paths.js';
import { GeneratorError } from '../../generator/core/generator-error.js';
import type { PreparedPlan } from '../../generator/io/prepare-plan.js';
import { SILENT } from '../../generator/io/progress.js';
import { publishRelease } from '../../generator/io/publish-release.js';
import { prepareSeries, publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';
import { watchStore, type StoreOperation } from '../fixtures/watched-store.js';

const SECOND = '2022-02-02T00:00:00Z';
const META = { contentType: 'application/json', cacheControl: 'no-cache' };

const base = createMemoryStore();
let prepared: PreparedPlan;
beforeAll(async () => {
  const short = randomSeries({ chain: 'arbitrum', seed: 1, days: 3 });
  const longer = randomSeries({ chain: 'arbitrum', seed: 1, days: 4 });
  await publishSeries(base, { inputs: [short], asOf: '2022-02-01T00:00:00Z' });
  prepared = await prepareSeries(base, { inputs: [longer], asOf: SECOND });
});

/** What becomes of the operation during which the interrupt comes, and of the later ones. */
type Outage = 'none' | 'from it on' | 'from its answer on' | 'of its answer, and of writes';

/** The store, whose operations end with an outage that the n-th operation begins; `begin` is told of that one. */
function createFailing(
  store: ObjectStore,
  at: number,
  outage: Outage,
  begin: (operation: StoreOperation) => void,
): ObjectStore {
  let count = 0;
  return watchStore(store, async (operation, run) => {
    count += 1;
    if (count === at) begin(operation);
    const isDown = outage !== 'none' && count >= at;
    const mayRead = outage === 'of its answer, and of writes' && operation.name === 'get' && count > at;
    if (!isDown || mayRead) return run();
    if (outage !== 'from it on' && count === at) await run();
    throw new Error('the store is gone');
  });
}

type Interrupted = {
  readonly operation: StoreOperation;
  /** What the run says; `undefined` when it went through. */
  readonly claim: string | undefined;
  readonly pointer: 'old' | 'new';
};

/** Publishes to a copy of the base, interrupted during the n-th operation; `undefined` when there are fewer. */
async function interruptAt(at: number, outage: Outage): Promise<Interrupted | undefined> {
  const copy = createMemoryStore();
  for await (const { key } of base.list('')) {
    await copy.putIfAbsent(key, (await base.get(key))?.bytes ?? new Uint8Array(), META);
  }
  const interruption = new AbortController();
  const seen: { operation?: StoreOperation } = {};
  const store = createFailing(copy, at, outage, (operation) => {
    seen.operation = operation;
    interruption.abort();
  });
  const { start, plan } = prepared;
  const terms = { now: () => Date.parse(SECOND), progress: SILENT, signal: interruption.signal };
  const claim = await publishRelease(store, { start, release: plan.release }, terms).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof GeneratorError && error.exit === 'interrupted') return error.message;
      throw error;
    },
  );
  if (seen.operation === undefined) return undefined;
  const pointer = (await copy.get(POINTER_KEY))?.etag === start.pointer?.etag ? 'old' : 'new';
  return { operation: seen.operation, claim, pointer };
}

async function interruptEverywhere(outage: Outage): Promise<Interrupted[]> {
  const all: Interrupted[] = [];
  for (let at = 1; ; at += 1) {
    const interrupted = await interruptAt(at, outage);
    if (interrupted === undefined) return all;
    all.push(interrupted);
  }
}

/** Which claims are true of which pointer. */
const TRUE_OF = { old: /^interrupted: not committed/, new: /^interrupted: committed/ };

describe('an interrupt during any operation of a publication', () => {
  it.each<[Outage, boolean]>([
    ['none', false],
    ['from it on', true],
    ['from its answer on', true],
    ['of its answer, and of writes', false],
  ])(
    'is told truly, with an outage %s',
    async (outage, mayBeUnknown) => {
      const all = await interruptEverywhere(outage);
      expect(all.length).toBeGreaterThan(50);
      const isSwap = ({ operation }: Interrupted): boolean =>
        operation.name === 'compareAndSwap' && operation.key === POINTER_KEY;
      expect(all.filter(isSwap)).toHaveLength(1);
      for (const each of all) {
        const unknown = mayBeUnknown && isSwap(each);
        const truth = unknown ? /^interrupted: unknown: run status/ : TRUE_OF[each.pointer];
        expect(each).toEqual({ ...each, claim: expect.stringMatching(truth) });
      }
    },
    120_000,
  );

  it('is told as well when there was nothing to publish', async () => {
    const { start } = prepared;
    const terms = { now: () => Date.parse(SECOND), progress: SILENT, signal: AbortSignal.abort() };
    const lagging = { ...start, aliasSequence: 0 };
    await expect(publishRelease(base, { start: lagging, release: undefined }, terms)).rejects.toThrow(
      'interrupted: not committed: there was nothing to commit',
    );
  });
});
