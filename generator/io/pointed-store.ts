import { canonicalJson } from '../../schemas/canonical-json.js';
import { sha256Hex } from '../../schemas/digest.js';
import { POINTER_KEY } from '../../schemas/paths.js';
import type { ObjectStore, StoredObject } from '../../infra/store/object-store.js';
import type { NamedRelease } from './release-lineage.js';

/** The store as it would be read if its pointer named `release`. Writes go to the store itself. */
export function createPointedStore(store: ObjectStore, release: NamedRelease): ObjectStore {
  const bytes = pointerBytes(release);
  const pointer: StoredObject = { bytes, etag: `"${sha256Hex(bytes)}"` };
  return {
    ...store,
    get: (key) => (key === POINTER_KEY ? Promise.resolve(pointer) : store.get(key)),
  };
}

/** The bytes of a pointer to `release`. */
export function pointerBytes({ revision, sequence, sha256 }: NamedRelease): Buffer {
  return Buffer.from(canonicalJson({ schema: 'pointer/1', revision, sequence, sha256 }));
}
