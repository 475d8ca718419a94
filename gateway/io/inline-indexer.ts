import { indexManifestBytes } from './index-manifest-bytes.js';
import type { ManifestIndexer } from './manifest-indexer.js';

/** An indexer in this thread: for who answers one request at a time, and for tests. */
export function createInlineIndexer(): ManifestIndexer {
  return {
    index: (manifest) => Promise.resolve().then(() => indexManifestBytes(manifest)),
    stop: () => Promise.resolve(),
  };
}
