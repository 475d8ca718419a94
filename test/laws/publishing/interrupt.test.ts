import { createMemoryStore } from '../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { POINTER_KEY } from '../../../schemas/paths.js';
import { GeneratorError } from '../../../generator/core/generator-error.js';
import type { PreparedPlan } from '../../../generator/publish/prepare-plan.js';
import { SILENT } from '../../../generator/run/progress.js';
import { publishRelease } from '../../../generator/publish/publish-release.js';
import { prepareSeries, publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { createMemoryCopies, type MemoryCopies } from '../../support/stores/memory-copies.js';
import { interceptStore, type StoreOperation } from '../../support/stores/intercept-store.js';

const SECOND = '2022-02-02T00:00:00Z';

const base = createMemoryStore();
let copies: MemoryCopies;
let prepared: PreparedPlan;
beforeAll(async () => {
  const short = randomSeries({ chain: 'arbitrum', seed: 1, days: 3 });
  const longer = randomSeries({ chain: 'arbitrum', seed: 1, days: 4 });
  await publishSeries(base, { inputs: [short], asOf: '2022-02-01T00:00:00Z' });
  copies = await createMemoryCopies(base);
  prepared = await prepareSeries(base, { inputs: [longer], asOf: SECOND });
});

/** What fails from the interrupt on. If its answer fails, the interrupted operation itself succeeds. */
type Outage =
  | 'none'
  | 'of all operations'
  | 'of the answer and of all later operations'
  | 'of the answer and of all later operations except get';

/** Returns a store with an outage that begins with the n-th operation, and calls `begin` with that operation. */
function createFailing(
  store: ObjectStore,
  at: number,
  outage: Outage,
  begin: (operation: StoreOperation) => void,
): ObjectStore {
  let count = 0;
  return interceptStore(store, async (operation, run) => {
    count += 1;
    if (count === at) begin(operation);
    const isDown = outage !== 'none' && count >= at;
    const mayRead =
      outage === 'of the answer and of all later operations except get' &&
      operation.name === 'get' &&
      count > at;
    if (!isDown || mayRead) return run();
    if (outage !== 'of all operations' && count === at) await run();
    throw new Error('the store does not answer');
  });
}

type Interrupted = {
  readonly operation: StoreOperation;
  /** The message of the run; `undefined` if it succeeded. */
  readonly message: string | undefined;
  readonly pointer: 'old' | 'new';
};

function publish(store: ObjectStore, signal: AbortSignal): Promise<unknown> {
  const { start, plan } = prepared;
  const options = { now: () => Date.parse(SECOND), progress: SILENT, signal };
  return publishRelease(store, { start, release: plan.release }, options);
}

/** Publishes to a copy of the base and interrupts the n-th operation. Returns `undefined` if there are fewer. */
async function interruptAt(at: number, outage: Outage): Promise<Interrupted | undefined> {
  const copy = await copies.create();
  const interruption = new AbortController();
  const seen: { operation?: StoreOperation } = {};
  const store = createFailing(copy, at, outage, (operation) => {
    seen.operation = operation;
    interruption.abort();
  });
  const message = await publish(store, interruption.signal).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof GeneratorError && error.exit === 'interrupted') return error.message;
      throw error;
    },
  );
  if (seen.operation === undefined) return undefined;
  const pointer = (await copy.get(POINTER_KEY))?.etag === prepared.start.pointer?.etag ? 'old' : 'new';
  return { operation: seen.operation, message, pointer };
}

/** Returns whether an operation moves the pointer. */
const isSwap = ({ name, key }: StoreOperation): boolean => name === 'compareAndSwap' && key === POINTER_KEY;

/** Interrupts every fourth operation, and each that moves the pointer. */
async function interruptEverywhere(outage: Outage): Promise<Interrupted[]> {
  const operations: StoreOperation[] = [];
  const watched = interceptStore(await copies.create(), (operation, run) => {
    operations.push(operation);
    return run();
  });
  await publish(watched, new AbortController().signal);
  const interruptions: Interrupted[] = [];
  for (const [i, operation] of operations.entries()) {
    if (i % 4 !== 0 && !isSwap(operation)) continue;
    const interrupted = await interruptAt(i + 1, outage);
    if (interrupted !== undefined) interruptions.push(interrupted);
  }
  return interruptions;
}

/** The message that is true for each pointer. */
const TRUE_MESSAGE = { old: /^interrupted: not committed/, new: /^interrupted: committed/ };

describe('an interrupt during any operation of a publication', () => {
  it.each<[Outage, boolean]>([
    ['none', false],
    ['of all operations', true],
    ['of the answer and of all later operations', true],
    ['of the answer and of all later operations except get', false],
  ])(
    'is reported truthfully; outage: %s',
    async (outage, mayBeUnknown) => {
      const interruptions = await interruptEverywhere(outage);
      expect(interruptions.length).toBeGreaterThan(20);
      expect(interruptions.filter(({ operation }) => isSwap(operation))).toHaveLength(1);
      for (const each of interruptions) {
        const unknown = mayBeUnknown && isSwap(each.operation);
        const truth = unknown ? /^interrupted: unknown: run status/ : TRUE_MESSAGE[each.pointer];
        expect(each).toEqual({ ...each, message: expect.stringMatching(truth) });
      }
    },
    300_000,
  );

  it('is also reported when there was nothing to publish', async () => {
    const { start } = prepared;
    const options = { now: () => Date.parse(SECOND), progress: SILENT, signal: AbortSignal.abort() };
    const lagging = { ...start, aliasSequence: 0 };
    await expect(publishRelease(base, { start: lagging, release: undefined }, options)).rejects.toThrow(
      'interrupted: not committed: there was nothing to commit',
    );
  });
});
