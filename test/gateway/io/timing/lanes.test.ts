import { setImmediate as turn } from 'node:timers/promises';
import { createLanes } from '../../../../gateway/io/timing/lanes.js';

/** Work that notes when it begins and ends. */
function createScene() {
  const noted: string[] = [];
  const lanes = createLanes();
  const run = (lane: string, name: string): Promise<string> =>
    lanes.run(lane, async () => {
      noted.push(`${name} begins`);
      await turn();
      noted.push(`${name} ends`);
      if (name.startsWith('bad')) throw new Error(name);
      return name;
    });
  return { noted, run };
}

it('runs the work of a lane in the order of arrival, one at a time', async () => {
  const { noted, run } = createScene();
  expect(await Promise.all([run('a', 'one'), run('a', 'two')])).toEqual(['one', 'two']);
  expect(noted).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
});

it('runs the work of different lanes at the same time', async () => {
  const { noted, run } = createScene();
  await Promise.all([run('a', 'one'), run('b', 'two')]);
  expect(noted).toEqual(['one begins', 'two begins', 'one ends', 'two ends']);
});

it('continues after work that failed, and passes the error to its caller', async () => {
  const { run } = createScene();
  const [bad, good] = await Promise.allSettled([run('a', 'bad'), run('a', 'good')]);
  expect([bad.status, good.status]).toEqual(['rejected', 'fulfilled']);
  expect(await run('a', 'later')).toBe('later');
});
