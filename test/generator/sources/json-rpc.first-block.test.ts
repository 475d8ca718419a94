import fc from 'fast-check';
import { findFirstBlock } from '../../../generator/sources/json-rpc.js';

describe('the search for the first block from a time', () => {
  it('finds it among any times that do not decrease', async () => {
    const times = fc.array(fc.nat(3), { minLength: 1, maxLength: 3000, size: 'max' });
    await fc.assert(
      fc.asyncProperty(times, fc.nat(), async (steps, seed) => {
        let time = 0;
        const blocks = steps.map((step, number) => ({ number, time: (time += step) }));
        const top = blocks.at(-1) ?? { number: 0, time: 0 };
        const wanted = seed % (top.time + 1);
        const read = (number: number): Promise<{ number: number; time: number }> =>
          Promise.resolve(blocks[number] ?? Promise.reject(new Error(`no block ${number}`)));
        expect(await findFirstBlock(wanted, top, read)).toBe(blocks.findIndex((each) => each.time >= wanted));
      }),
      { numRuns: 50 },
    );
  });

  it('reads no block that is much older, and few altogether', async () => {
    const read: number[] = [];
    const top = { number: 20_000_000, time: 20_000_000 * 12 };
    const wanted = top.time - 12 * 9_000;
    const found = await findFirstBlock(wanted, top, (number) => {
      read.push(number);
      return Promise.resolve({ number, time: number * 12 });
    });
    expect(found).toBe(top.number - 9_000);
    expect(Math.min(...read)).toBeGreaterThan(top.number - 3 * 9_000);
    expect(read.length).toBeLessThan(25);
  });
});
