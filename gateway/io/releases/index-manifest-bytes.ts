import { sha256Hex } from '../../../schemas/digest.js';
import type { Manifest } from '../../../schemas/types.generated.js';
import { indexManifest, type DayIndex } from '../../core/releases/day-index.js';

/** The stored bytes of a manifest and their expected digest. */
export type ManifestBytes = { readonly bytes: Uint8Array; readonly sha256: string };

/** Verifies a manifest and returns its index; worker threads run only this. @throws Error when the digest is wrong. */
export function indexManifestBytes({ bytes, sha256 }: ManifestBytes): DayIndex {
  if (sha256Hex(bytes) !== sha256) throw new Error(`a manifest does not have the digest ${sha256}`);
  return indexManifest(JSON.parse(Buffer.from(bytes).toString('utf8')) as Manifest); // the generator has validated it
}
