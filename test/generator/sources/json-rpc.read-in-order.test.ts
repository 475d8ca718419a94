import { setTimeout as sleep } from 'node:timers/promises';
import { readInOrder } from '../../../generator/sources/json-rpc.js';

const { signal } = new AbortController();

describe('reading in order', () => {
  it('takes the results in the order of the parts, however long each takes', async () => {
    const taken: number[] = [];
    let open = 0;
    let most = 0;
    await readInOrder({
      parts: [1, 2, 3, 4, 5],
      concurrency: 2,
      async read(part) {
        most = Math.max(most, (open += 1));
        await sleep(part % 2 === 1 ? 10 : 1);
        open -= 1;
        return part;
      },
      take: (part) => void taken.push(part),
      signal,
    });
    expect(taken).toEqual([1, 2, 3, 4, 5]);
    expect(most).toBe(2);
  });

  it('stops the other readings when one fails', async () => {
    const stopped: unknown[] = [];
    const reading = readInOrder({
      parts: [1, 2],
      concurrency: 2,
      read: (part, any) =>
        part === 1
          ? Promise.reject(new Error('broken'))
          : new Promise<number>((_resolve, reject) => {
              any.addEventListener('abort', () => {
                stopped.push((any.reason as Error).message);
                reject(any.reason as Error);
              });
            }),
      take: () => undefined,
      signal,
    });
    await expect(reading).rejects.toThrow('broken');
    expect(stopped).toEqual(['broken']);
  });
});
