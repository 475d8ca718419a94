import { Piscina } from 'piscina';
import { productFile } from '../../../schemas/product-file.js';
import type { DayIndex } from '../../core/releases/day-index.js';
import type { ManifestBytes } from './index-manifest-bytes.js';

/** Verifies manifests and turns them into indexes. */
export type ManifestIndexer = {
  /** Verifies and indexes a manifest. @throws Error when the digest is wrong. */
  readonly index: (manifest: ManifestBytes) => Promise<DayIndex>;
  readonly stop: () => Promise<void>;
};

const IDLE_MS = 30_000;
/** Requests have priority on a single core; the indexer still gets about a tenth of it. */
const NICENESS = 10;

/** Creates an indexer in a worker thread: a long manifest takes tens of milliseconds, which would delay requests. */
export function createThreadIndexer(): ManifestIndexer {
  const pool = new Piscina<ManifestBytes, DayIndex>({
    filename: productFile('gateway/io/releases/index-manifest-bytes.js').href,
    name: 'indexManifestBytes',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    niceIncrement: NICENESS,
  });
  return { index: (manifest) => pool.run(manifest), stop: () => pool.destroy() };
}
