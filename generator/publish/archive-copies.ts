import { pathOfPublicKey, publicKey, weeklyArchivePath } from '../../schemas/paths.js';
import type { Chain } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';

/**
 * Returns the paths of all public copies of a chain's archive of weekly summaries. Which years an earlier release listed
 * cannot be known from the current one: a history can be extended at both ends, and a rollback takes that back.
 */
export async function archiveCopies(store: ObjectStore, chain: Chain): Promise<string[]> {
  const paths: string[] = [];
  for await (const { key } of store.list(publicKey(weeklyArchivePath(chain, ''))))
    paths.push(pathOfPublicKey(key));
  return paths;
}
