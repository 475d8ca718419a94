import path from 'node:path';
import { createDirectoryStore } from '../../infra/store/directory/directory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { runAsProcess } from '../support/process/generator-run.js';

/** Folder of the committed golden files. */
export const GOLDEN = import.meta.dirname;

/** The publications that make the golden store, in order. */
const PUBLICATIONS = [
  { input: 'input-1', asOf: '2023-06-16T06:00:00Z' },
  { input: 'input-2', asOf: '2023-06-17T06:00:00Z', reason: 'upstream corrected one day of ethereum' },
] as const;

/** Publishes the golden inputs to the empty folder `root` with the built program, and returns the store. */
export async function publishGolden(root: string): Promise<ObjectStore> {
  for (const { input, asOf, ...rest } of PUBLICATIONS) {
    const accept = 'reason' in rest ? ['--accept-restatements', rest.reason] : [];
    const where = ['--input', path.join(GOLDEN, input), '--store', `file:${root}`, '--as-of', asOf];
    const run = await runAsProcess(['publish', '--quiet', ...where, ...accept]);
    if (run.code !== 0) throw new Error(run.stderr);
  }
  return createDirectoryStore(root);
}
