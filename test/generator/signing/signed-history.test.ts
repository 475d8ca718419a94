import { KEY_SET_KEY, readStoredKeySet } from '../../../generator/signing/signed-history.js';
import { META } from '../../contract/store-use.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';

it('says that a signed document of a store is too large, rather than that its form is wrong', async () => {
  const store = createMemoryStore();
  await store.putIfAbsent(KEY_SET_KEY, Buffer.alloc(262_145, 'A'), META);
  await expect(readStoredKeySet(store)).rejects.toThrow('it has more than 262144 bytes');
});
