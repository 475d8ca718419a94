import { sha256Hex } from '../../schemas/digest.js';
import type { Manifest } from '../../schemas/types.generated.js';
import { indexManifest, type DayIndex } from '../core/day-index.js';

/** A manifest as it was read, and the digest that it is to have. */
export type ManifestBytes = { readonly bytes: Uint8Array; readonly sha256: string };

/** The index of a manifest. It is all that a thread of the indexer runs. @throws Error when it has another digest. */
export function indexManifestBytes({ bytes, sha256 }: ManifestBytes): DayIndex {
  if (sha256Hex(bytes) !== sha256) throw new Error('a manifest has other bytes than its digest says');
  return indexManifest(JSON.parse(Buffer.from(bytes).toString('utf8')) as Manifest); // its digest proves that it was judged
}
