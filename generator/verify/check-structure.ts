import { POINTER_KEY, objectKey } from '../../schemas/paths.js';
import type { Manifest, Pointer } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { checkIndexes, checkListing } from '../core/verification/check-release.js';
import type { StoredRelease } from '../state/reachable-objects.js';
import { damaged, parseStored, readArtifact } from '../state/stored-json.js';

/**
 * Checks what a verification checks of the files that list others: the pointer, the manifests of days, and the public lists
 * of files and of changes. Precondition: `releases` begins with the record that the pointer's digest names.
 * @throws GeneratorError 'damaged' for the first fault.
 */
export async function assertStructure(
  store: ObjectStore,
  { revision, sequence }: Pointer,
  releases: readonly StoredRelease[],
): Promise<void> {
  const [current] = releases;
  if (current?.record.revision !== revision || current.record.sequence !== sequence)
    throw damaged(POINTER_KEY, 'does not name the revision and sequence of its record');
  const { record } = current;
  const manifests = new Map<string, Manifest>();
  for (const [path, { sha256, bytes }] of Object.entries(record.manifests)) {
    const body = await readArtifact(store, sha256);
    const key = objectKey(sha256);
    if (body.length !== bytes) throw damaged(key, `has ${body.length} bytes, not the ${bytes} listed`);
    manifests.set(path, parseStored(key, 'manifest', body));
  }
  const changes = releases.map((release) => release.record.changes);
  const [fault] = [...checkListing({ record, manifests }), ...checkIndexes(record, changes)];
  if (fault !== undefined) throw damaged(fault.key, fault.message);
}
