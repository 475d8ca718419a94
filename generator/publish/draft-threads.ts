import { on } from 'node:events';
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import pMap from 'p-map';
import { productFile } from '../../schemas/product-file.js';
import type { Chain } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { ReleaseStamp } from '../core/artifacts/artifact.js';
import { GeneratorError } from '../core/generator-error.js';
import type { InputSeries } from '../core/input/input-series.js';
import type { GenreDrafts } from '../core/draft/genre-drafts.js';
import { assertReserve } from '../state/disk-space.js';
import type { DraftedFiles, DraftResult, DraftTask } from './draft-in-thread.js';
import {
  CONCURRENCY,
  writeFiles,
  type FileToWrite,
  type Writing,
  type WriteOptions,
} from './release-writing.js';

/**
 * Drafts chains without any release, each in a worker thread, and writes their day files as they are rendered. This computes
 * on several cores while the store writes, and keeps no day file in memory.
 * @throws GeneratorError 'artifact-invalid'; the errors of writing; the reason of `signal` once it is aborted.
 */
export async function draftInThreads(
  inputs: readonly InputSeries[],
  stamp: ReleaseStamp,
  writing: Writing,
  options: WriteOptions,
): Promise<ReadonlyMap<Chain, GenreDrafts>> {
  const { signal } = options;
  // One core is left for writing.
  const threads = Math.min(Math.max(1, availableParallelism() - 1), inputs.length);
  const { Piscina } = await import('piscina'); // loaded here, because no other command needs it
  const pool = new Piscina<DraftTask, DraftResult>({
    filename: productFile('generator/publish/draft-in-thread.js').href,
    name: 'draftInThread',
    minThreads: threads,
    maxThreads: threads,
  });
  const draft = async (series: InputSeries): Promise<[Chain, GenreDrafts]> => {
    const { port1: own, port2: port } = new MessageChannel();
    try {
      const files = writeFiles(
        writing,
        receiveFiles(own, options.store),
        options,
        Math.ceil(CONCURRENCY / threads),
      );
      const drafted = pool.run({ series, stamp, port }, { transferList: [port] }).then((result) => {
        if ('invalid' in result) throw new GeneratorError('artifact-invalid', result.invalid);
        return result.drafts;
      });
      const [drafts] = await Promise.all([drafted, files]);
      return [series.chain, drafts];
    } finally {
      own.close();
    }
  };
  const longestFirst = [...inputs].sort((a, b) => b.dates.length - a.dates.length);
  try {
    return new Map(await pMap(longestFirst, draft, { concurrency: threads, ...(signal ? { signal } : {}) }));
  } finally {
    await pool.destroy();
  }
}

/** Yields the files that a thread sends, and acknowledges each message. The reserve of the disk is checked once per message. */
async function* receiveFiles(port: MessagePort, store: ObjectStore): AsyncGenerator<FileToWrite> {
  for await (const [message] of on(port, 'message')) {
    const { files, bodies } = message as DraftedFiles; // the only kind of message that a drafting thread sends
    if (files.length === 0) return;
    let offset = 0;
    for (const file of files) {
      const body = bodies.subarray(offset, (offset += file.bytes));
      const isFirst = body.byteOffset === bodies.byteOffset;
      yield { ...file, body: () => (isFirst ? assertReserve(store).then(() => body) : body) };
    }
    port.postMessage('more');
  }
}
