import { Piscina } from 'piscina';
import type { DayIndex } from '../core/day-index.js';
import type { ManifestBytes } from './index-manifest-bytes.js';

/** Turns the bytes of a manifest into its index, once they have the digest that they are to have. */
export type ManifestIndexer = {
  /** @throws Error when the bytes have another digest. */
  readonly index: (manifest: ManifestBytes) => Promise<DayIndex>;
  readonly stop: () => Promise<void>;
};

const IDLE_MS = 30_000;
/** Where there is but one core, requests come first; the index still gets a tenth of it. */
const NICENESS = 10;

/** An indexer in a thread of its own: a long manifest takes tens of milliseconds, in which no request would be answered. */
export function createThreadIndexer(): ManifestIndexer {
  const pool = new Piscina<ManifestBytes, DayIndex>({
    filename: new URL('./index-manifest-bytes.js', import.meta.url).href,
    name: 'indexManifestBytes',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    niceIncrement: NICENESS,
  });
  return { index: (manifest) => pool.run(manifest), stop: () => pool.destroy() };
}
