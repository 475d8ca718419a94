import type { ListedObject, ObjectStore } from '../../infra/store/object-store.js';
import { OBJECTS_PREFIX, PUBLIC_PREFIX } from '../../schemas/paths.js';
import { damaged } from './stored-json.js';

/** Maximum number of objects in a list: many times those of a store that grows for decades. */
const MAX_LISTED = { public: 100_000, objects: 10_000_000, other: 200_000 };

/** Lists the objects whose key begins with `prefix`. @throws GeneratorError 'damaged' if the list does not come to an end. */
export async function* listBounded(store: ObjectStore, prefix: string): AsyncIterable<ListedObject> {
  const limit = prefix.startsWith(PUBLIC_PREFIX)
    ? MAX_LISTED.public
    : prefix === OBJECTS_PREFIX
      ? MAX_LISTED.objects
      : MAX_LISTED.other;
  let listed = 0;
  for await (const each of store.list(prefix)) {
    listed += 1;
    if (listed > limit) throw damaged(prefix, `has more than ${limit} objects`);
    yield each;
  }
}
