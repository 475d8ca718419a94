import { indexManifestBytes } from './index-manifest-bytes.js';
import type { ManifestIndexer } from './manifest-indexer.js';

/** Creates an indexer in this thread, for processes that answer one request at a time. */
export function createInlineIndexer(): ManifestIndexer {
  return {
    index: (manifest) => Promise.resolve().then(() => indexManifestBytes(manifest)),
    stop: () => Promise.resolve(),
  };
}
