import { canonicalJson } from '../../schemas/canonical-json.js';
import { sha256Hex } from '../../schemas/digest.js';
import { ALIASES_KEY, POINTER_KEY } from '../../schemas/paths.js';
import type { ObjectStore, StoredObject } from '../../infra/store/object-store.js';
import type { NamedRelease } from './release-lineage.js';

/**
 * The store as it would be read if its pointer named `release`, whatever the mark of its public copies says. Writes go to
 * the store itself.
 */
export function createPointedStore(store: ObjectStore, release: NamedRelease): ObjectStore {
  const bytes = pointerBytes(release);
  const pointer: StoredObject = { bytes, etag: `"${sha256Hex(bytes)}"` };
  const own = new Map<string, StoredObject | undefined>([
    [POINTER_KEY, pointer],
    [ALIASES_KEY, undefined],
  ]);
  return { ...store, get: (key) => (own.has(key) ? Promise.resolve(own.get(key)) : store.get(key)) };
}

/** The bytes of a pointer to `release`. */
export function pointerBytes({ revision, sequence, sha256 }: NamedRelease): Buffer {
  return Buffer.from(canonicalJson({ schema: 'pointer/1', revision, sequence, sha256 }));
}
