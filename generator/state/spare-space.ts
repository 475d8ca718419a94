import { readDiskSpace } from '../../infra/store/directory/disk-space.js';
import {
  createSpareSpace,
  deleteSpareSpace,
  isOutOfSpace,
  SPARE_SPACE,
} from '../../infra/store/directory/spare-space.js';
import type { ObjectStore } from '../../infra/store/object-store.js';

/** Free space at which the spare space is created again: its own size, and twice as much for a hold. */
const ROOM = { bytes: 3 * SPARE_SPACE.bytes, files: 3 * SPARE_SPACE.files };

/** Does the work. If the disk is full, deletes the spare space of the store and does the work again. */
export async function withSpareSpace<T>(store: ObjectStore, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOutOfSpace(error) || !(await deleteSpareSpace(store.address))) throw error;
    return work();
  }
}

/** Creates the spare space of a directory store again if a hold fits on its disk even then. */
export async function restoreSpareSpace({ address }: ObjectStore): Promise<void> {
  const space = await readDiskSpace(address);
  if (space === undefined) return;
  const { bytes, files } = space;
  if (bytes.free > ROOM.bytes && (files === undefined || files.free > ROOM.files))
    await createSpareSpace(address);
}
