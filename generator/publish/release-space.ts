import { objectKey, publicKey, releaseKey } from '../../schemas/paths.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { PlannedRelease } from '../core/release/plan-types.js';
import { assertSpaceForFiles, type FileSize } from '../state/disk-space.js';

/**
 * Passes if the disk of a directory store has room for a release: its files, its public copies and its record.
 * @throws StoreError 'unavailable'.
 */
export function assertSpaceForRelease(
  store: ObjectStore,
  { record, recordText, sha256, artifacts }: PlannedRelease,
): Promise<void> {
  const copies = artifacts.filter(({ path }) => path in record.public);
  const files: FileSize[] = [
    ...artifacts.map((artifact) => ({ key: objectKey(artifact.sha256), bytes: artifact.bytes })),
    ...copies.map(({ path, bytes }) => ({ key: publicKey(path), bytes })),
    { key: releaseKey(record.revision, sha256), bytes: Buffer.byteLength(recordText) },
  ];
  return assertSpaceForFiles(store, files);
}
