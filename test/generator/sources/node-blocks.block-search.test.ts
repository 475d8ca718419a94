import fc from 'fast-check';
import {
  type BlockSearch,
  createBlockSearch,
  type TimedBlock,
} from '../../../generator/sources/node-blocks.js';

const { signal } = new AbortController();

/** Creates a search among blocks, with the numbers that each of its requests asks for. */
function createSearch(timeOf: (number: number) => number): { find: BlockSearch; requests: number[][] } {
  const requests: number[][] = [];
  const find = createBlockSearch(100, (numbers) => {
    requests.push([...numbers]);
    return Promise.resolve(numbers.map((number): TimedBlock => ({ number, time: timeOf(number) })));
  });
  return { find, requests };
}

describe('the search for the first block from a time', () => {
  it('finds it among any times that do not decrease, whatever was searched before', async () => {
    const times = fc.array(fc.nat(3), { minLength: 1, maxLength: 3000, size: 'max' });
    await fc.assert(
      fc.asyncProperty(times, fc.array(fc.nat(), { minLength: 1, maxLength: 8 }), async (steps, seeds) => {
        let time = 0;
        const blocks = steps.map((step, number) => ({ number, time: (time += step) }));
        const top = blocks.at(-1) ?? { number: 0, time: 0 };
        const { find } = createSearch((number) => {
          const block = blocks[number];
          if (block === undefined) throw new RangeError(`no block ${number}`);
          return block.time;
        });
        for (const seed of seeds) {
          const wanted = seed % (top.time + 1);
          const first = blocks.findIndex((each) => each.time >= wanted);
          expect(await find(wanted, top, signal)).toBe(first);
        }
      }),
      { numRuns: 50 },
    );
  });

  const top = { number: 20_000_000, time: 20_000_000 * 12 };

  it('reads no block that is much older, in few requests', async () => {
    const { find, requests } = createSearch((number) => number * 12);
    expect(await find(top.time - 12 * 9_000, top, signal)).toBe(top.number - 9_000);
    expect(Math.min(...requests.flat())).toBeGreaterThan(top.number - 3 * 9_000);
    expect(requests.length).toBeLessThan(12);
  });

  it('searches between the blocks that it found before, in at most five small requests for 60 days of ethereum', async () => {
    const { find, requests } = createSearch((number) => number * 12);
    const start = top.time - 60 * 86_400;
    const first = await find(start, top, signal);
    for (let day = 1; day < 60; day += 1) {
      requests.length = 0;
      expect(await find(start + day * 86_400, top, signal)).toBe(first + day * 7_200);
      expect(requests.length).toBeLessThanOrEqual(5);
      expect(Math.min(...requests.flat())).toBeGreaterThanOrEqual(first + (day - 1) * 7_200);
    }
    requests.length = 0;
    await find(start, top, signal);
    expect(requests).toEqual([]);
  });

  it('ends with any times, also of a node whose times decrease', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(9), { minLength: 1, maxLength: 2000, size: 'max' }), async (times) => {
        const { find } = createSearch((number) => times[number] ?? 0);
        const found = await find(5, { number: times.length - 1, time: 9 }, signal);
        expect(found).toBeLessThan(times.length);
      }),
      { numRuns: 50 },
    );
  });
});
