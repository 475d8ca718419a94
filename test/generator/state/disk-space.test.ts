import path from 'node:path';
import { assertSpaceForHistory } from '../../../generator/state/disk-space.js';
import { openStore } from '../../../infra/store/open-store.js';
import { objectKey } from '../../../schemas/paths.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { canMount, mountSmallDisk } from '../../support/stores/small-disk.js';

(canMount() ? it : it.skip)(
  'a first release needs the reserve even if the store has as many files as are expected',
  async () => {
    const disk = await mountSmallDisk();
    const store = await openStore(`file:${path.join(disk.path, 'store')}`);
    for (let i = 0; i < 4; i += 1) {
      const body = Buffer.alloc(8_192, `${i}`);
      await store.putIfAbsent(objectKey(sha256Hex(body)), body, { contentType: '', cacheControl: '' });
    }
    const size = { dates: 1, chains: 0 };
    await disk.fill(disk.reserveBytes + 8_192);
    await assertSpaceForHistory(store, size);
    await disk.fill(disk.reserveBytes - 65_536);
    await expect(assertSpaceForHistory(store, size)).rejects.toThrow(
      /has 3\.29 MB free\. This run must leave 3\.36 MB free\. .* Free at least 100 kB there /,
    );
    await disk.dispose();
  },
);
