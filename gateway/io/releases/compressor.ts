import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createLanes } from '../timing/lanes.js';
import { createByteCache } from './byte-cache.js';

/** Compresses files. */
export type Compressor = {
  /** Returns the gzip form of the file that `read` returns. Rejects if `read` does. */
  readonly gzip: (sha256: string, read: () => Promise<Uint8Array>) => Promise<Uint8Array>;
};

const MAX_CACHED_BYTES = 16 * 1024 * 1024;
const LANE = 'gzip';
const compress = promisify<Uint8Array, Buffer>(gzip);

/**
 * Creates a compressor with a cache. However many requests there are, it keeps at most `maxCachedBytes`, and compresses
 * one file at a time, in one thread of Node's pool, which also reads files. A file that waits is in memory too.
 */
export function createCompressor(maxCachedBytes = MAX_CACHED_BYTES): Compressor {
  const cache = createByteCache(maxCachedBytes);
  const lanes = createLanes();
  return {
    gzip: (sha256, read) =>
      cache.get(sha256, async () => {
        const bytes = await read(); // outside the lane: a slow store must not delay what is already read
        // A copy, because zlib returns a part of a larger buffer, all of which would stay in memory.
        return lanes.run(LANE, async () => new Uint8Array(await compress(bytes)));
      }),
  };
}
