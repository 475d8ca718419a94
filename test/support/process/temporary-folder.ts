import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder for one test or test file. `dispose` removes it with its contents. */
export type TemporaryFolder = {
  readonly path: string;
  readonly dispose: () => Promise<void>;
};

/** Creates an empty folder in the system's folder for temporary files. */
export async function createTemporaryFolder(): Promise<TemporaryFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'chain-reference-data-'));
  return { path: folder, dispose: () => rm(folder, { recursive: true, force: true }) };
}
