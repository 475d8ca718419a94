import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { inGroups, readAhead } from '../../../generator/sources/node-blocks.js';

const { signal } = new AbortController();

async function takeAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A reading whose parts end when the test says so. */
function createManual(): {
  readonly begun: number[];
  readonly end: (part: number) => Promise<void>;
  readonly read: (part: number) => Promise<number>;
} {
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  return {
    begun,
    async end(part) {
      ends.get(part)?.();
      await sleep(0);
    },
    read: (part) => {
      begun.push(part);
      return new Promise((resolve) => void ends.set(part, () => resolve(part)));
    },
  };
}

describe('reading ahead', () => {
  it('yields the results in the order of the parts, however long each takes', async () => {
    let open = 0;
    let most = 0;
    const results = readAhead([1, 2, 3, 4, 5], 'of parts', {
      concurrency: 2,
      async read(part) {
        most = Math.max(most, (open += 1));
        await sleep(part % 2 === 1 ? 10 : 1);
        open -= 1;
        return part;
      },
      signal,
    });
    expect(await takeAll(results)).toEqual([1, 2, 3, 4, 5]);
    expect(most).toBe(2);
  });

  it('begins a part when another one ends, although an earlier one is slow', async () => {
    const { begun, end, read } = createManual();
    const all = takeAll(readAhead([1, 2, 3, 4, 5, 6], 'of parts', { concurrency: 2, read, signal }));
    await sleep(0);
    expect(begun).toEqual([1, 2]);
    await end(2);
    await end(3);
    expect(begun).toEqual([1, 2, 3, 4]);
    await end(4);
    expect(begun).toEqual([1, 2, 3, 4]); // no more results are held for the first one
    for (const part of [1, 5, 6]) await end(part);
    expect(await all).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('yields results as they come if their order does not count, and holds none', async () => {
    const { begun, end, read } = createManual();
    const all = takeAll(readAhead([1, 2, 3, 4, 5, 6], 'any', { concurrency: 2, read, signal }));
    await sleep(0);
    for (const part of [2, 3, 4, 5]) await end(part);
    expect(begun).toEqual([1, 2, 3, 4, 5, 6]);
    for (const part of [1, 6]) await end(part);
    expect(await all).toEqual([2, 3, 4, 5, 1, 6]);
  });

  it.each(['of parts', 'any'] as const)(
    'stops the other readings when one fails, order %s',
    async (order) => {
      const stopped: unknown[] = [];
      const reading = readAhead([1, 2, 3], order, {
        concurrency: 2,
        read: (part, any) =>
          part === 2
            ? Promise.reject(new Error('broken'))
            : new Promise<number>((_resolve, reject) => {
                any.addEventListener('abort', () => {
                  stopped.push([part, (any.reason as Error).message]);
                  reject(any.reason as Error);
                });
              }),
        signal,
      });
      await expect(takeAll(reading)).rejects.toThrow('broken');
      expect(stopped).toEqual([[1, 'broken']]);
    },
  );

  it('stops the readings when its caller stops, or the signal', async () => {
    const abort = new AbortController();
    let stopped = 0;
    const read = (part: number, any: AbortSignal): Promise<number> =>
      part === 1
        ? Promise.resolve(part)
        : new Promise((_resolve, reject) => {
            any.addEventListener('abort', () => reject(new Error(`stopped ${(stopped += 1)}`)));
          });
    for await (const part of readAhead([1, 2, 3], 'of parts', { concurrency: 2, read, signal })) {
      expect(part).toBe(1);
      break;
    }
    expect(stopped).toBe(2);
    const all = takeAll(readAhead([2, 3], 'any', { concurrency: 2, read, signal: abort.signal }));
    await sleep(0);
    abort.abort();
    await expect(all).rejects.toThrow('stopped');
  });

  it('fails as the parts do', async () => {
    const parts = async function* (): AsyncGenerator<number> {
      yield await Promise.resolve(1);
      throw new Error('no parts');
    };
    const read = (part: number): Promise<number> => Promise.resolve(part);
    await expect(takeAll(readAhead(parts(), 'any', { concurrency: 2, read, signal }))).rejects.toThrow(
      'no parts',
    );
  });
});

it('joins items to groups in their order, of a few items and not above a weight', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(20)),
      fc.integer({ min: 1, max: 5 }),
      fc.nat(40),
      async (weights, count, weight) => {
        const groups = await takeAll(inGroups(weights, (each) => each, { count, weight }));
        expect(groups.flat()).toEqual(weights);
        for (const group of groups) {
          expect(group.length).toBeLessThanOrEqual(count);
          const sum = group.reduce((total, each) => total + each, 0);
          expect(group.length === 1 || sum <= weight).toBe(true);
        }
      },
    ),
  );
});
