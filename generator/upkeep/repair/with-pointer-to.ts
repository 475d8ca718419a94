import { sha256Hex } from '../../../schemas/digest.js';
import { ALIASES_KEY, POINTER_KEY } from '../../../schemas/paths.js';
import type { ObjectStore, StoredObject } from '../../../infra/store/object-store.js';
import { pointerBytes } from '../../state/move-pointer.js';
import type { NamedRelease } from '../../state/published-state.js';

/**
 * Returns the store with a pointer to `release`, without aliases.json and without a clock, because what it plans was
 * published in the past. For reading: writes go to the store itself.
 */
export function withPointerTo(store: ObjectStore, release: NamedRelease): ObjectStore {
  const bytes = pointerBytes(release);
  const pointer: StoredObject = { bytes, etag: `"${sha256Hex(bytes)}"` };
  const replaced = new Map<string, StoredObject | undefined>([
    [POINTER_KEY, pointer],
    [ALIASES_KEY, undefined],
  ]);
  return {
    ...store,
    now: () => undefined,
    get: (key) => (replaced.has(key) ? Promise.resolve(replaced.get(key)) : store.get(key)),
  };
}
