import { MAX_OBJECT_BYTES } from '../../infra/store/object-store.js';
import type { SchemaName } from '../../schemas/validate.js';

/** Maximum size of the documents whose size no release lists, or of which many are read at a time, in bytes. */
const MAX_BYTES: { readonly [name in SchemaName]?: number } = {
  pointer: 10_000,
  aliases: 10_000,
  gc: 10_000,
  collection: 1_000_000,
  refusal: 1_000_000,
  releases: 16_000_000,
  'release-record': 4_000_000,
  manifest: 32_000_000,
  'day-lineage': 16_000_000,
  'meta-day': 1_000_000,
  'gold-day': 1_000_000,
  'derived-day': 1_000_000,
  'brief-day': 1_000_000,
};

/** Maximum size of the mark of a store, in bytes. */
export const MAX_MARK_BYTES = 10_000;

/** Returns the maximum size of a document of a schema, in bytes. */
export function maxBytesOf(schema: SchemaName): number {
  return MAX_BYTES[schema] ?? MAX_OBJECT_BYTES;
}
