import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { sha256Hex } from '../../../schemas/digest.js';
import {
  draftInThread,
  type DraftedFiles,
  type DraftResult,
} from '../../../generator/publish/draft-in-thread.js';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { listedFiles } from '../../../generator/core/volumes/volume-files.js';
import { editSeries, randomSeries } from '../../support/release/random-series.js';

const STAMP = { revision: '2023-01-01.000001', sequence: 1, publishedAt: '2023-01-01T00:00:00Z' };
/** Makes more files than the 512 or so that may wait for an acknowledgement. */
const DAYS = 200;
const series = randomSeries({ chain: 'base', seed: 5, days: DAYS, missingCells: 0.1 });

/** Drafts as a worker thread does. Acknowledges each message if `isAcknowledged`. */
async function draft(
  input: InputSeries,
  isAcknowledged: boolean,
): Promise<{
  readonly messages: readonly DraftedFiles[];
  readonly result: Promise<DraftResult>;
  close: () => void;
}> {
  const { port1: own, port2: port } = new MessageChannel();
  const messages: DraftedFiles[] = [];
  own.on('message', (message: DraftedFiles) => {
    messages.push(message);
    if (isAcknowledged) own.postMessage('more');
  });
  const result = draftInThread({ series: input, stamp: STAMP, port });
  await Promise.race([result, once(own, 'message')]);
  return { messages, result, close: () => own.close() };
}

it('a drafting thread sends every day file with the bytes of its digest', async () => {
  const { messages, result, close } = await draft(series, true);
  const drafted = await result;
  if ('invalid' in drafted) throw new Error(drafted.invalid);
  while (messages.at(-1)?.files.length !== 0) await new Promise((resolve) => setImmediate(resolve)); // the last message is empty
  close();
  const digests = messages.flatMap(({ files, bodies }) => {
    let offset = 0;
    return files.map(({ bytes, sha256, path }) => {
      expect(sha256Hex(bodies.subarray(offset, (offset += bytes)))).toBe(sha256);
      return `${path} ${sha256}`;
    });
  });
  const { volumes, ...genres } = drafted.drafts;
  const drafts = Object.values(genres);
  const packed = Object.values(volumes).flatMap(({ listed }) => listedFiles(listed));
  const listed = [...drafts.flatMap(({ entries }) => entries), ...packed].map(
    ({ path, sha256 }) => `${path} ${sha256}`,
  );
  expect(digests.sort()).toEqual(listed.sort());
  expect(listed).toHaveLength(4 * DAYS + packed.length);
  expect(packed.length).toBeGreaterThan(0);
  expect(drafts.map(({ days }) => days.length)).toEqual([0, 0, 0, 0]); // sent, not returned
});

it('a drafting thread waits while no message is acknowledged, so that memory stays bounded', async () => {
  const { messages, close } = await draft(series, false);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const waiting = messages.length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(messages).toHaveLength(waiting);
  expect(messages.flatMap(({ files }) => files).length).toBeLessThan(4 * DAYS);
  close();
});

it('a drafting thread names the first file that does not match its schema', async () => {
  const date = series.dates[50] ?? '';
  const { result, close } = await draft(editSeries(series, 'tx_count', date, -1), true);
  const drafted = await result;
  close();
  expect(drafted).toEqual({
    invalid: expect.stringContaining(`/${date}.json at /metrics/tx_count`) as string,
  });
});
