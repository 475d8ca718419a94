import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../../../../generator/sources/aws/partial-copies.js';

it('runs every item once, and at most `limit` of them at the same time', async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await inParallel([5, 1, 4, 2, 3], 2, async (item) => {
    most = Math.max(most, (running += 1));
    await sleep(item);
    running -= 1;
    done.push(item);
  });
  expect(done.sort()).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

it('starts nothing after a failure, and rejects when what runs has ended', async () => {
  const started: number[] = [];
  const ended: number[] = [];
  const run = inParallel([1, 2, 3, 4], 2, async (item) => {
    started.push(item);
    if (item === 1) throw new Error('the first');
    await sleep(20);
    ended.push(item);
  });
  await expect(run).rejects.toThrow('the first');
  expect([started, ended]).toEqual([[1, 2], [2]]);
});

it('does nothing for no items', async () => {
  await expect(inParallel([], 8, () => Promise.reject(new Error('called')))).resolves.toBeUndefined();
});
